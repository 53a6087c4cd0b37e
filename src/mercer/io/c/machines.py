"""Machines as C functions: values, then what they mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.io.c.kernels import KernelWriter
from mercer.io.c.outputs import chosen, decisions
from mercer.io.c.preprocessing import prepared
from mercer.io.c.probabilities import calibrated_mean, slope_probabilities
from mercer.io.c.source import Source
from mercer.io.exchange.model import (
    Calibrated,
    Function,
    Labels,
    Machine,
    Node,
    Numbers,
    Output,
    Prepared,
    Rescaled,
    SideBySide,
    TwoClasses,
)

__all__ = ["Written", "written"]

VALUES = "void @(const number *x, number *out)"


@dataclass(frozen=True, eq=False)
class Written:
    """Names of the functions of a node, all of which take a row; None for what it does not have.

    ``label`` returns the position of a class, or for one class 1 and -1; ``decision``,
    ``probabilities`` and ``prediction`` fill an array.
    """

    n_features: int
    label: str | None = None
    decision: str | None = None
    width: int = 0
    probabilities: str | None = None
    n_probabilities: int = 0
    prediction: str | None = None
    classes: NDArray[Any] | None = None
    n_labels: int = 0


def written(source: Source, node: Node, n_features: int) -> Written:
    """Write the functions of a node of rows with so many features."""
    match node:
        case Prepared():
            return _behind(source, node, n_features)
        case Rescaled():
            return _rescaled(source, node, n_features)
        case Calibrated():
            return _calibrated(source, node, n_features)
        case SideBySide():
            return _read(source, node.output, _values_of_each(source, node, n_features), n_features)
    return _machine(source, node)


def _machine(source: Source, node: Machine) -> Written:
    function = node.function
    values = _function(source, function), function.n_machines
    found = _read(source, node.output, values, function.n_features)
    if node.slope is not None and found.decision is not None:
        is_binary, by_label = (isinstance(node.output, k) for k in (TwoClasses, Labels))
        name = slope_probabilities(
            source, node.slope, found.decision, found.width, is_binary, by_label
        )
        n = 2 if is_binary else found.width
        found = replace(found, probabilities=name, n_probabilities=n)
    if (own := node.calibrated) is not None and found.decision is not None:
        name = calibrated_mean(source, own, [(found.decision, found.width)])
        found = replace(found, probabilities=name, n_probabilities=len(own.classes))
    return found


def _function(source: Source, function: Function) -> str:
    """f_c(x) = sum_j w_jc k(x_j, x) + b_c; of pairs of classes two such sums."""
    bias = source.table("bias", function.bias)
    width = function.n_features
    head = VALUES if function.shift is None else "void @(const number *given, number *out)"
    declared, before = ["int i;"], []
    if function.shift is not None:
        shift = source.table("shift", function.shift)
        declared += [f"number x[{width}];"]
        before += [f"for (i = 0; i < {width}; i++)", f"    x[i] = given[i] - {shift}[i];"]
    n = function.n_machines
    if not len(function.rows):
        lines = ["(void) x;", f"for (i = 0; i < {n}; i++)", f"    out[i] = {bias}[i];"]
        return source.function("values", head, [*declared, *before, *lines])
    if function.weights is None:
        rows = source.table("rows", function.rows)
        body = f"    out[i] = dot(x, {rows}[i], {width}) + {bias}[i];"
        lines = [*declared, *before, f"for (i = 0; i < {n}; i++)", body]
        return source.function("values", head, lines)
    kernel = KernelWriter(source, function.rows)
    value = kernel.value(function.form)
    lines = [*declared, *kernel.declared, *before, *kernel.before]
    return source.function("values", head, _sums(source, function, value, bias, lines))


def _sums(source: Source, function: Function, value: str, bias: str, lines: list[str]) -> list[str]:
    """The loop over the rows; C99 allows declarations behind statements."""
    assert function.weights is not None
    weights = source.table("weights", function.weights)
    columns, n = function.weights.shape[1], function.n_machines
    parts = len(function.cuts) - 1
    lines += [f"number sums[{parts * columns}] = {{ZERO}};", "int j;"]
    if function.pairs is not None:
        cuts = source.table("cuts", np.array(function.cuts[1:]))
        lines += ["int part = 0;"]
    lines += [f"for (j = 0; j < {len(function.rows)}; j++) {{"]
    if function.pairs is not None:
        lines += [f"    while (j >= {cuts}[part])", "        part++;"]
    place = "i" if function.pairs is None else f"part * {columns} + i"
    lines += [
        f"    const number value = {value};",
        f"    for (i = 0; i < {columns}; i++)",
        f"        sums[{place}] += {weights}[j][i] * value;",
        "}",
        f"for (i = 0; i < {n}; i++)",
    ]
    if function.pairs is None:
        return [*lines, f"    out[i] = sums[i] + {bias}[i];"]
    first, second = (source.table("pair", places) for places in function.pairs)
    return [*lines, f"    out[i] = sums[{first}[i]] + sums[{second}[i]] + {bias}[i];"]


def _read(source: Source, output: Output, values: tuple[str, int], n_features: int) -> Written:
    name, n_values = values
    if isinstance(output, Numbers):
        return Written(n_features, prediction=name, width=n_values)
    decision, width = decisions(source, output, name, n_values)
    if isinstance(output, Labels):
        return Written(n_features, decision=decision, width=width, n_labels=width)
    return Written(
        n_features,
        label=chosen(source, output, name, n_values),
        decision=decision,
        width=width,
        classes=getattr(output, "classes", None),
    )


def _values_of_each(source: Source, node: SideBySide, n_features: int) -> tuple[str, int]:
    """The decision values or predictions of the members, side by side."""
    calls = []
    for place, member in enumerate(node.members):
        own = written(source, member, n_features)
        calls.append(f"{own.decision or own.prediction}(x, out + {place});")
    return source.function("values", VALUES, calls), len(calls)


def _calibrated(source: Source, node: Calibrated, n_features: int) -> Written:
    members = [written(source, own.node, n_features) for own in node.members]
    given = [(own.decision or "", own.width) for own in members]
    mean, n = calibrated_mean(source, node, given), len(node.classes)
    lines = [f"number found[{n}];", f"{mean}(x, found);", f"return largest(found, {n});"]
    return Written(
        n_features,
        label=source.function("label", "int @(const number *x)", lines),
        probabilities=mean,
        n_probabilities=n,
        classes=node.classes,
    )


def _behind(source: Source, node: Prepared, n_features: int) -> Written:
    """The functions of a node, of rows that are prepared first."""
    prepare, width = prepared(source, node.steps, n_features)
    inner = written(source, node.node, width)
    changes: dict[str, Any] = {"n_features": n_features}
    first = [f"number y[{width}];", f"{prepare}(x, y);"]
    for role in ("decision", "probabilities", "prediction"):
        name = getattr(inner, role)
        if name is not None:
            changes[role] = source.function(role, VALUES, [*first, f"{name}(y, out);"])
    if inner.label is not None:
        lines = [*first, f"return {inner.label}(y);"]
        changes["label"] = source.function("label", "int @(const number *x)", lines)
    return replace(inner, **changes)


def _rescaled(source: Source, node: Rescaled, n_features: int) -> Written:
    inner = written(source, node.node, n_features)
    back, _ = prepared(source, node.steps, inner.width)
    lines = [f"number y[{inner.width}];", f"{inner.prediction}(x, y);", f"{back}(y, out);"]
    return replace(inner, prediction=source.function("prediction", VALUES, lines))
