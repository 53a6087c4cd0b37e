"""Which kernels of scikit-learn's Gaussian processes are positive semi-definite by construction."""

from __future__ import annotations

from numbers import Real

from sklearn.gaussian_process import kernels as process

__all__ = ["is_definite_process"]

_DEFINITE = (
    process.RBF,
    process.Matern,
    process.RationalQuadratic,
    process.ConstantKernel,
    process.DotProduct,
)
_DEFINITE_METRICS = ("linear", "rbf", "laplacian", "cosine", "chi2")
_INDEFINITE_METRICS = ("sigmoid", "additive_chi2")


def is_definite_process(kernel: process.Kernel) -> bool | None:
    """Whether a kernel is positive semi-definite; None where that is not known.

    Sums, products and whole powers of such kernels are such kernels. A class derived from one
    may compute anything.
    """
    kind = type(kernel)
    if kind in _DEFINITE:
        return True
    if kind in (process.Sum, process.Product):
        parts = [is_definite_process(part) for part in (kernel.k1, kernel.k2)]
        return None if None in parts and False not in parts else all(parts)
    if kind is process.Exponentiation:
        return is_definite_process(kernel.kernel) if _is_whole(kernel.exponent) else None
    if kind is process.PairwiseKernel:
        return _is_definite_metric(kernel)
    return None


def _is_definite_metric(kernel: process.PairwiseKernel) -> bool | None:
    if kernel.metric in ("poly", "polynomial"):
        given = kernel.pairwise_kernels_kwargs or {}
        return bool(given.get("coef0", 1) >= 0) if _is_whole(given.get("degree", 3)) else None
    if kernel.metric in _DEFINITE_METRICS:
        return True
    return False if kernel.metric in _INDEFINITE_METRICS else None


def _is_whole(power: object) -> bool:
    return isinstance(power, Real) and float(power) >= 0 and float(power).is_integer()
