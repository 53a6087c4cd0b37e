"""The shape of a kernel as the native core knows it: a small tree of values.

A kernel describes itself by such a tree (``Kernel.form()``), and :class:`mercer.Gram`
hands the tree to the core. Leaves are computed from the rows; inner nodes combine the
values of their parts entry by entry. ``Opaque`` leaves are asked for blocks in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Constant", "Form", "Leaf", "Normalized", "Opaque", "Product", "Scaled", "Stored", "Sum"]


@dataclass(frozen=True, eq=False)
class Leaf:
    """A built-in kernel of the rows ``x -> x * transform`` (or ``x @ transform`` if 2-d).

    linear ``x'z``; polynomial ``(gamma x'z + coef0)^degree``; gaussian
    ``exp(-gamma |x-z|^2)``; laplacian ``exp(-gamma |x-z|_1)``; sigmoid
    ``tanh(gamma x'z + coef0)``.
    """

    kind: Literal["linear", "polynomial", "gaussian", "laplacian", "sigmoid"]
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3
    transform: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Constant:
    """The same value everywhere."""

    value: float


@dataclass(frozen=True, eq=False)
class Stored:
    """A precomputed matrix: the rows *are* kernel values against the training rows."""


@dataclass(frozen=True, eq=False)
class Opaque:
    """A Python function asked for blocks: ``block(rows, other_rows) -> (n, m) array``."""

    block: Callable[[Any, Any], NDArray[Any]]
    diagonal: Callable[[Any], NDArray[Any]] | None = None


@dataclass(frozen=True, eq=False)
class Sum:
    """Sum of the parts."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, eq=False)
class Product:
    """Product of the parts."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, eq=False)
class Scaled:
    """A factor times the part."""

    factor: float
    part: Form


@dataclass(frozen=True, eq=False)
class Normalized:
    """``k(x, z) / sqrt(k(x, x) k(z, z))`` of the part."""

    part: Form


Form = Leaf | Constant | Stored | Opaque | Sum | Product | Scaled | Normalized
