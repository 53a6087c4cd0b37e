"""Support vector classifiers for every width of the Gaussian kernel.

See docs/theory/paths.md#kernel-paths.

The coefficients are no polygon in gamma, so there are no breakpoints to find. Solutions are found
at some widths, each from the one before, and between two of them the coefficients are those on the
chord in log gamma: in the box, with the right sum. The gap of the whole chord is bounded from a few
of its points, and where the bound is too large a solution is put in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._floating import without_warnings
from mercer.formulations import svc
from mercer.gram import Gram
from mercer.kernels import Gaussian
from mercer.paths.approximate.march import march
from mercer.paths.grids.cells import Cells
from mercer.paths.grids.columns import mean_scores
from mercer.paths.inputs.data import KernelChoice, read_inputs
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.inputs.limits import Limits, PathCallback, read_limits
from mercer.paths.kernel.width_gap import chord_bound
from mercer.paths.results.gamma_solutions import GammaSolutions, between
from mercer.paths.results.path import Path
from mercer.paths.validation.scoring import Scoring
from mercer.problem import Problem, Solution
from mercer.solvers import Basis
from mercer.solvers.runs.deadline import Deadline
from mercer.training.numbers import plain, positive, real
from mercer.training.splits import two_class_splits
from mercer.training.weights import check_bounds

__all__ = ["kernel_path"]

FloatArray = NDArray[np.float64]
_FIRST_STEP = 0.3  # of log gamma


@without_warnings
def kernel_path(
    X: Any,
    y: ArrayLike,
    *,
    C: float = 1.0,
    gamma_min: float = 2.0**-15,
    gamma_max: float = 2.0**3,
    accuracy: float = 1e-2,
    cv: Any = None,
    groups: ArrayLike | None = None,
    scoring: Any = None,
    class_weight: Any = None,
    sample_weight: ArrayLike | None = None,
    cache_size: float | str = "auto",
    n_threads: int | None = None,
    max_events: int = 2000,
    max_time: float | None = None,
    callback: PathCallback | None = None,
    verbose: bool | int = False,
) -> Path:
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
        Regularization parameter: the weight of the loss.
    gamma_min, gamma_max : float, default=2**-15 and 2**3
        The widths.
    accuracy : float, default=1e-2
        Largest relative duality gap of the machine at any gamma, also between solutions.
    cv : int, cross-validation generator or iterable, default=None
        How ``scores`` are found: on held-out rows of machines trained on exactly the rows that
        a split says.
    groups : array-like of shape (n_rows,), default=None
        Groups of rows, handed to ``cv``.
    scoring : str or callable, default=None
        What ``scores`` are, as in scikit-learn; None for the share of right predictions.
    class_weight : dict or "balanced", default=None
        As in :class:`SVC`; "balanced" means the training rows of each split.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights, of rows and of their scores.
    cache_size : float or "auto", default="auto"
        Memory for kernel rows that are not free, in MB; "auto" takes up to a quarter of what is
        available.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    max_events : int, default=2000
        Largest number of solutions; -1 for no limit. Ordinary data take some dozens, huge C or
        weights many thousands.
    max_time : float, default=None
        Seconds after which the path so far is returned.
    callback : callable, default=None
        Called with a :class:`PathProgress` about every 50 ms; a true value ends the path.
    verbose : bool, default=False
        Whether to show the progress.

    Returns
    -------
    Path
        Over gamma; ``path.accuracy`` is the bound of the gap that was found.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer import kernel_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = kernel_path((X - X.mean(0)) / X.std(0), y, gamma_min=1e-3, gamma_max=1.0)
    >>> path.status
    'gamma_max'
    """
    deadline = Deadline.after(max_time)
    _check_range(C, gamma_min, gamma_max, accuracy)
    if isinstance(X, Gram):
        raise TypeError("X must be rows, got a Gram: each gamma has kernel values of its own")
    inputs = read_inputs(X, y, sample_weight, "rbf", class_weight)
    splits = two_class_splits(inputs, cv, groups)
    measure = None if scoring is None else Scoring.read(scoring)
    weight = inputs.full_weight()
    check_bounds("C", C, weight)
    problem = svc(inputs.sign, float(C), weight).problem
    choice = KernelChoice(cache_size=cache_size, n_threads=n_threads)
    limits = read_limits(np.inf, max_events, deadline, callback)
    with limits.shown(verbose) as shown_limits:
        sequence = _Sequence(problem, inputs.rows, accuracy, choice, shown_limits)
        nodes, gap = _follow(sequence, float(np.log(gamma_min)), float(np.log(gamma_max)), accuracy)
    cells = Cells(inputs, np.array([float(C)]), splits, 1e-3, measure)
    kernels = [Gaussian(node.gamma) for node in (nodes if splits else [])]
    scores = mean_scores(cells, kernels, choice, deadline)[:, 0]
    gamma = np.array([node.gamma for node in nodes])
    found = tuple(node.solution for node in nodes)
    status = sequence.status or "gamma_max"
    return Path(
        GammaSolutions(gamma, float(C), found, problem, status),
        classes=inputs.classes,
        kernel_values=KernelValues(Gaussian(float(gamma[0])), inputs.rows, inputs.training),
        violation=max(solution.violation for solution in found),
        accuracy=gap,
        scores=scores if splits else None,
    )


