"""Nu-SVR machines for every nu, as an object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import count_rows
from mercer.paths.inputs.kernel_values import KernelValues, OnRows
from mercer.paths.inputs.numbers import plain, real
from mercer.paths.results.certified import certify_machine
from mercer.paths.results.segments import Segments
from mercer.paths.results.tube_knots import TubeKnots
from mercer.problem import Certificate, Problem

__all__ = ["NuSVRPath"]

FloatArray = NDArray[np.float64]
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class NuSVRPath(OnRows):
    """Nu-SVR machines for all nu from 0 to ``nu_end``, made by :func:`nu_svr_path`.

    Attributes
    ----------
    C : float
        Price of the loss, the same for all of them.
    epsilon : ndarray of shape (n_breakpoints,)
        Half-width of the tube at the breakpoints, falling: between them the coefficients are
        affine in epsilon.
    nu : ndarray of shape (n_breakpoints,)
        Nu at the breakpoints, rising.
    nu_end : float
        How far the path is known: 1 if epsilon came down to 0. From the nu where it did the
        machine stays the same.
    status : str
        "complete", "epsilon_min", "trivial" (all targets are equal), or why it ended early:
        "max-events", "max-time", "callback", "precision-limit".
    problem : Problem
        That of epsilon = 0, two variables for each row.
    middle : float
        The middle of the targets, which ``segments.bias`` is relative to.
    violation : float
        Largest KKT violation met when solutions were recomputed on the way, relative to the
        largest target.
    kernel, rows, low_rank
        What it is made of, as in :class:`Path`.
    """

    segments: Segments
    problem: Problem
    C: float
    middle: float
    status: str
    violation: float
    kernel_values: KernelValues | None = None

    def __repr__(self) -> str:
        return (
            f"<NuSVRPath of {self.problem.n_variables // 2} rows: {len(self.segments.changed)} "
            f"events from epsilon={self.epsilon[0]:.4g} to {self.segments.end_parameter:.4g}, "
            f"{self.status}>"
        )

    @property
    def epsilon(self) -> FloatArray:
        """Half-width of the tube at the breakpoints."""
        return self.segments.parameter

    @cached_property
    def _knots(self) -> TubeKnots:
        return TubeKnots.of(self.segments, self._largest_sum)

    @property
    def _largest_sum(self) -> float:
        return 0.5 * float((self.problem.upper - self.problem.lower).sum())

    @property
    def nu(self) -> FloatArray:
        """Nu at the breakpoints."""
        return np.minimum(self._knots.nu[::2], 1.0) if self._is_known else np.zeros(1)

    @property
    def nu_end(self) -> float:
        """The largest nu the path is known for."""
        if not self._is_known:
            return 0.0
        reached = min(float(self._knots.nu[-1]), 1.0)
        return 1.0 if self.segments.end_parameter == 0.0 else reached

    @property
    def _is_known(self) -> bool:
        return self.segments.end_parameter < np.inf

    def _check(self, nu: float) -> float:
        if not self._is_known:
            raise ValueError(f"no nu is known: the path ended before it began ({self.status})")
        value = real("nu", nu)
        if not 0 < value <= self.nu_end * (1 + _ROUNDING):
            raise ValueError(
                f"nu must be positive and at most {self.nu_end:.6g}, as far as the path is known, "
                f"got {plain(nu)}"
            )
        return min(value, self.nu_end)

    def epsilon_interval(self, nu: float) -> tuple[float, float]:
        """Half-width of every tube that is optimal at ``nu``: often one, else an interval."""
        low, high, _, _ = self._knots.at(self._check(nu))
        return low, high

    def epsilon_at(self, nu: float) -> float:
        """Half-width of the tube at ``nu``; the middle where there are several."""
        low, high = self.epsilon_interval(nu)
        return 0.5 * (low + high)

    def coef(self, nu: float) -> FloatArray:
        """Coefficient of each row at ``nu``, in O(n)."""
        n_rows = self.problem.n_variables // 2 if self.rows is None else count_rows(self.rows)
        return self.problem.row_coef(self._variables(nu), n_rows)

    def _variables(self, nu: float) -> FloatArray:
        """The variables of the problem at ``nu``."""
        return self._knots.coef(self._check(nu))

    def intercept(self, nu: float) -> float:
        """The bias at ``nu``."""
        # with the same coefficients the tubes that are optimal are a convex set
        _, _, low, high = self._knots.at(self._check(nu))
        return self.middle + 0.5 * (low + high)

    def certificate(self, nu: float) -> Certificate:
        """How good the machine at ``nu`` is, as a nu-SVR, computed afresh.

        Where nu is larger than that of epsilon = 0 both variables of a row may grow together,
        which changes nothing but the sums.
        """
        value, n = self._check(nu), self.problem.n_variables // 2
        coef = self._variables(nu)
        total = value * self._largest_sum
        room = np.minimum(self.problem.upper[:n] - coef[:n], coef[n:] - self.problem.lower[n:])
        missing = 0.5 * (total - float(np.abs(coef).sum()))
        if missing > _ROUNDING * total and room.sum() > 0:
            both = room * min(missing / float(room.sum()), 1.0)
            coef = coef + np.concatenate([both, -both])
        at = replace(
            self.problem,
            group=np.repeat(np.arange(2, dtype=np.int8), n),
            group_sum=np.array([0.5 * total, -0.5 * total]),
        )
        bias, epsilon = self.intercept(nu), self.epsilon_at(nu)
        return certify_machine(at, self.gram, coef, np.array([bias + epsilon, bias - epsilon]))

    def predict(self, X: Any, nu: float) -> FloatArray:
        """Values of the machine at ``nu``.

        Parameters
        ----------
        X : rows
            For a precomputed kernel: values against all training rows.
        nu : float
            Positive, at most ``nu_end``.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        coef, intercept = self.coef(nu), self.intercept(nu)
        values = self._known_values()
        return np.asarray(values.expand(values.read(X), coef[:, None])[:, 0] + intercept)

    def plot(self, *, axes: Any = None) -> Any:
        """Coefficients, the half-width of the tube and the number of free rows against nu.

        Parameters
        ----------
        axes : sequence of matplotlib axes, default=None
            Where to draw, three; a new figure if None.

        Returns
        -------
        ndarray of matplotlib axes
        """
        from mercer.paths.results.plot_results import plot_nu_svr_path

        return plot_nu_svr_path(self, axes)
