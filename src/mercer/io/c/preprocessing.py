"""Preprocessing as C functions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.io.c.source import Source
from mercer.io.exchange.preparation import Arithmetic, Branches, Clip, Fill, Map, OneHot, Step

__all__ = ["prepared"]

OPERATORS = {"Sub": "-", "Add": "+", "Mul": "*", "Div": "/"}


def prepared(source: Source, steps: Sequence[Step], width: int) -> tuple[str, int]:
    """The name of a function from a row to the row behind the steps, and the new width."""
    lines, declared, x = [], [], "x"
    for step in steps:
        body, new_width = _step(source, step, x, width)
        name = source.fresh("y")
        declared.append(f"number {name}[{new_width}];")
        lines += [line.replace("OUT", name) for line in body]
        x, width = name, new_width
    loop = [f"for (i = 0; i < {width}; i++)", f"    out[i] = {x}[i];"]
    head = "void @(const number *x, number *out)"
    return source.function("prepare", head, [*declared, "int i;", *lines, *loop]), width


def _step(source: Source, step: Step, x: str, width: int) -> tuple[list[str], int]:
    """Lines that set OUT, and its width."""
    match step:
        case Arithmetic():
            table = source.table("operand", step.operand)
            body = f"OUT[i] = {x}[i] {OPERATORS[step.operation]} {table}[i];"
            return _loop(width, body), width
        case Clip():
            low, high = source.number(step.low), source.number(step.high)
            value = f"{x}[i] < {low} ? {low} : {x}[i] > {high} ? {high} : {x}[i]"
            return _loop(width, f"OUT[i] = {value};"), width
        case Map():
            table = source.table("map", step.matrix.T)
            n = step.matrix.shape[1]
            return _loop(n, f"OUT[i] = dot({x}, {table}[i], {width});"), n
        case Fill():
            return _fill(source, step, x)
        case OneHot():
            return _one_hot(source, step, x)
        case Branches():
            return _branches(source, step, x)


def _loop(n: int, body: str) -> list[str]:
    return [f"for (i = 0; i < {n}; i++)", f"    {body}"]


def _is_missing(source: Source, missing: float, cell: str) -> str:
    return f"{cell} != {cell}" if np.isnan(missing) else f"{cell} == {source.number(missing)}"


def _fill(source: Source, step: Fill, x: str) -> tuple[list[str], int]:
    kept, values = source.table("kept", step.kept), source.table("filled", step.values)
    cell = f"{x}[{kept}[i]]"
    is_missing = _is_missing(source, step.missing, cell)
    lines = _loop(len(step.kept), f"OUT[i] = {is_missing} ? {values}[i] : {cell};")
    if len(step.told):
        told = source.table("told", step.told)
        hole = _is_missing(source, step.missing, f"{x}[{told}[i]]")
        lines += _loop(len(step.told), f"OUT[{len(step.kept)} + i] = {hole} ? ONE : ZERO;")
    return lines, len(step.kept) + len(step.told)


def _one_hot(source: Source, step: OneHot, x: str) -> tuple[list[str], int]:
    """Numbers are compared with the categories; strings come as positions among them."""
    lines: list[str] = []
    width = 0
    for place, (known, drop) in enumerate(zip(step.categories, step.dropped, strict=True)):
        kept = [k for k in range(len(known)) if k != drop]
        codes = np.arange(float(len(known))) if step.is_text[place] else known.astype(np.float64)
        for k in kept:
            same = _is_missing(source, codes[k], f"{x}[{place}]")
            lines.append(f"OUT[{width}] = {same} ? ONE : ZERO;")
            width += 1
    return lines, width


def _branches(source: Source, step: Branches, x: str) -> tuple[list[str], int]:
    """Columns are gathered into the function of each branch."""
    lines: list[str] = []
    width = 0
    for places, own in step.parts:
        name, n = prepared(source, own, len(places))
        columns = source.table("columns", places)
        part = f"number part[{len(places)}];"
        gather = _loop(len(places), f"part[i] = {x}[{columns}[i]];")
        lines += ["{", *(f"    {line}" for line in [part, *gather])]
        lines += [f"    {name}(part, OUT + {width});", "}"]
        width += n
    return lines, width