def _follow(
    sequence: _Sequence, begin: float, end: float, accuracy: float
) -> tuple[list[_Node], float]:
    """Solutions from one log gamma to another, and the bound of the gap between them.

    A first solution that was not finished in time is all there is, with its own gap.
    """
    first = sequence.solve(begin)
    if first is None:
        last = sequence.unfinished
        gap = last.solution.relative_gap
        return [last], np.inf if gap is None else gap
    nodes, gap = [first], 0.0
    pieces = march(
        first,
        begin,
        end,
        solve=sequence.solve,
        error=sequence.gap,
        accuracy=accuracy,
        step=_FIRST_STEP,
    )
    here = begin
    for piece in pieces:
        nodes.append(piece.right)
        gap, here = max(gap, piece.error), piece.end
    if here < end and not sequence.status:
        sequence.status = "precision-limit"
    return nodes, gap


@dataclass(frozen=True, eq=False)
class _Node:
    gamma: float
    solution: Solution


class _Sequence:
    """Solutions at one gamma after the other, each from the one before."""

    def __init__(
        self,
        problem: Problem,
        rows: Any,
        accuracy: float,
        choice: KernelChoice,
        limits: Limits,
    ) -> None:
        self.problem, self.rows, self.accuracy = problem, rows, accuracy
        self.choice, self.limits = choice, limits
        self.coef: FloatArray | None = None
        self.status, self.count = "", 0
        self.unfinished: _Node

    def gram(self, gamma: float) -> Gram:
        """Kernel values at a gamma."""
        return self.choice.gram(Gaussian(gamma), self.rows)

    def solve(self, place: float) -> _Node | None:
        """The solution at gamma = exp(place); None if it was not finished."""
        if self.count >= max(self.limits.max_events, 1):
            self.status = "max-events"
            return None
        self.count += 1
        gamma, left = float(np.exp(place)), self.limits.deadline.seconds_left
        basis = Basis(self.problem, self.gram(gamma), self.coef)
        solution = basis.solve(tol=1e-6, max_time=left, callback=self.limits.watch(gamma, "gamma"))
        node = _Node(gamma, solution)
        if solution.status in ("max-time", "callback"):
            self.status, self.unfinished = solution.status, node
            return None
        self.coef = solution.coef
        return node

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
        positive(name, value, is_finite=True)
    if not low < real("gamma_max", high) < np.inf:
        raise ValueError(
            f"gamma_max must be above gamma_min={plain(low)!r} and finite, got {plain(high)!r}"
        )
