"""Machines as a graph: values, then what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.io.exchange.model import (
    Calibrated,
    Decoded,
    Function,
    Labels,
    Machine,
    Node,
    Numbers,
    OneClassValues,
    Output,
    Prepared,
    Rescaled,
    SideBySide,
    TwoClasses,
    Votes,
)
from mercer.io.onnx.graph import Graph
from mercer.io.onnx.kernels import kernel_values
from mercer.io.onnx.operators import operator_values
from mercer.io.onnx.preprocessing import Columns, prepare
from mercer.io.onnx.probabilities import calibrated_mean, slope_probabilities

__all__ = ["Results", "results"]

_SINGLE_ERROR = 2.0**-21  # of sums of kernel values, times that of the coefficients
_STEEPEST = 500.0  # exponent at which the exponential loss is held, as in mercer.codes


@dataclass(frozen=True, eq=False)
class Results:
    """Names of what a node computes; None for what it does not have.

    ``label`` are positions of classes if there are ``classes``, else the labels themselves.
    """

    label: str | None = None
    decision: str | None = None
    width: int = 0
    probabilities: str | None = None
    n_probabilities: int = 0
    prediction: str | None = None
    classes: NDArray[Any] | None = None
    label_width: int = 0


def results(graph: Graph, node: Node, rows: Columns) -> Results:
    """What a node computes of rows."""
    match node:
        case Prepared():
            return results(graph, node.node, prepare(graph, rows, node.steps))
        case Rescaled():
            return _rescaled(graph, node, rows)
        case Calibrated():
            return _calibrated(graph, node, rows)
        case SideBySide():
            members = [results(graph, own, rows) for own in node.members]
            values = [own.decision or own.prediction or "" for own in members]
            return _read(graph, node.output, graph.node("Concat", *values, axis=1))
    return _machine(graph, node, rows)


def _machine(graph: Graph, node: Machine, rows: Columns) -> Results:
    values = function_values(graph, node.function, rows.matrix(graph))
    found = _read(graph, _rounded(graph, node), values)
    changes: dict[str, Any] = {}
    if node.slope is not None and found.decision is not None:
        is_binary = isinstance(node.output, TwoClasses)
        changes["probabilities"] = slope_probabilities(
            graph, node.slope, found.decision, is_binary, isinstance(node.output, Labels)
        )
        changes["n_probabilities"] = 2 if is_binary else found.width
    if (own := node.calibrated) is not None and found.decision is not None:
        changes["probabilities"] = calibrated_mean(graph, own, [found.decision])
        changes["n_probabilities"] = len(own.classes)
    return Results(**vars(found) | changes)


def _rounded(graph: Graph, node: Machine) -> Output:
    """What the values mean; in single precision more of them may be a height of 0."""
    output, weights = node.output, node.function.weights
    if not isinstance(output, OneClassValues) or graph.precision == "double" or weights is None:
        return output
    return OneClassValues(max(output.zero, _SINGLE_ERROR * float(np.abs(weights).sum())))


def function_values(graph: Graph, function: Function, x: str) -> str:
    """Values of all machines, shape (n_rows, n_machines)."""
    if function.shift is not None:
        x = graph.node("Sub", x, graph.numbers(function.shift))
    bias = graph.numbers(function.bias)
    if len(function.rows) and graph.operators == "svm":
        return operator_values(graph, function, x)
    if not len(function.rows):
        return graph.node("Add", graph.node("MatMul", x, graph.numbers(_nothing(function))), bias)
    values = kernel_values(graph, function.form, x, function.rows)
    if function.weights is not None:
        values = _weighted(graph, function, values)
    return graph.node("Add", values, bias)


def _nothing(function: Function) -> NDArray[np.float64]:
    return np.zeros((function.n_features, function.n_machines))


def _weighted(graph: Graph, function: Function, values: str) -> str:
    assert function.weights is not None
    if function.pairs is None:
        return graph.node("MatMul", values, graph.numbers(function.weights))
    parts = []
    for begin, end in zip(function.cuts[:-1], function.cuts[1:], strict=True):
        ends = (graph.integers([begin]), graph.integers([end]), graph.integers([1]))
        own = graph.node("Slice", values, *ends)
        parts.append(graph.node("MatMul", own, graph.numbers(function.weights[begin:end])))
    side_by_side = graph.node("Concat", *parts, axis=1)
    first, second = (
        graph.node("Gather", side_by_side, graph.integers(places), axis=1)
        for places in function.pairs
    )
    return graph.node("Add", first, second)


def _read(graph: Graph, output: Output, values: str) -> Results:
    match output:
        case Numbers():
            return Results(prediction=values, width=1 if output.is_flat else 2)
        case OneClassValues():
            return _heights(graph, output, values)
        case Labels():
            there = graph.node("Cast", _positive(graph, values), to=7)
            n = output.n_labels
            return Results(label=there, decision=values, width=n, label_width=n)
        case TwoClasses():
            place = graph.flat(graph.node("Cast", _positive(graph, values), to=7))
            return Results(label=place, decision=values, width=1, classes=output.classes)
        case Votes():
            return _votes(graph, output, values)
        case Decoded():
            values = _scores_of_code(graph, output, values)
    width = len(output.classes)
    place = graph.node("ArgMax", values, axis=1, keepdims=0)
    return Results(label=place, decision=values, width=width, classes=output.classes)


def _positive(graph: Graph, values: str) -> str:
    return graph.node("Greater", values, graph.numbers(0.0))


def _heights(graph: Graph, output: OneClassValues, values: str) -> Results:
    zero = graph.numbers(0.0)
    is_zero = graph.node("LessOrEqual", graph.node("Abs", values), graph.numbers(output.zero))
    height = graph.node("Where", is_zero, zero, values)
    inside = graph.node("GreaterOrEqual", height, zero)
    label = graph.node("Where", inside, graph.integers(1), graph.integers(-1))
    return Results(label=graph.flat(label), decision=height, width=1)


def _votes(graph: Graph, output: Votes, values: str) -> Results:
    """Votes, and s / (3 (|s| + 1)) of summed values s to break ties."""
    classes = output.classes
    pairs = np.array(list(combinations(range(len(classes)), 2)))
    first, second = (np.eye(len(classes))[pairs[:, k]] for k in (0, 1))
    wins = graph.cast(graph.node("GreaterOrEqual", values, graph.numbers(0.0)))
    losses = graph.node("Sub", graph.numbers(1.0), wins)
    votes = graph.node(
        "Add",
        graph.node("MatMul", wins, graph.numbers(first)),
        graph.node("MatMul", losses, graph.numbers(second)),
    )
    sums = graph.node("MatMul", values, graph.numbers(first - second))
    below = graph.node("Add", graph.node("Abs", sums), graph.numbers(1.0))
    share = graph.node("Div", sums, graph.node("Mul", below, graph.numbers(3.0)))
    scores = graph.node("Add", votes, share)
    place = graph.node("ArgMax", scores if output.break_ties else votes, axis=1, keepdims=0)
    if output.by_pairs:
        return Results(label=place, decision=values, width=len(pairs), classes=classes)
    return Results(label=place, decision=scores, width=len(classes), classes=classes)


def _scores_of_code(graph: Graph, output: Decoded, values: str) -> str:
    """Negated losses of the code words (Allwein et al. 2000)."""
    matrix = output.matrix
    if output.mixes:
        values = graph.node("MatMul", values, graph.numbers(matrix))
    plus, minus = (graph.numbers(np.equal(matrix.T, sign)) for sign in (1, -1))
    zeros = (matrix == 0).sum(axis=1) * _at_zero(output.loss)
    negated = graph.node("Neg", values)
    found = graph.node(
        "Add",
        graph.node("MatMul", _loss(graph, output.loss, values), plus),
        graph.node("MatMul", _loss(graph, output.loss, negated), minus),
    )
    return graph.node("Neg", graph.node("Add", found, graph.numbers(zeros[None])))


def _at_zero(loss: str) -> float:
    return 0.5 if loss == "hamming" else 1.0


def _loss(graph: Graph, loss: str, z: str) -> str:
    if loss == "hamming":
        half = graph.node("Mul", graph.node("Sign", z), graph.numbers(-0.5))
        return graph.node("Add", half, graph.numbers(0.5))
    if loss == "exponential":
        ends = graph.numbers(-_STEEPEST), graph.numbers(_STEEPEST)
        return graph.node("Exp", graph.node("Clip", graph.node("Neg", z), *ends))
    short = graph.node("Sub", graph.numbers(1.0), z)
    if loss != "squared_error":
        short = graph.node("Max", short, graph.numbers(0.0))
    return short if loss == "hinge" else graph.node("Mul", short, short)


def _calibrated(graph: Graph, node: Calibrated, rows: Columns) -> Results:
    decisions = [results(graph, own.node, rows).decision or "" for own in node.members]
    mean = calibrated_mean(graph, node, decisions)
    place = graph.node("ArgMax", mean, axis=1, keepdims=0)
    n = len(node.classes)
    return Results(label=place, classes=node.classes, probabilities=mean, n_probabilities=n)


def _rescaled(graph: Graph, node: Rescaled, rows: Columns) -> Results:
    found = results(graph, node.node, rows)
    assert found.prediction is not None
    values = prepare(graph, Columns(found.prediction), node.steps).matrix(graph)
    return Results(prediction=values, width=found.width)
