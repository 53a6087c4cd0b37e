"""Nu-SVC machines for every nu, as an object."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.paths.inputs.numbers import plain, real
from mercer.paths.results.path import Path
from mercer.problem import Certificate

__all__ = ["NuSVCPath"]

FloatArray = NDArray[np.float64]
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class NuSVCPath:
    """Nu-SVC machines for all nu from ``nu_end`` to ``nu_max``, made by :func:`nu_svc_path`.

    Attributes
    ----------
    path : Path
        The same machines over C.
    nu : ndarray of shape (n_breakpoints,)
        Nu at the breakpoints of ``path``, falling.
    nu_max : float
        Twice the share of the lighter class: no nu above it has a solution.
    nu_end : float
        How far the path is known; 0 if the classes can be separated and it is complete.
    status : str
        As that of ``path``.
    """

    path: Path
    nu: FloatArray
    nu_end: float

    def __repr__(self) -> str:
        return (
            f"<NuSVCPath of {self.path.n_rows} rows: {len(self.path.segments.changed)} events "
            f"from nu={self.nu_max:.4g} to {self.nu_end:.4g}, {self.status}>"
        )

    @property
    def nu_max(self) -> float:
        """The largest nu that has a solution."""
        return float(self.nu[0])

    @property
    def status(self) -> str:
        """How the path ended."""
        return self.path.status

    def C(self, nu: float) -> float:
        """C of the SVC that is the same machine.

        Where there are several its margin 1/C is in the middle, as in :class:`NuSVC`.
        """
        low, high = self.C_interval(nu)
        return 2.0 / (1.0 / low + 1.0 / high)

    def C_interval(self, nu: float) -> tuple[float, float]:
        """Every C whose machine has this nu: an interval where a class has no free row.

        That of ``nu_max`` begins at ``path.C_start``, below which the coefficients stay in
        proportion to C.
        """
        self.path.solutions.check_known()
        value = real("nu", nu)
        if self.status == "trivial":
            raise ValueError("no nu has a machine: one constant is the best for every C")
        low, high = self.nu_end * (1 - _ROUNDING), self.nu_max * (1 + _ROUNDING)
        if not low <= value <= high or value <= 0:
            raise ValueError(
                f"nu must be positive and lie in [{self.nu_end:.6g}, {self.nu_max:.6g}], where "
                f"the path is known, got {plain(nu)}"
            )
        segments = self.path.segments
        t = np.repeat(np.append(segments.parameter, segments.end_parameter), 2)[1:-1]
        at = self._knots
        # where nu has just come down to the value, and where it is about to leave it
        slack = 1e-12 * self.nu_max
        first = np.interp(-value - slack, -at, t)
        last = np.interp(-value + slack, -at, t)
        with np.errstate(divide="ignore"):
            low, high = 1.0 / np.maximum([first, last], 0.0)
        return float(min(low, high)), float(max(low, high))

    @cached_property
    def _knots(self) -> FloatArray:
        """Nu at the beginning and at the end of each segment, one after the other."""
        segments = self.path.segments
        total = float(np.abs(segments.upper - segments.lower).sum())
        # rounding must not make it rise
        knots = np.minimum.accumulate(segments.absolute_sums().ravel() / total)
        knots[-1] = self.nu_end
        return np.asarray(knots)

    def coef(self, nu: float) -> FloatArray:
        """Coefficient of each row at ``nu``, scaled to margin 1 as in :class:`NuSVC`."""
        return self.path.coef(self.C(nu))

    def intercept(self, nu: float) -> float:
        """The bias at ``nu``, scaled likewise."""
        return self.path.intercept(self.C(nu))

    def certificate(self, nu: float) -> Certificate:
        """How good the machine at ``nu`` is, as the SVC that it is."""
        return self.path.certificate(self.C(nu))

    def decision_function(self, X: Any, nu: float) -> FloatArray:
        """Values of the machine at ``nu``; positive means ``path.classes[1]``."""
        return self.path.decision_function(X, self.C(nu))

    def predict(self, X: Any, nu: float) -> NDArray[Any]:
        """Class of each row at ``nu``."""
        return self.path.predict(X, self.C(nu))
