"""Kernels of machines that tune themselves: short names, and several to choose from."""

from __future__ import annotations

from typing import Any

from mercer._sklearn import StrOptions
from mercer.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial
from mercer.kernels.convert import as_kernel

__all__ = ["kernels_of", "named_kernel", "with_short_names"]


def _usual() -> list[Kernel]:
    """What "auto" tries: the first one is searched in full, and preferred among equals."""
    # (gamma x'z + 1)^d has every product of up to d features; C stands for the size of coef0
    square, cube = (
        Polynomial(degree=degree, gamma="scale", coef0=1.0, coef0_bounds="fixed")
        for degree in (2, 3)
    )
    return [Gaussian("scale"), Laplacian("scale"), Linear(), square, cube]


def named_kernel(kernel: Any) -> Any:
    """The kernel that a machine is given for a name of a tuned one; the first of a list."""
    if isinstance(kernel, str) and kernel == "ard":
        return Gaussian("scale", metric="diagonal")
    several = kernels_of(kernel)
    return several[0] if several else kernel


def kernels_of(kernel: Any) -> list[Kernel]:
    """The kernels to choose from; empty if only one was given."""
    if isinstance(kernel, str) and kernel == "auto":
        return _usual()
    if not isinstance(kernel, list | tuple):
        return []
    if not len(kernel):
        raise ValueError("kernel must name at least one kernel, got an empty list")
    several: list[Kernel] = []
    for own in kernel:
        several += kernels_of(own) or [as_kernel(named_kernel(own))]
    kinds = {own.row_kind for own in several} - {"any"}
    if len(kinds) > 1 or "stored" in kinds:
        raise ValueError(
            "the kernels to choose from must compare the same rows, and no kernel matrix, got "
            f"{list(kernel)!r:.200}"
        )
    return several


def with_short_names(constraints: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The constraints of parameters, with kernels of :func:`named_kernel`."""
    return {
        **constraints,
        "kernel": [*constraints["kernel"], StrOptions({"ard", "auto"}), list, tuple],
    }
