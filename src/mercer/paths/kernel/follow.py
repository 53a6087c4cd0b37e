"""Support vector classifiers for every value of a parameter of the kernel.

See docs/theory/paths.md#kernel-paths.

The coefficients are no polygon in the parameter, so there are no breakpoints to find. Solutions are
found at some values, each from the one before, and between two of them the coefficients are those
on the chord in the logarithm of the parameter: in the box, with the right sum. The gap of the whole
chord is bounded from a few of its points, and where the bound is too large a solution is put in
between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._floating import without_warnings
from mercer.formulations import svc
from mercer.gram import Gram
from mercer.kernels import Kernel
from mercer.machines.svm.schemes import PairScheme
from mercer.paths.approximate.march import march
from mercer.paths.grids.cells import Cells
from mercer.paths.grids.columns import mean_scores
from mercer.paths.inputs.data import KernelChoice, read_inputs
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.inputs.limits import Limits, read_limits
from mercer.paths.inputs.moved_kernel import kernel_at
from mercer.paths.kernel.chord_bound import KernelBound, chord_bound
from mercer.paths.kernel.largest_value import growth, largest_value, movable
from mercer.paths.results.kernel_solutions import KernelSolutions, between
from mercer.paths.results.path import Path
from mercer.paths.validation.scoring import Scoring
from mercer.problem import Problem, Solution
from mercer.solvers import Basis
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback
from mercer.training.numbers import plain, positive, real
from mercer.training.splits import two_class_splits
from mercer.training.weights import check_bounds

__all__ = ["kernel_path"]

FloatArray = NDArray[np.float64]
_FIRST_STEP = 0.3  # of the logarithm


@without_warnings
def kernel_path(
    X: Any,
    y: ArrayLike,
    *,
    C: float = 1.0,
    kernel: str | Kernel = "rbf",
    parameter: str = "gamma",
    bounds: tuple[float, float] | None = None,
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
    callback: Callback | None = None,
    verbose: bool | int = False,
) -> Path:
    """Support vector classifiers for every value of one parameter of the kernel, at one C.

    The default parameter is gamma of the Gaussian kernel. The parameter increases; if free rows
    become dependent, the point is purified into a basis without loss
    (docs/theory/active_set.md#from-a-point-to-a-basis).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Training rows.
    y : array-like of shape (n_rows,)
        Labels of two classes.
    C : float, default=1.0
        Regularization parameter: the weight of the loss.
    kernel : str or Kernel, default="rbf"
        The kernel, positive semi-definite. The other parameters stay fixed; gamma="scale" is
        computed from the rows.
    parameter : str, default="gamma"
        The parameter that moves: a name of ``kernel.parameter_names``, such as "coef0", "gamma[2]"
        (one width of many) or "left__factor" (a weight in a sum). Gamma of Gaussian kernels (one,
        or one for each feature) and of Laplacian ones, gamma and coef0 of polynomials, factors,
        constants and weights of words, also within sums, products and multiples.
    bounds : pair of floats, default=None
        Smallest and largest value; None, for "gamma" only, means ``gamma_min`` and ``gamma_max``.
    gamma_min, gamma_max : float, default=2**-15 and 2**3
        The bounds of "gamma".
    accuracy : float, default=1e-2
        Largest relative duality gap of the machine at any value, also between solutions.
    cv : int, cross-validation generator or iterable, default=None
        Splits for ``scores``: machines are trained on exactly the training rows of a split and
        scored on its held-out rows.
    groups : array-like of shape (n_rows,), default=None
        Groups of rows, handed to ``cv``.
    scoring : str or callable, default=None
        The score, as in scikit-learn; None for the share of right predictions.
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
        Largest number of solutions; -1 for no limit. Ordinary data need some dozens, huge C or
        weights many thousands.
    max_time : float, default=None
        Seconds after which the path so far is returned.
    callback : callable, default=None
        Called with a :class:`~mercer.solvers.Progress` about every 50 ms; a true value ends the
        path.
    verbose : bool, default=False
        Whether to show the progress.

    Returns
    -------
    Path
        Over the parameter; ``path.accuracy`` is the bound of the gap that was found.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer import kernel_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = kernel_path((X - X.mean(0)) / X.std(0), y, gamma_min=1e-3, gamma_max=1.0)
    >>> path.status
    'gamma_max'
    >>> from mercer.kernels import Gaussian, Linear
    >>> mixed = Gaussian(0.01) + 0.1 * Linear()
    >>> options = {"kernel": mixed, "parameter": "right__factor", "bounds": (0.1, 1.0)}
    >>> kernel_path(X / X.std(0), y, **options).status
    'right__factor_max'
    """
    deadline = Deadline.after(max_time)
    low, high = _range(C, accuracy, parameter, bounds, (gamma_min, gamma_max))
    if isinstance(X, Gram):
        raise TypeError(f"X must be rows, got a Gram: each {parameter} has values of its own")
    inputs = read_inputs(X, y, sample_weight, kernel, class_weight)
    splits = two_class_splits(inputs, cv, groups)
    measure = None if scoring is None else Scoring.read(scoring)
    weight = inputs.full_weight()
    check_bounds("C", C, weight)
    problem = svc(inputs.sign, float(C), weight).problem
    choice = KernelChoice(kernel, cache_size=cache_size, n_threads=n_threads)
    made = choice.made(inputs.rows, weight)
    _check_parameter(made, parameter)
    limits = read_limits(np.inf, max_events, deadline, callback)
    with limits.shown(verbose) as shown_limits:
        move = _Move(made, parameter, inputs.rows, choice)
        sequence = _Sequence(problem, move, accuracy, shown_limits)
        nodes, gap = _follow(sequence, float(np.log(low)), float(np.log(high)), accuracy)
    pairs = PairScheme(len(inputs.classes))
    cells = Cells(inputs, np.array([float(C)]), splits, 1e-3, pairs, measure)
    kernels = [move.kernel_at(node.value) for node in (nodes if splits else [])]
    scores = mean_scores(cells, kernels, choice, deadline)[:, 0]
    values = np.array([node.value for node in nodes])
    found = tuple(node.solution for node in nodes)
    status = sequence.status or f"{parameter}_max"
    return Path(
        KernelSolutions(parameter, values, float(C), found, problem, status),
        classes=inputs.classes,
        kernel_values=KernelValues(move.kernel_at(nodes[0].value), inputs.rows, inputs.training),
        violation=max(solution.violation for solution in found),
        accuracy=gap,
        scores=scores if splits else None,
    )


def _follow(
    sequence: _Sequence, begin: float, end: float, accuracy: float
) -> tuple[list[_Node], float]:
    """Solutions from one logarithm to another, and the bound of the gap between them.

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
        if sequence.status:
            break
    if here < end and not sequence.status:
        sequence.status = "precision-limit"
    return nodes, gap


@dataclass(frozen=True, eq=False)
class _Node:
    value: float
    solution: Solution


@dataclass(frozen=True, eq=False)
class _Move:
    """The kernel values of rows, and their bound, at any value of a parameter."""

    kernel: Kernel
    parameter: str
    rows: Any
    choice: KernelChoice

    def kernel_at(self, value: float) -> Kernel:
        return kernel_at(self.kernel, self.parameter, value)

    def gram(self, value: float) -> Gram:
        return self.choice.gram(self.kernel_at(value), self.rows)

    def bound(self, value: float) -> KernelBound:
        largest = largest_value(self.kernel_at(value), self.parameter, self.rows)
        return KernelBound(largest, growth(self.kernel, self.parameter) or 0)


class _Sequence:
    """Solutions at one value after the other, each from the one before."""

    def __init__(self, problem: Problem, move: _Move, accuracy: float, limits: Limits) -> None:
        self.problem, self.move, self.accuracy = problem, move, accuracy
        self.limits = limits
        self.coef: FloatArray | None = None
        self.status, self.count = "", 0
        self.unfinished: _Node

    def solve(self, place: float) -> _Node | None:
        """The solution at the value exp(place); None if it was not finished."""
        if self.count >= max(self.limits.max_events, 1):
            self.status = "max-events"
            return None
        self.count += 1
        value, left = float(np.exp(place)), self.limits.deadline.seconds_left
        basis = Basis(self.problem, self.move.gram(value), self.coef)
        watch = self.limits.watch(value, self.move.parameter)
        solution = basis.solve(tol=1e-6, max_time=left, callback=watch)
        node = _Node(value, solution)
        if solution.status in ("max-time", "callback"):
            self.status, self.unfinished = solution.status, node
            return None
        self.coef = solution.coef
        self.limits.tally.note(self.count, len(basis.free))
        self._tell(value)
        self.unfinished = node
        return None if self.status else node

    def _tell(self, value: float) -> None:
        """Report between two pieces of work; nothing is reported after the end of the path."""
        if not self.status and self.limits.tell(value, self.move.parameter):
            self.status = "callback"

    def gap(self, left: _Node, right: _Node) -> float:
        """Bound of the relative duality gap on the chord."""
        a, b = left.solution, right.solution
        length = float(np.log(right.value / left.value))

        def values(share: float) -> FloatArray:
            coef = between(self.problem, a.coef, b.coef, share)
            used = np.flatnonzero(coef)
            value = left.value * float(np.exp(share * length))
            self._tell(value)
            gram = self.move.gram(value)
            return gram.product(used, coef[used], precision="double")

        kernel = self.move.bound(right.value)
        return chord_bound(self.problem, a, b, length, kernel, values, self.accuracy)


def _range(
    C: float, accuracy: float, parameter: str, bounds: Any, of_gamma: tuple[float, float]
) -> tuple[float, float]:
    """Smallest and largest value of the parameter, once all numbers are checked."""
    if bounds is None and parameter != "gamma":
        raise ValueError(
            f"bounds must be the smallest and the largest {parameter}, got None, which means "
            "gamma_min and gamma_max"
        )
    names = ("gamma_min", "gamma_max") if bounds is None else ("bounds[0]", "bounds[1]")
    if bounds is not None and np.shape(bounds) != (2,):
        raise ValueError(f"bounds must be a pair of numbers, got {bounds!r}")
    low, high = of_gamma if bounds is None else bounds
    for name, value in (("C", C), (names[0], low), ("accuracy", accuracy)):
        positive(name, value, is_finite=True)
    if not low < real(names[1], high) < np.inf:
        raise ValueError(
            f"{names[1]} must be above {names[0]}={plain(low)!r} and finite, got {plain(high)!r}"
        )
    return float(low), float(high)


def _check_parameter(kernel: Kernel, parameter: str) -> None:
    """Refuse what has no bound, or no machine."""
    if kernel.is_positive_definite is not True:
        raise ValueError(f"kernel must be positive semi-definite for sure, got {kernel!r}")
    known = movable(kernel)
    if parameter not in known:
        raise ValueError(
            f"parameter must be one of {known}, which move in {kernel!r}, got {parameter!r}"
        )
