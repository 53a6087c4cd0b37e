"""Support vector classifiers for every width of the Gaussian kernel.

See docs/theory/paths.md#kernel-paths.

The coefficients are no polygon in gamma, so there are no breakpoints to find. Solutions are found
at some widths, each from the one before, and between two of them the coefficients are those on the
chord in log gamma: in the box, with the right sum. The gap of the whole chord is bounded from a few
of its points, and where the bound is too large a solution is put in between.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.formulations import svc
from mercer.gram import Gram
from mercer.kernels import Gaussian
from mercer.paths.held_out import held_out_rows, held_out_scores
from mercer.paths.inputs import read_inputs
from mercer.paths.kernel_path import KernelPath, between
from mercer.paths.march import march
from mercer.paths.width_gap import chord_bound
from mercer.problem import Problem, Solution
from mercer.solvers import Basis

__all__ = ["kernel_path"]

FloatArray = NDArray[np.float64]
_FIRST_STEP = 0.3  # of log gamma


def kernel_path(
    X: Any,
    y: ArrayLike,
    *,
    C: float = 1.0,
    gamma_min: float = 2.0**-15,
    gamma_max: float = 2.0**3,
    accuracy: float = 1e-2,
    cv: Any = None,
    sample_weight: ArrayLike | None = None,
    cache_size: float = 100.0,
    n_threads: int | None = None,
    max_time: float | None = None,
) -> KernelPath:
    """Support vector classifiers for every width of the Gaussian kernel at one C.

    Gamma goes up, so that the rank of the kernel matrix grows; where rows that were free
    depend on each other nevertheless, the point is purified into a basis without loss
    (docs/theory/active_set.md#from-a-point-to-a-basis).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Training rows.
    y : array-like of shape (n_rows,)
        Labels of two classes.
    C : float, default=1.0
        Price of the loss.
    gamma_min, gamma_max : float, default=2**-15 and 2**3
        The widths.
    accuracy : float, default=1e-2
        Largest relative duality gap of the machine at any gamma, also between solutions.
    cv : int, cross-validation generator or iterable, default=None
        How ``scores`` are found.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights, of rows and of their scores.
    cache_size : float, default=100.0
        Memory for kernel rows that are not free, in MB.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    max_time : float, default=None
        Seconds after which the path so far is returned.

    Returns
    -------
    KernelPath

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer import kernel_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = kernel_path((X - X.mean(0)) / X.std(0), y, gamma_min=1e-3, gamma_max=1.0)
    >>> path.status
    'gamma_max'
    """
    deadline = np.inf if max_time is None else time.perf_counter() + max_time
    _check_range(C, gamma_min, gamma_max, accuracy)
    inputs = read_inputs(X, y, sample_weight, "rbf")
    problem = svc(inputs.sign, 1.0, inputs.weight).problem
    folds = held_out_rows(cv, inputs)
    chain = _Chain(
        svc(inputs.sign, C, inputs.weight).problem, inputs.rows, accuracy, cache_size, n_threads,
        deadline,
    )  # fmt: skip
    begin, end = float(np.log(gamma_min)), float(np.log(gamma_max))
    nodes, gap = [chain.first(begin)], 0.0
    pieces = march(
        nodes[0], begin, end, solve=chain.solve, error=chain.gap, accuracy=accuracy,
        step=_FIRST_STEP,
    )  # fmt: skip
    for piece in pieces:
        nodes.append(piece.right)
        gap = max(gap, piece.error)
    scores = np.array([
        held_out_scores(
            problem, chain.gram(node.gamma), np.array([C]), folds, inputs, 1e-3, deadline
        )[0]
        for node in (nodes if folds else [])
    ])  # fmt: skip
    return KernelPath(
        gamma=np.array([node.gamma for node in nodes]),
        C=float(C),
        solutions=tuple(node.solution for node in nodes),
        scores=scores if folds else None,
        gap=gap,
        status="max-time" if chain.is_late else "gamma_max",
        classes=inputs.classes,
        problem=chain.problem,
        rows=inputs.rows,
    )


@dataclass(frozen=True, eq=False)
class _Node:
    gamma: float
    solution: Solution


class _Chain:
    """Solutions at one gamma after the other, each from the one before."""

    def __init__(
        self,
        problem: Problem,
        rows: Any,
        accuracy: float,
        cache_size: float,
        n_threads: int | None,
        deadline: float,
    ) -> None:
        self.problem, self.rows, self.accuracy, self.deadline = problem, rows, accuracy, deadline
        self.options: dict[str, Any] = {"cache_size": cache_size, "n_threads": n_threads}
        self.coef: FloatArray | None = None
        self.is_late = False

    def gram(self, gamma: float) -> Gram:
        """Kernel values at a gamma."""
        return Gram(Gaussian(gamma), self.rows, precision="double", **self.options)

    def first(self, place: float) -> _Node:
        """The solution at gamma = exp(place), however long it takes."""
        gamma = float(np.exp(place))
        solution = Basis(self.problem, self.gram(gamma), self.coef).solve(tol=1e-6)
        self.coef = solution.coef
        return _Node(gamma, solution)

    def solve(self, place: float) -> _Node | None:
        """The solution at gamma = exp(place); None if the time is over."""
        self.is_late = time.perf_counter() > self.deadline
        return None if self.is_late else self.first(place)

    def gap(self, left: _Node, right: _Node) -> float:
        """Bound of the relative duality gap on the chord."""
        a, b = left.solution, right.solution
        length = float(np.log(right.gamma / left.gamma))

        def values(share: float) -> FloatArray:
            coef = between(self.problem, a.coef, b.coef, share)
            used = np.flatnonzero(coef)
            gram = self.gram(left.gamma * float(np.exp(share * length)))
            return gram.product(used, coef[used], precision="double")

        return chord_bound(self.problem, a, b, length, values, self.accuracy)


def _check_range(C: float, low: float, high: float, accuracy: float) -> None:
    for name, value in (("C", C), ("gamma_min", low), ("accuracy", accuracy)):
        if not (value > 0 and np.isfinite(value)):
            raise ValueError(f"{name} must be positive and finite, got {value!r}")
    if not (low < high and np.isfinite(high)):
        raise ValueError(f"gamma_max must be above gamma_min={low!r} and finite, got {high!r}")
