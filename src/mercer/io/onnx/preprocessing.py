"""Preprocessing as a graph, and the inputs it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from mercer.io.exchange.preparation import (
    Arithmetic,
    Branches,
    Clip,
    Fill,
    Map,
    OneHot,
    Step,
)
from mercer.io.onnx.graph import ML, Graph

__all__ = ["Columns", "kind_of", "prepare", "text_columns"]

IntArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Columns:
    """Rows as one array, or as an array of shape (n_rows, 1) for each column."""

    whole: str | None = None
    single: tuple[str, ...] = ()

    def some(self, graph: Graph, places: Sequence[int]) -> Columns:
        """Some of the columns."""
        if self.whole is None:
            return Columns(single=tuple(self.single[k] for k in places))
        return Columns(graph.node("Gather", self.whole, graph.integers(list(places)), axis=1))

    def matrix(self, graph: Graph) -> str:
        """All columns as one array."""
        if self.whole is not None:
            return self.whole
        if len(self.single) == 1:
            return self.single[0]
        return graph.node("Concat", *self.single, axis=1)

    def column(self, graph: Graph, place: int) -> str:
        """One column, of shape (n_rows, 1)."""
        return self.single[place] if self.whole is None else graph.column(self.whole, place)


def text_columns(steps: Sequence[Step], n_columns: int) -> list[bool]:
    """Which columns of the input hold strings."""
    found = [False] * n_columns
    for step in steps:
        if isinstance(step, OneHot):
            return list(step.is_text)
        if isinstance(step, Branches):
            for places, own in step.parts:
                for place, text in zip(places, text_columns(own, len(places)), strict=True):
                    found[place] = found[place] or text
        return found
    return found


def prepare(graph: Graph, columns: Columns, steps: Sequence[Step]) -> Columns:
    """The columns behind all steps."""
    for step in steps:
        columns = _prepared(graph, columns, step)
    return columns


def _prepared(graph: Graph, columns: Columns, step: Step) -> Columns:
    match step:
        case Arithmetic():
            return Columns(_changed(graph, columns.matrix(graph), step))
        case Clip():
            low, high = graph.numbers(step.low), graph.numbers(step.high)
            return Columns(graph.node("Clip", columns.matrix(graph), low, high))
        case Map():
            x = columns.matrix(graph)
            return Columns(graph.node("MatMul", x, graph.numbers(step.matrix)))
        case Fill():
            return _filled(graph, columns.matrix(graph), step)
        case OneHot():
            return _one_hot(graph, columns, step)
        case Branches():
            parts = [
                prepare(graph, columns.some(graph, places.tolist()), own).matrix(graph)
                for places, own in step.parts
            ]
            return Columns(parts[0] if len(parts) == 1 else graph.node("Concat", *parts, axis=1))


def _changed(graph: Graph, x: str, step: Arithmetic) -> str:
    width = len(step.operand)
    if step.operation == "Mul":
        return graph.scaled(x, step.operand, width)
    if step.operation == "Div" and width == 1:
        return graph.scaled(x, 1.0 / step.operand, width)
    return graph.node(step.operation, x, graph.numbers(step.operand[None]))


def _filled(graph: Graph, x: str, step: Fill) -> Columns:
    if np.isnan(step.missing):
        is_missing = graph.node("IsNaN", x)
    else:
        is_missing = graph.node("Equal", x, graph.numbers(step.missing))
    kept = graph.integers(step.kept)
    own = graph.node("Gather", x, kept, axis=1)
    holes = graph.node("Gather", is_missing, kept, axis=1)
    filled = graph.node("Where", holes, graph.numbers(step.values[None]), own)
    if not len(step.told):
        return Columns(filled)
    told = graph.cast(graph.node("Gather", is_missing, graph.integers(step.told), axis=1))
    return Columns(graph.node("Concat", filled, told, axis=1))


def _one_hot(graph: Graph, columns: Columns, step: OneHot) -> Columns:
    parts = []
    for place, (known, drop) in enumerate(zip(step.categories, step.dropped, strict=True)):
        column = columns.column(graph, place)
        kept = np.delete(np.arange(len(known)), [] if drop is None else [drop])
        if step.is_text[place]:
            code = graph.node(
                "LabelEncoder",
                column,
                domain=ML,
                keys_strings=[str(value) for value in known],
                values_int64s=list(range(len(known))),
                default_int64=-1,
            )
            parts.append(graph.cast(graph.node("Equal", code, graph.integers(kept[None]))))
            continue
        values = np.asarray(known[kept], dtype=np.float64)[None]
        found = graph.node("Equal", column, graph.numbers(values))
        if np.isnan(values).any():
            is_gap = graph.constant(np.isnan(values))
            both = graph.node("And", graph.node("IsNaN", column), is_gap)
            found = graph.node("Or", found, both)
        parts.append(graph.cast(found))
    return Columns(parts[0] if len(parts) == 1 else graph.node("Concat", *parts, axis=1))


def kind_of(graph: Graph, text: bool) -> int:
    """The type of an input column."""
    return int(TensorProto.STRING) if text else int(graph.number)
