"""How large the values of a kernel are while one of its parameters moves, also off the real axis.

In the logarithm u of the parameter, for |Im u| <= pi/2 and all rows x and z,

    |k(x, z; u)| <= M(Re u),    M(u + t) <= exp(growth t) M(u)  for t >= 0.

M is the largest k(x, x): a Gaussian or Laplacian exp(-d e^u) is never above 1, for the real part
of d e^u is not negative; the others are polynomials in e^u without negative coefficients in
x'x, whose degree is the growth. Sums and products have the sums and products of these bounds.
"""

from __future__ import annotations

from typing import Any

from mercer.kernels import Constant, Gaussian, Kernel, Laplacian, Oligo, Polynomial
from mercer.kernels.combined.composite import Product, Sum
from mercer.kernels.combined.scaled import Scaled

__all__ = ["growth", "largest_value", "movable"]


def movable(kernel: Kernel) -> list[str]:
    """The parameters of a kernel that have a bound."""
    return [name for name in kernel.parameter_names if growth(kernel, name) is not None]


def growth(kernel: Kernel, parameter: str) -> int | None:
    """Largest power of the parameter in the values of the kernel; None if that is not known."""
    part, rest = _moving_part(kernel, parameter)
    if part is not None:
        return growth(part, rest)
    name = parameter.partition("[")[0]
    if isinstance(kernel, Gaussian):
        return 0 if kernel._metric != "full" else None
    if isinstance(kernel, Laplacian):
        return 0
    if isinstance(kernel, Polynomial):
        return int(kernel.degree) if kernel.coef0 >= 0 else None
    is_factor = isinstance(kernel, Scaled | Constant) or (
        isinstance(kernel, Oligo) and name == "weights"
    )
    return 1 if is_factor else None


def largest_value(kernel: Kernel, parameter: str, rows: Any) -> float:
    """Bound of the values with the parameter as it is, or turned in the complex plane."""
    part, rest = _moving_part(kernel, parameter)
    if part is None:
        return float(kernel.diag(rows).max())
    own = largest_value(part, rest, rows)
    if isinstance(kernel, Scaled):
        return own * kernel.factor
    assert isinstance(kernel, Sum | Product)
    other = kernel.right if part is kernel.left else kernel.left
    still = float(other.diag(rows).max())
    return own + still if isinstance(kernel, Sum) else own * still


def _moving_part(kernel: Kernel, parameter: str) -> tuple[Kernel | None, str]:
    """The part that the parameter belongs to, and its name there; None if there are no parts."""
    name, separator, rest = parameter.partition("__")
    if not separator or not isinstance(kernel, Sum | Product | Scaled):
        return None, parameter
    return kernel.get_params(deep=False)[name], rest
