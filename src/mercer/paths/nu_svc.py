"""Nu-SVC for every nu: the path over C, read by another name.

The solution of the SVC at C, divided by C, has coefficients in [0, weight] and, in each class, the
sum nu W / 2 for nu = sum |coef| / (C W): it is the solution of the nu-SVC with that nu, and 1/C is
its margin (Chang and Lin 2001, section 3). Along the path nu never grows with C and is affine in
1/C on every segment. So two group sums that move together need no engine of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.paths.inputs.numbers import plain, real
from mercer.paths.results.path import Path
from mercer.paths.results.segments import FREE, Segments
from mercer.paths.svc import svc_path
from mercer.problem import Certificate

__all__ = ["NuSVCPath", "nu_svc_path"]

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
            f"<NuSVCPath of {self.path._n_rows} rows: {len(self.path.segments.changed)} events "
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
        self.path._check_known()
        value = real("nu", nu)
        if self.status == "trivial":
            raise ValueError("no nu has a machine: one constant is the best for every C")
        low, high = self.nu_end * (1 - _ROUNDING), self.nu_max * (1 + _ROUNDING)
        if not low <= value <= high or value <= 0:
            raise ValueError(
                f"nu must be positive and lie in [{self.nu_end:.6g}, {self.nu_max:.6g}], where "
                f"the path is known, got {plain(nu)}"
            )
        t = np.append(self.path.segments.parameter, self.path.segments.end_parameter)
        at = np.append(self.nu, self.nu_end)
        # where nu has just come down to the value, and where it is about to leave it
        slack = 1e-12 * self.nu_max
        first = np.interp(-value - slack, -at, t)
        last = np.interp(-value + slack, -at, t)
        with np.errstate(divide="ignore"):
            low, high = 1.0 / np.maximum([first, last], 0.0)
        return float(min(low, high)), float(max(low, high))

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


def nu_svc_path(X: Any, y: ArrayLike, *, C_max: float = np.inf, **options: Any) -> NuSVCPath:
    """Nu-SVC machines for every nu at once.

    Parameters
    ----------
    X : array-like, sparse matrix or sequence of shape (n_rows, n_features)
        Training rows; for ``kernel="precomputed"`` the kernel matrix; a :class:`Gram` to
        share its kernel values.
    y : array-like of shape (n_rows,)
        Labels of two classes.
    C_max : float, default=inf
        Where to end, as the C of the same machine: 1 over its margin.
    **options
        Those of :func:`svc_path`.

    Returns
    -------
    NuSVCPath

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer.paths import nu_svc_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = nu_svc_path((X - X.mean(0)) / X.std(0), y, C_max=100.0)
    >>> path.predict(X[:3], 0.3).shape
    (3,)
    """
    path = svc_path(X, y, C_max=C_max, **options)
    if path.C_end == 0.0:
        return NuSVCPath(path, np.zeros(1), 0.0)
    total = float(np.abs(path.segments.upper - path.segments.lower).sum())
    sums = _sums(path.segments) / total
    # rounding must not make it rise
    nu = np.minimum.accumulate(sums)
    return NuSVCPath(path, nu[:-1], 0.0 if path.status == "complete" else float(nu[-1]))


def _sums(segments: Segments) -> FloatArray:
    """Sum of |a| at the beginning of every segment, and at the end of the last."""
    size = np.where(segments.first_side > 0, np.abs(segments.upper), np.abs(segments.lower))
    size[segments.first_side == FREE] = 0.0
    resting, out = float(size.sum()), np.empty(len(segments) + 1)
    begin = 0
    for k, end in enumerate(segments.changes_end.tolist()):
        for v, side in zip(segments.changed[begin:end], segments.side[begin:end], strict=True):
            bound = segments.upper[v] if side > 0 else segments.lower[v]
            now = 0.0 if side == FREE else abs(float(bound))
            resting += now - size[v]
            size[v] = now
        begin = end
        out[k] = resting + np.abs(segments.free(k)[0]).sum()
    last = segments.coef(len(segments) - 1, segments.end_parameter)
    out[-1] = np.abs(last).sum()
    return out
