"""One parameter of a kernel and its unconstrained coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np

from mercer._shown import shown
from mercer.kernels.rows import FloatArray

__all__ = [
    "POSITIVE_BOUNDS",
    "Bounds",
    "Hyperparameter",
    "LogParameter",
    "Parameter",
    "check_bounds",
    "check_finite",
    "check_positive",
]

Bounds = tuple[float, float] | Literal["fixed"]

# Wide enough for unscaled data: pixels of 0 to 255 want a gamma below 1e-6.
POSITIVE_BOUNDS = (1e-10, 1e10)


class Hyperparameter(NamedTuple):
    """A parameter as an optimizer sees it.

    `bounds` has shape (n_elements, 2) in the coordinates of ``theta``. Fixed ones are
    listed, but not part of ``theta``.

    Examples
    --------
    >>> from mercer.kernels import Gaussian
    >>> gamma, = Gaussian(gamma=0.5).hyperparameters
    >>> gamma.name, gamma.n_elements, gamma.fixed
    ('gamma', 1, False)
    """

    name: str
    n_elements: int
    bounds: FloatArray
    fixed: bool

    def __repr__(self) -> str:
        return shown("name n_elements bounds fixed")(self)


@dataclass(frozen=True)
class Parameter:
    """A number that is its own coordinate."""

    name: str
    value: float | FloatArray
    value_bounds: Bounds

    @property
    def fixed(self) -> bool:
        """Whether the parameter stays out of ``theta``."""
        return isinstance(self.value_bounds, str)

    @property
    def coordinates(self) -> FloatArray:
        """The unconstrained coordinates of the value."""
        return np.atleast_1d(np.asarray(self.value, dtype=np.float64))

    @property
    def bounds(self) -> FloatArray:
        """Lowest and highest coordinate of every element."""
        pair = (-np.inf, np.inf) if self.fixed else self.value_bounds
        return np.tile(np.asarray(pair, dtype=np.float64), (self.coordinates.size, 1))

    @property
    def element_names(self) -> list[str]:
        """One name per coordinate."""
        size = self.coordinates.size
        return [self.name] if size == 1 else [f"{self.name}[{k}]" for k in range(size)]

    @property
    def hyperparameter(self) -> Hyperparameter:
        """The description an optimizer gets."""
        return Hyperparameter(self.name, self.coordinates.size, self.bounds, self.fixed)

    def moved(self, coordinates: FloatArray) -> float | FloatArray:
        """Return the value at other coordinates."""
        return coordinates.copy() if np.ndim(self.value) else float(coordinates[0])

    def pulled_back(self, coordinates: FloatArray, gradient: FloatArray) -> FloatArray:
        """A gradient taken at other coordinates by those of the value there, by these."""
        return gradient


@dataclass(frozen=True)
class LogParameter(Parameter):
    """A positive number, or array of them, whose coordinates are logarithms."""

    @property
    def coordinates(self) -> FloatArray:
        """The logarithms of the value."""
        return np.log(super().coordinates)

    @property
    def bounds(self) -> FloatArray:
        """Logarithms of the bounds of the value."""
        bounds = super().bounds
        return bounds if self.fixed else np.log(bounds)

    def moved(self, coordinates: FloatArray) -> float | FloatArray:
        """Return the value at other logarithms; the kernel refuses it where exp overflows."""
        with np.errstate(over="ignore"):
            return super().moved(np.exp(coordinates))


def check_positive(name: str, value: Any) -> float:
    """Return `value` as a float if it is a positive finite number."""
    number = check_finite(name, value)
    if number <= 0:
        raise ValueError(f"{name} must be a positive number, got {value!r}")
    return number


def check_finite(name: str, value: Any) -> float:
    """Return `value` as a float if it is a finite number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, got {value!r}")
    if not np.isfinite(float(value)):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return float(value)


def check_bounds(name: str, bounds: Any, *, positive: bool = True) -> None:
    """Refuse anything but ``"fixed"`` or an increasing pair of (positive) numbers."""
    if bounds is POSITIVE_BOUNDS:
        return
    if isinstance(bounds, str):
        valid = bounds == "fixed"
    else:
        pair = np.asarray(bounds, dtype=np.float64)
        valid = pair.shape == (2,) and bool(pair[0] <= pair[1]) and (not positive or pair[0] > 0)
    if not valid:
        what = "positive numbers" if positive else "numbers"
        raise ValueError(f'{name} must be "fixed" or a pair of increasing {what}, got {bounds!r}')
