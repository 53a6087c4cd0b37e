"""What the values of a fitted classifier mean: one value, pairs of classes, or classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer._shown import shown
from mercer.codes import OutputCode
from mercer.codes.decoding import decoding_named

__all__ = ["Layout", "layout_of"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Layout:
    """How many classes there are, and what the values of their machines are about.

    Attributes
    ----------
    n_classes : int
        Their number.
    kind : {"two", "pairs", "classes", "code"}
        One value, positive for the second class; a value for each pair, positive for its first
        class; a value for each class; a value for each column of ``code``.
    code : OutputCode or None
        The code.
    decoding : str or None
        How it is decoded.

    Examples
    --------
    >>> from mercer.calibration.layout import Layout
    >>> Layout(3, "pairs")  # of one-vs-one
    Layout(n_classes=3, kind='pairs')
    """

    n_classes: int
    kind: Literal["two", "pairs", "classes", "code"]
    code: OutputCode | None = None
    decoding: str | None = None

    __repr__ = shown()

    def class_values(self, values: FloatArray) -> FloatArray:
        """One value a class, whose argmax the machine predicts."""
        if self.kind == "pairs":
            return _core.pair_scores(np.ascontiguousarray(values), self.n_classes)
        if self.kind == "code":
            assert self.code is not None
            assert self.decoding is not None
            return decoding_named(self.decoding).scores(self.code, values)
        return np.column_stack([-values, values]) if self.kind == "two" else values

    def chosen(self, values: FloatArray) -> NDArray[np.intp]:
        """Position of the class that the machine predicts."""
        if self.kind == "two":
            return (values > 0).astype(np.intp)
        if self.kind == "pairs":
            return _core.pair_winners(np.ascontiguousarray(values), self.n_classes)
        return self.class_values(values).argmax(axis=1)


def layout_of(machine: Any) -> Layout:
    """The layout of ``machine_decisions``, or of ``decision_function`` where there are none."""
    n_classes = len(machine.classes_)
    scheme = getattr(machine, "multiclass_", None)
    if n_classes == 2:
        return Layout(2, "two")
    if scheme == "one-vs-one" and hasattr(machine, "machine_decisions"):
        return Layout(n_classes, "pairs")
    code = getattr(machine, "code_", None)
    if code is not None and scheme != "one-vs-all":
        default = "hinge" if not hasattr(machine, "alpha_") else "squared_error"
        given = getattr(machine, "_decoding", None) or machine.decoding
        return Layout(n_classes, "code", code, default if given == "auto" else str(given))
    return Layout(n_classes, "classes")
