"""From a string or a function to a kernel."""

from __future__ import annotations

from collections.abc import Callable
from math import tanh
from numbers import Real
from typing import Any

from sklearn.gaussian_process.kernels import Kernel as ProcessKernel

from mercer._warning import warn
from mercer.kernels.adapters.function import FunctionKernel
from mercer.kernels.adapters.sklearn import SklearnKernel
from mercer.kernels.base import Kernel
from mercer.kernels.combined.scaled import Constant
from mercer.kernels.dot_product import Linear, Polynomial, Sigmoid
from mercer.kernels.gaussian import Gaussian
from mercer.kernels.laplacian import Laplacian
from mercer.kernels.precomputed import Precomputed

__all__ = ["DEFAULTS", "KERNEL_NAMES", "as_kernel", "flat_kernel"]

DEFAULTS = {"gamma": "scale", "degree": 3, "coef0": 0.0}
KERNEL_NAMES = ("linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed")


def as_kernel(
    kernel: str | Kernel | Callable[..., Any],
    *,
    gamma: float | str = "scale",
    degree: int = 3,
    coef0: float = 0.0,
) -> Kernel:
    """Return the kernel meant by a name, a function, or a kernel of scikit-learn.

    Parameters
    ----------
    kernel : str, Kernel, callable or sklearn.gaussian_process.kernels.Kernel
        One of "linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed", or an object.
    gamma : float or str, default="scale"
        For all names but "linear" and "precomputed".
    degree : int, default=3
        For "poly".
    coef0 : float, default=0.0
        For "poly" and "sigmoid".

    Returns
    -------
    kernel : Kernel
        An object that is a Kernel already is returned as it is. Rules such as "scale" become
        numbers by :meth:`Kernel.resolve`.

    Raises
    ------
    ValueError
        If the kernel is an object, which has its own parameters, and one is given beside it.
        Functions get a warning: scikit-learn's machines leave such parameters aside.

    Examples
    --------
    >>> from mercer.kernels import as_kernel
    >>> as_kernel("rbf", gamma=0.5)
    Gaussian(gamma=0.5)
    """
    if not isinstance(kernel, str):
        _check_unused(kernel, {"gamma": gamma, "degree": degree, "coef0": coef0})
    if isinstance(kernel, Kernel):
        return kernel
    match kernel:
        case "linear":
            return Linear()
        case "poly":
            return Polynomial(degree=degree, gamma=gamma, coef0=coef0)
        case "rbf":
            return Gaussian(gamma=gamma)
        case "sigmoid":
            return Sigmoid(gamma=gamma, coef0=coef0)
        case "laplacian":
            return Laplacian(gamma=gamma)
        case "precomputed":
            return Precomputed()
    if isinstance(kernel, ProcessKernel):
        return SklearnKernel(kernel)
    if callable(kernel) and not isinstance(kernel, type):
        return FunctionKernel(kernel)
    raise ValueError(
        f"kernel must be one of {list(KERNEL_NAMES)}, a Kernel object, a function of two sets of "
        f"rows, or a kernel of sklearn.gaussian_process, got {kernel!r}"
    )


def _check_unused(kernel: Any, given: dict[str, Any]) -> None:
    """Refuse parameters of named kernels beside an object, which does not look at them."""
    for name, value in given.items():
        default = DEFAULTS[name]
        if value is default or (isinstance(value, str | Real) and value == default):
            continue
        message = (
            f"{name}={value!r} has no effect on kernel={kernel!r:.80}, which has parameters of its "
            f"own: set them there, and leave {name}={default!r}"
        )
        if not isinstance(kernel, Kernel | ProcessKernel):
            warn(message)
        else:
            raise ValueError(message)


def flat_kernel(name: str, coef0: float, degree: int) -> Kernel:
    """The built-in kernels with gamma = 0 do not look at the rows."""
    value = {"poly": coef0**degree, "sigmoid": tanh(coef0)}.get(name, 1.0)
    if not value > 0:
        raise ValueError(f"gamma must be positive for kernel={name!r} with coef0={coef0!r}, got 0")
    return Constant(float(value))
