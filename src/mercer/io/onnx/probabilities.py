"""Probabilities as a graph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from mercer.io.exchange.model import Calibrated, Curve, Member
from mercer.io.onnx.graph import Graph

__all__ = ["calibrated_mean", "slope_probabilities"]

_ABOVE_ONE = 1e-5  # what scikit-learn takes for 1


def slope_probabilities(
    graph: Graph, slope: float, decision: str, is_binary: bool, by_label: bool
) -> str:
    """softmax(slope f); of labels one by one 1 / (1 + exp(-2 slope f))."""
    if by_label:
        return graph.node("Sigmoid", graph.node("Mul", decision, graph.numbers(2.0 * slope)))
    return _softmax(graph, slope, decision, is_binary)


def _softmax(graph: Graph, slope: float, decision: str, is_binary: bool) -> str:
    scaled = graph.node("Mul", decision, graph.numbers(slope))
    if is_binary:
        scaled = graph.node("Concat", graph.node("Neg", scaled), scaled, axis=1)
    return graph.node("Softmax", scaled, axis=1)


def calibrated_mean(graph: Graph, node: Calibrated, decisions: Sequence[str]) -> str:
    """The mean of the probabilities of the members."""
    n = len(node.classes)
    own = [_member(graph, m, f, n) for m, f in zip(node.members, decisions, strict=True)]
    total = reduce(lambda a, b: graph.node("Add", a, b), own)
    return graph.node("Div", total, graph.numbers(float(len(own))))


def _member(graph: Graph, member: Member, decision: str, n_classes: int) -> str:
    if member.curves[0].kind == "temperature":
        found = _softmax(graph, member.curves[0].a, decision, n_classes == 2)
    elif n_classes == 2:
        second = _curve(graph, member.curves[0], decision)
        first = graph.node("Sub", graph.numbers(1.0), second)
        found = graph.node("Concat", first, second, axis=1)
    else:
        found = _normalized(graph, member, decision, n_classes)
    above = graph.node(
        "And",
        graph.node("Greater", found, graph.numbers(1.0)),
        graph.node("LessOrEqual", found, graph.numbers(1.0 + _ABOVE_ONE)),
    )
    return graph.node("Where", above, graph.numbers(1.0), found)


def _normalized(graph: Graph, member: Member, decision: str, n_classes: int) -> str:
    """One curve a class, divided by their sum; all equal where every curve gives 0."""
    none = graph.node("Mul", graph.column(decision, 0), graph.numbers(0.0))
    columns = [none] * n_classes
    for place, (target, curve) in enumerate(zip(member.places, member.curves, strict=True)):
        columns[target] = _curve(graph, curve, graph.column(decision, place))
    found = graph.node("Concat", *columns, axis=1)
    total = graph.sum_of_rows(found)
    is_zero = graph.node("Equal", total, graph.numbers(0.0))
    divided = graph.node("Div", found, graph.node("Where", is_zero, graph.numbers(1.0), total))
    return graph.node("Where", is_zero, graph.numbers(1.0 / n_classes), divided)


def _curve(graph: Graph, curve: Curve, f: str) -> str:
    if curve.kind == "sigmoid":
        inner = graph.node(
            "Add", graph.node("Mul", f, graph.numbers(curve.a)), graph.numbers(curve.b)
        )
        return graph.node("Sigmoid", graph.node("Neg", inner))
    return _isotonic(graph, curve, f)


def _isotonic(graph: Graph, curve: Curve, f: str) -> str:
    """Straight lines: the last point not beyond f, and the slope from there to the next."""
    assert curve.x is not None
    assert curve.y is not None
    x, y = curve.x, curve.y
    if len(x) == 1:
        return graph.node("Add", graph.node("Mul", f, graph.numbers(0.0)), graph.numbers(y[0]))
    held = graph.node("Clip", f, graph.numbers(x[0]), graph.numbers(x[-1]))
    beyond = graph.node("GreaterOrEqual", held, graph.numbers(x[None, 1:-1]))
    place = graph.node(
        "ReduceSum", graph.node("Cast", beyond, to=7), graph.integers([1]), keepdims=1
    )
    slopes = np.diff(y) / np.diff(x)
    begin, low, slope = (
        graph.node("Gather", graph.numbers(values), place, axis=0)
        for values in (x[:-1], y[:-1], slopes)
    )
    return graph.node("Add", graph.node("Mul", graph.node("Sub", held, begin), slope), low)
