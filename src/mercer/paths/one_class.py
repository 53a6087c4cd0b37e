"""One-class machines for every nu at once.

The coefficients lie in [0, weight] and add up to nu times the total weight; the linear term is
zero. With t = nu W for the parameter it is the sum that moves, and the engine of the
regularization path follows it from nu = 1, where every row is at its bound, down.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram import Expansion, Gram
from mercer.kernels import Kernel, Precomputed
from mercer.native_kernel import count_rows, take_rows
from mercer.paths.certified import certify_machine
from mercer.paths.follow import Limits, Run, coef_sizes, follow
from mercer.paths.inputs import make_kernel, read_rows
from mercer.paths.segments import Segments
from mercer.paths.start import Start, finite_sums
from mercer.problem import Certificate, Problem
from mercer.spot_check import require_definite

__all__ = ["NuPath", "one_class_path"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NuPath:
    """One-class machines for all nu from ``nu_end`` to 1, made by :func:`one_class_path`.

    Attributes
    ----------
    nu : ndarray of shape (n_breakpoints,)
        The breakpoints, falling; between them the coefficients are affine in nu.
    nu_end : float
        How far the path is known.
    status : str
        "nu_min", or why it ended early: "max-time", "precision-limit".
    violation : float
        Largest KKT violation met when solutions were recomputed on the way, relative to the
        largest kernel value.
    """

    segments: Segments
    problem: Problem
    status: str
    violation: float
    kernel: Kernel
    rows: Any
    gram: Gram

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
        if not self.nu_end * (1 - 1e-12) <= nu <= 1.0:
            raise ValueError(f"nu must lie in [{self.nu_end:.6g}, 1], got {nu}")
        parameter = float(np.clip(nu * self._total, self.segments.end_parameter, self._total))
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
        """Values of the machine at ``nu``; negative means outlier."""
        coef = self.coef(nu)
        used = np.flatnonzero(coef)
        rows = used if isinstance(self.kernel, Precomputed) else take_rows(self.rows, used)
        values = Expansion(self.kernel, rows, coef[used, None]).evaluate(X)[0][:, 0]
        return np.asarray(values + self.intercept(nu))


def one_class_path(
    X: Any,
    *,
    kernel: Any = "rbf",
    degree: int = 3,
    gamma: float | str = "scale",
    coef0: float = 0.0,
    nu_min: float = 0.01,
    sample_weight: ArrayLike | None = None,
    cache_size: float = 100.0,
    n_threads: int | None = None,
    max_time: float | None = None,
) -> NuPath:
    """One-class machines for every nu from 1 down to ``nu_min``.

    Parameters
    ----------
    X : array-like, sparse matrix or sequence of shape (n_rows, n_features)
        Training rows; for ``kernel="precomputed"`` the kernel matrix.
    kernel, degree, gamma, coef0
        As in :class:`OneClassSVM`; the kernel must be positive semi-definite.
    nu_min : float, default=0.01
        Where to end.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights; a weight of 2 is the same as the row given twice.
    cache_size : float, default=100.0
        Memory for kernel rows that are not free, in MB.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    max_time : float, default=None
        Seconds after which the path so far is returned.

    Returns
    -------
    NuPath

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import one_class_path
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> path = one_class_path(X, nu_min=0.05)
    >>> bool((path.decision_function(X, 0.1) < -1e-9).mean() <= 0.1)  # nu bounds the outliers
    True
    """
    deadline = np.inf if max_time is None else time.perf_counter() + max_time
    if not 0 < nu_min < 1:
        raise ValueError(f"nu_min must lie in (0, 1), got {nu_min!r}")
    rows, nothing, weight = read_rows(X, np.zeros(count_rows(X)), sample_weight, kernel)
    made = make_kernel(kernel, rows, weight, degree=degree, gamma=gamma, coef0=coef0)
    gram = Gram(made, rows, cache_size=cache_size, precision="double", n_threads=n_threads)
    require_definite(gram, "a path")
    gram.check_values()
    problem = Problem(nothing, np.zeros_like(weight), weight)
    run = _follow(problem, gram, nu_min, deadline)
    gram.inspect(coef_sizes(problem, gram, run))
    status = "nu_min" if run.status == "C_max" else run.status
    return NuPath(run.segments, problem, status, run.violation, made, rows, gram)


def _follow(problem: Problem, gram: Gram, nu_min: float, deadline: float) -> Run:
    """From every row at its bound: the one deepest inside is the first to leave it."""
    weight = problem.upper
    total = float(weight.sum())
    value = finite_sums(gram.product(None, weight, precision="double"))
    used = np.flatnonzero(weight > 0)
    free = used[[np.argmax(value[used])]]
    start = Start(weight, free, total, -float(value[free[0]]), 0.0, False, expansion=value)
    limits = Limits(1.0 / (nu_min * total), deadline=deadline)
    return follow(problem, gram, start, limits, sum_rate=1.0)
