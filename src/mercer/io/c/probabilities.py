"""Probabilities as C functions."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.io.c.source import Source
from mercer.io.exchange.model import Calibrated, Curve, Member

__all__ = ["calibrated_mean", "slope_probabilities"]

VALUES = "void @(const number *x, number *out)"


def slope_probabilities(
    source: Source, slope: float, decision: str, width: int, is_binary: bool, by_label: bool
) -> str:
    """softmax(slope f); of labels one by one 1 / (1 + exp(-2 slope f))."""
    lines = ["int i;", f"{decision}(x, out);"]
    if by_label:
        body = f"    out[i] = expit({source.number(2.0 * slope)} * out[i]);"
        return source.function("proba", VALUES, [*lines, f"for (i = 0; i < {width}; i++)", body])
    return source.function("proba", VALUES, _softmax(source, slope, decision, width, is_binary))


def _softmax(source: Source, slope: float, decision: str, width: int, is_binary: bool) -> list[str]:
    factor = source.number(slope)
    if is_binary:
        lines = ["number value;", f"{decision}(x, &value);"]
        lines += [f"out[0] = -{factor} * value;", f"out[1] = {factor} * value;"]
        return [*lines, "softmax(out, 2);"]
    scale = [f"for (i = 0; i < {width}; i++)", f"    out[i] *= {factor};"]
    return ["int i;", f"{decision}(x, out);", *scale, f"softmax(out, {width});"]


def calibrated_mean(source: Source, node: Calibrated, given: Sequence[tuple[str, int]]) -> str:
    """The mean of the probabilities of the members."""
    n = len(node.classes)
    lines = [f"number own[{n}];", "int i;", f"for (i = 0; i < {n}; i++)", "    out[i] = ZERO;"]
    for member, (decision, width) in zip(node.members, given, strict=True):
        name = _member(source, member, decision, width, n)
        lines += [f"{name}(x, own);", f"for (i = 0; i < {n}; i++)", "    out[i] += own[i];"]
    count = source.number(float(len(node.members)))
    lines += [f"for (i = 0; i < {n}; i++)", f"    out[i] /= {count};"]
    return source.function("proba", VALUES, lines)


def _member(source: Source, member: Member, decision: str, width: int, n: int) -> str:
    curves = member.curves
    if curves[0].kind == "temperature":
        lines = _softmax(source, curves[0].a, decision, width, n == 2)
        return source.function("member", VALUES, lines)
    lines = [f"number values[{width}];", f"{decision}(x, values);"]
    if n == 2:
        lines += [f"out[1] = {_curve(source, curves[0])}(values[0]);", "out[0] = ONE - out[1];"]
        return source.function("member", VALUES, lines)
    lines = ["number sum = ZERO;", "int i;", *lines]
    lines += [f"for (i = 0; i < {n}; i++)", "    out[i] = ZERO;"]
    for place, (target, curve) in enumerate(zip(member.places, curves, strict=True)):
        lines.append(f"out[{target}] = {_curve(source, curve)}(values[{place}]);")
    equal = source.number(1.0 / n)
    lines += [
        f"for (i = 0; i < {n}; i++)",
        "    sum += out[i];",
        f"for (i = 0; i < {n}; i++)",
        f"    out[i] = sum > ZERO ? out[i] / sum : {equal};",
    ]
    return source.function("member", VALUES, lines)


def _curve(source: Source, curve: Curve) -> str:
    head = "number @(number f)"
    if curve.kind == "sigmoid":
        a, b = source.number(curve.a), source.number(curve.b)
        return source.function("curve", head, [f"return expit(-({a} * f + {b}));"])
    assert curve.x is not None
    assert curve.y is not None
    n = len(curve.x)
    x, y = source.table("knots", curve.x), source.table("heights", curve.y)
    lines = [
        "int i = 0;",
        f"if (f <= {x}[0])",
        f"    return {y}[0];",
        f"if (f >= {x}[{n - 1}])",
        f"    return {y}[{n - 1}];",
        f"while (f >= {x}[i + 1])",
        "    i++;",
        f"return {y}[i] + (f - {x}[i]) * ({y}[i + 1] - {y}[i]) / ({x}[i + 1] - {x}[i]);",
    ]
    return source.function("curve", head, lines)
