"""One-class machines for every nu, as an object."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import Kernel
from mercer.paths.inputs.kernel_values import KernelValues, OnRows
from mercer.paths.inputs.numbers import plain, real
from mercer.paths.results.certified import certify_machine
from mercer.paths.results.segments import Segments
from mercer.problem import Certificate, Problem

__all__ = ["NuPath"]

FloatArray = NDArray[np.float64]
_ON_BOUNDARY = 1e-9  # times the level: what rounding makes of 0


@dataclass(frozen=True, eq=False)
class NuPath(OnRows):
    """One-class machines for all nu from ``nu_end`` to 1, made by :func:`one_class_path`.

    Attributes
    ----------
    nu : ndarray of shape (n_breakpoints,)
        The breakpoints, falling; between them the coefficients are affine in nu.
    nu_end : float
        How far the path is known; infinite if it ended before the first solution was found.
    status : str
        "nu_min", or why it ended early: "max-events", "max-time", "callback",
        "precision-limit".
    violation : float
        Largest KKT violation met when solutions were recomputed on the way, relative to the
        largest kernel value.
    kernel, rows, low_rank
        What it is made of, as in :class:`Path`.
    """

    segments: Segments
    problem: Problem
    status: str
    violation: float
    kernel_values: KernelValues | None = None

    def __repr__(self) -> str:
        return (
            f"<NuPath of {self.problem.n_variables} rows: {len(self.segments.changed)} events "
            f"from nu=1 to {self.nu_end:.4g}, {self.status}>"
        )

    @property
    def _total(self) -> float:
        return float(self.problem.upper.sum())

    @property
    def nu(self) -> FloatArray:
        """The breakpoints."""
        return np.asarray(self.segments.parameter / self._total)

    @property
    def nu_end(self) -> float:
        """The smallest nu the path is known for."""
        return self.segments.end_parameter / self._total

    def _locate(self, nu: float) -> tuple[int, float]:
        if self.nu_end == np.inf:
            raise ValueError(f"no nu is known: the path ended before it began ({self.status})")
        value = real("nu", nu)
        if not self.nu_end * (1 - 1e-12) <= value <= 1.0:
            raise ValueError(f"nu must lie in [{self.nu_end:.6g}, 1], got {plain(nu)}")
        parameter = float(np.clip(value * self._total, self.segments.end_parameter, self._total))
        return self.segments.locate(parameter), parameter

    def coef(self, nu: float) -> FloatArray:
        """Coefficient of each row at ``nu``, in O(n)."""
        return self.segments.coef(*self._locate(nu))

    def intercept(self, nu: float) -> float:
        """Minus the level at ``nu``; negative values of the machine are outliers."""
        k, t = self._locate(nu)
        s = self.segments
        return float(s.bias[k] + (t - s.parameter[k]) * s.bias_rate[k])

    def certificate(self, nu: float) -> Certificate:
        """How good the machine at ``nu`` is, computed afresh."""
        at = replace(self.problem, group_sum=np.array([self._locate(nu)[1]]))
        return certify_machine(at, self.gram, self.coef(nu), self.intercept(nu))

    def decision_function(self, X: Any, nu: float) -> FloatArray:
        """Values of the machine at ``nu``; negative means outlier.

        Parameters
        ----------
        X : rows
            For a precomputed kernel: values against all training rows.
        nu : float
            In ``[nu_end, 1]``.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        coef, intercept = self.coef(nu), self.intercept(nu)
        values = self._known_values()
        X = values.read(X)
        return np.asarray(values.expand(X, coef[:, None])[:, 0] + intercept)

    def predict(self, X: Any, nu: float) -> NDArray[np.intp]:
        """1 for each row that belongs to the others at ``nu``, -1 for an outlier."""
        slack = _ON_BOUNDARY * abs(self.intercept(nu))
        return np.where(self.decision_function(X, nu) < -slack, -1, 1)

    def plot(self, *, axes: Any = None) -> Any:
        """Coefficients and the number of free rows against nu.

        Parameters
        ----------
        axes : matplotlib axes or sequence of them, default=None
            Where to draw; a new figure if None.

        Returns
        -------
        ndarray of matplotlib axes
        """
        from mercer.paths.results.plot_results import plot_nu_path

        return plot_nu_path(self, axes)

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the path to a ``.npz`` file, without the rows and the kernel."""
        from mercer.paths.results.storage import save_path

        save_path(self, file)

    @staticmethod
    def load(
        file: str | os.PathLike[str], *, kernel: Kernel | None = None, X: Any = None
    ) -> NuPath:
        """Read a path; with the kernel and the rows it was made of it can predict."""
        from mercer.paths.results.storage import load_path

        loaded = load_path(file, "NuPath", kernel, X)
        assert isinstance(loaded, NuPath)
        return loaded
