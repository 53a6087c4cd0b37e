"""The shape of a kernel as the native core knows it: a small tree of values.

A kernel describes itself by such a tree (``Kernel.form()``), and :class:`mercer.Gram`
hands the tree to the core. Leaves are computed from the rows; inner nodes combine the
values of their parts entry by entry. ``Opaque`` leaves are asked for blocks in Python.

Every form tells the built-in kernels of rows it is made of (``leaves``), whether it reads a
stored matrix instead of rows (``reads_stored``), and whether a Python function has to be asked
for values (``reads_python``).

A new kind of leaf is named in ``LeafKind``, in ``COMPUTED_FROM``, and in ``EXPONENTIALS`` if it is
one of them. Wherever each kind has a formula of its own, one without is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "COMPUTED_FROM",
    "EXPONENTIALS",
    "Constant",
    "Form",
    "Leaf",
    "LeafKind",
    "Normalized",
    "Opaque",
    "Product",
    "Scaled",
    "Stored",
    "Sum",
]

LeafKind = Literal["linear", "polynomial", "gaussian", "laplacian", "sigmoid"]
# What a kind is a function of: x'z, |x-z|^2 or |x-z|_1. Of the last two, distances, shifts do not
# change the values.
COMPUTED_FROM: dict[LeafKind, Literal["products", "squares", "absolute differences"]] = {
    "linear": "products",
    "polynomial": "products",
    "gaussian": "squares",
    "laplacian": "absolute differences",
    "sigmoid": "products",
}
# exp(-gamma distance): at most 1, and the product of itself over two parts of the features.
EXPONENTIALS: frozenset[LeafKind] = frozenset({"gaussian", "laplacian"})


class _Single:
    """A form without parts."""

    reads_stored = False
    reads_python = False

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        return ()


class _Combined:
    """A form made of others."""

    parts: tuple[Form, ...]

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(leaf for part in self.parts for leaf in part.leaves)

    @cached_property
    def reads_stored(self) -> bool:
        return any(part.reads_stored for part in self.parts)

    @cached_property
    def reads_python(self) -> bool:
        return any(part.reads_python for part in self.parts)


@dataclass(frozen=True, eq=False)
class Leaf(_Single):
    """A built-in kernel of the rows ``x -> x * transform`` (or ``x @ transform`` if 2-d).

    linear ``x'z``; polynomial ``(gamma x'z + coef0)^degree``; gaussian
    ``exp(-gamma |x-z|^2)``; laplacian ``exp(-gamma |x-z|_1)``; sigmoid
    ``tanh(gamma x'z + coef0)``.
    """

    kind: LeafKind
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3
    transform: NDArray[np.float64] | None = None

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        return (self,)


@dataclass(frozen=True)
class Constant(_Single):
    """The same value everywhere."""

    value: float


@dataclass(frozen=True, eq=False)
class Stored(_Single):
    """A precomputed matrix: the rows *are* kernel values against the training rows."""

    reads_stored = True


@dataclass(frozen=True, eq=False)
class Opaque(_Single):
    """A Python function asked for blocks: ``block(rows, other_rows) -> (n, m) array``.

    ``whole(rows)`` are all values of some rows, to be read only.
    """

    reads_python = True

    block: Callable[[Any, Any], NDArray[Any]]
    diagonal: Callable[[Any], NDArray[Any]] | None = None
    whole: Callable[[Any], NDArray[Any]] | None = None


@dataclass(frozen=True, eq=False)
class Sum(_Combined):
    """Sum of the parts."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, eq=False)
class Product(_Combined):
    """Product of the parts."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, eq=False)
class Scaled(_Combined):
    """A factor times the part."""

    factor: float
    part: Form

    @property
    def parts(self) -> tuple[Form, ...]:  # type: ignore[override]
        return (self.part,)


@dataclass(frozen=True, eq=False)
class Normalized(_Combined):
    """``k(x, z) / sqrt(k(x, x) k(z, z))`` of the part."""

    part: Form

    @property
    def parts(self) -> tuple[Form, ...]:  # type: ignore[override]
        return (self.part,)


Form = Leaf | Constant | Stored | Opaque | Sum | Product | Scaled | Normalized
