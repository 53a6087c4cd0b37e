"""Kernel values as C expressions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.io.c.source import Source
from mercer.io.exchange.distances import inverse_lengths, transformed
from mercer.kernels import form as shapes

__all__ = ["KernelWriter"]

FloatArray = NDArray[np.float64]


class KernelWriter:
    """Writes the kernel of a row x with row j of a table.

    Parameters
    ----------
    source : Source
        Gets the tables.
    rows : ndarray of shape (n_rows, n_features)
        The fixed rows.

    Attributes
    ----------
    before : list of str
        Lines that come before the loop over j: declarations first.
    """

    def __init__(self, source: Source, rows: FloatArray) -> None:
        self.source, self.rows = source, rows
        self.declared: list[str] = []
        self.before: list[str] = []
        self._images: dict[int, tuple[str, str, int]] = {}

    def value(self, form: shapes.Form) -> str:
        """The expression of the kernel value."""
        match form:
            case shapes.Leaf():
                return self._leaf(form)
            case shapes.Constant():
                return self.source.number(form.value)
            case shapes.Scaled():
                return f"{self.source.number(form.factor)} * {self.value(form.part)}"
            case shapes.Sum():
                return "(" + " + ".join(self.value(part) for part in form.parts) + ")"
            case shapes.Product():
                return " * ".join(self.value(part) for part in form.parts)
            case shapes.Normalized():
                return self._normalized(form.part)
        raise TypeError(f"no C for {form!r}")

    def _leaf(self, leaf: shapes.Leaf) -> str:
        x, table, width = self._image(leaf)
        pair = f"({x}, {table}[j], {width})"
        if leaf.kind in shapes.EXPONENTIALS:
            are_squares = shapes.COMPUTED_FROM[leaf.kind] == "squares"
            name = "squared_distance" if are_squares else "absolute_distance"
            return f"EXP({self.source.number(-leaf.gamma)} * {name}{pair})"
        return self._outer(leaf, f"dot{pair}")

    def _outer(self, leaf: shapes.Leaf, product: str) -> str:
        """The function of an inner product that the kernel is."""
        if leaf.kind == "linear":
            return product
        gamma, coef0 = self.source.number(leaf.gamma), self.source.number(leaf.coef0)
        inner = f"{gamma} * {product} + {coef0}"
        match leaf.kind:
            case "polynomial":
                return f"power({inner}, {leaf.degree})"
            case "sigmoid":
                return f"TANH({inner})"
        raise TypeError(f"no C for kernels of kind {leaf.kind!r}")

    def _image(self, leaf: shapes.Leaf) -> tuple[str, str, int]:
        """Names of x and of the rows as the leaf reads them, and their width."""
        key = id(leaf.transform) if leaf.transform is not None else 0
        if key not in self._images:
            near = transformed(leaf, self.rows)
            x = "x" if leaf.transform is None else self._transform(leaf.transform)
            self._images[key] = (x, self.source.table("rows", near), near.shape[1])
        return self._images[key]

    def _transform(self, transform: FloatArray) -> str:
        table, width = self.source.table("transform", transform.T), transform.shape[-1]
        name = self.source.fresh("image")
        self.declared += [f"number {name}[{width}];"]
        if transform.ndim == 1:
            line = f"{name}[i] = x[i] * {table}[i];"
        else:
            line = f"{name}[i] = dot(x, {table}[i], {len(transform)});"
        self.before += [f"for (i = 0; i < {width}; i++)", f"    {line}"]
        return name

    def _normalized(self, part: shapes.Form) -> str:
        table = self.source.table("inverse_lengths", inverse_lengths(part, self.rows))
        value = self.value(part)
        name = self.source.fresh("inverse")
        self.declared += [f"number {name};"]
        self.before += [f"{name} = inverse_length({self._diagonal(part)});"]
        return f"normalized({value}, {name}, {table}[j])"

    def _diagonal(self, form: shapes.Form) -> str:
        """The expression of k(x, x)."""
        match form:
            case shapes.Leaf() if form.kind not in shapes.EXPONENTIALS:
                x, _, width = self._image(form)
                return self._outer(form, f"dot({x}, {x}, {width})")
            case shapes.Constant():
                return self.source.number(form.value)
            case shapes.Scaled():
                return f"{self.source.number(form.factor)} * {self._diagonal(form.part)}"
            case shapes.Sum():
                return "(" + " + ".join(self._diagonal(part) for part in form.parts) + ")"
            case shapes.Product():
                return " * ".join(self._diagonal(part) for part in form.parts)
        return "ONE"
