"""Support vector classification with coefficients on a few rows only."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, clone

from mercer._memory import require_memory
from mercer._sklearn import Interval, StrOptions
from mercer.formulations import FittedParameters, svc
from mercer.gram import Gram
from mercer.gram.native import count_rows
from mercer.gram.shift import moved, shift_of_products, shift_offset
from mercer.kernels import Constant, Linear
from mercer.least_squares.low_rank_fit import expansion_of_maps
from mercer.lowrank import LowRank
from mercer.lowrank.low_rank import feature_blocks
from mercer.machines.base import KernelMachine, has_free_bias
from mercer.machines.docstrings import documented
from mercer.machines.fit_context import fit_context
from mercer.machines.kernel_values import resolve_kernel
from mercer.machines.svm.classifiers import SVC
from mercer.machines.svm.one_vs_one import ClassPairs, scores
from mercer.solvers.runs.deadline import Deadline
from mercer.training.classes import read_classes
from mercer.training.rows import is_precomputed, read_new_rows, read_training_rows

__all__ = ["ReducedSVC"]

FloatArray = NDArray[np.float64]


@documented(like=SVC, without=("coef_", "n_support_"))
class ReducedSVC(ClassifierMixin, KernelMachine):
    """Support vector classification with coefficients on landmarks only.

    The loss of all rows, coefficients on the landmarks m only (Rifkin 2002, section 3.7.2):

        minimize  1/2 c' K_mm c + C sum_i w_i loss(y_i (k_im c + b)).

    Its dual is that of :class:`~mercer.SVC` with the Nystrom kernel, solved here on the features
    of the landmarks. Prediction costs as many kernel values as there are landmarks, however many
    support vectors there are.

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter: the weight of the loss.
    low_rank : int or LowRank, default=100
        The landmarks: their number (random rows, the same in every fit), or how they are
        chosen. With ``method="nystrom"`` the dual coefficients of all rows are used with the
        true kernel, for comparison.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The loss; the squared one carries C/2.
    fit_intercept : {True, False, "penalized"}, default=True
        Whether there is a bias; "penalized" treats it as a weight.

    Attributes
    ----------
    support_ : ndarray of shape (n_landmarks,)
        Positions of the landmarks among the training rows; for a precomputed kernel and the
        method "nystrom" only.
    support_vectors_ : array of shape (n_landmarks, n_features)
        The landmarks; where rows of a linear kernel lie far from the origin, last the point that
        they are measured from.
    dual_coef_ : ndarray of shape (n_pairs, n_landmarks)
        Their coefficients for each pair of classes.
    low_rank_ : LowRank
        The fitted approximation, with ``basis_``.
    solutions_ : tuple of Solution
        One for each pair of classes, with the certificate of the reduced problem.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import ReducedSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = ReducedSVC(low_rank=20).fit(X[50:], y[50:])
    >>> machine.low_rank_.rank, machine.score(X[50:], y[50:]) > 0.9
    (20, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0.0, None, closed="neither")],
        **{
            name: KernelMachine._parameter_constraints[name]
            for name in (
                *("kernel", "degree", "gamma", "coef0", "tol", "max_iter", "solver"),
                *("precision", "max_time", "n_threads", "verbose", "callback"),
            )
        },
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "fit_intercept": ["boolean", StrOptions({"penalized"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "low_rank": [Interval(Integral, 1, None, closed="left"), LowRank],
    }
    warm_start = False
    shrinking = True
    cache_size = "auto"

    def __init__(
        self,
        *,
        C: float = 1.0,
        low_rank: Any = 100,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        loss: str = "hinge",
        fit_intercept: bool | Literal["penalized"] = True,
        class_weight: Any = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        solver: Any = "auto",
        precision: str = "auto",
        max_time: float | None = None,
        n_threads: int | None = None,
        verbose: bool = False,
        callback: Any = None,
    ) -> None:
        self.C = C
        self.low_rank = low_rank
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.solver = solver
        self.precision = precision
        self.max_time = max_time
        self.n_threads = n_threads
        self.verbose = verbose
        self.callback = callback

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the machine; parameters as for :meth:`mercer.SVC.fit`."""
        X, y, weight = read_training_rows(self, X, y, sample_weight)
        self.classes_, labels, self.class_weight_ = read_classes(y, self.class_weight, weight)
        deadline = Deadline.after(self.max_time)
        kernel = resolve_kernel(self, X, weight)
        weights = weight * self.class_weight_[labels]
        may_move = has_free_bias(self)
        shift = shift_of_products(kernel.form(), X, weights) if may_move else None
        features = self._features(kernel, X, np.flatnonzero(weight > 0), deadline.moment, shift)
        pairs = list(ClassPairs(labels, len(self.classes_)))
        formulations = [
            svc(
                pair.sign,
                self.C,
                weights[pair.rows],
                loss=self.loss,  # type: ignore[arg-type]
                fit_intercept=self.fit_intercept,
            ).on_rows(pair.rows, len(labels))
            for pair in pairs
        ]
        gram = self._feature_gram(features)
        solutions, parameters = self._solve_all(formulations, gram, deadline)
        self.intercept_ = np.array([fitted.intercept for fitted in parameters])
        self._keep_landmarks(X, features, parameters)
        self.n_iter_ = np.array([solution.n_iter for solution in solutions], dtype=np.int32)
        self._keep_solutions(solutions, kernel, np.shape(X))
        return self

    def _sums_vanish(self) -> bool:
        return has_free_bias(self)

    def _features(
        self,
        kernel: Any,
        X: Any,
        rows: NDArray[np.intp],
        deadline: float,
        shift: FloatArray | None,
    ) -> FloatArray:
        """Features of all rows; landmarks are chosen among ``rows``."""
        wanted = self.low_rank
        is_number = isinstance(wanted, Integral)
        wanted = LowRank(rank=int(wanted), random_state=0) if is_number else clone(wanted)
        if wanted.method == "subset":
            raise ValueError("low_rank.method must be 'rectangle' or 'nystrom', got 'subset'")
        n = count_rows(X)
        size = min(wanted.size, n) * wanted.n_models
        require_memory(
            8.0 * (n * size + 3 * size**2),
            f"low_rank of rank {size} with {n} rows",
            "a smaller rank works, and so does SVC, whose cache_size bounds its memory",
        )
        options: dict[str, Any] = {"n_threads": self.n_threads, "deadline": deadline}
        wanted.choose_among(rows, kernel, X, shift=shift, **options)
        wanted.warn_of_loss(self.max_time)
        self.low_rank_ = wanted
        rank = sum(features.rank for features in wanted.maps_)
        out = np.empty((n, rank))
        for part in feature_blocks(n, rank):
            out[part] = wanted.transform(X[part])
        return out

    def _feature_gram(self, features: FloatArray) -> Gram:
        kernel = Linear()
        if self.fit_intercept == "penalized":
            kernel = kernel + Constant(1.0, value_bounds="fixed")  # type: ignore[assignment]
        return Gram(kernel, features, precision=self.precision, n_threads=self.n_threads)  # type: ignore[arg-type]

    def _keep_landmarks(
        self, X: Any, features: FloatArray, parameters: list[FittedParameters]
    ) -> None:
        """K_mm c = K_mn beta: the coefficients of the landmarks from the dual ones."""
        dual = np.column_stack([fitted.coef for fitted in parameters])
        maps = self.low_rank_.maps_
        if self.low_rank_.method == "nystrom":
            self._keep_support(X, np.flatnonzero(dual.any(axis=1)))
            self.dual_coef_ = dual[self.support_].T
            if (shift := maps[0].shift) is not None:
                near, form = moved(self.support_vectors_, shift), maps[0].kernel.form()
                lower = self.intercept_ - shift_offset(form, near, shift, self.dual_coef_.T)
                self._keep_shift(shift, self.intercept_, lower)
                self.intercept_ = lower
            return
        weights = features.T @ dual / np.sqrt(len(maps))
        cuts = np.cumsum([one.rank for one in maps])[:-1]
        parts = zip(maps, np.split(weights, cuts), strict=True)
        coefs = [one.coefficients(part) for one, part in parts]
        found = expansion_of_maps(self.low_rank_, coefs, self.intercept_)
        self._keep_shift(found["shift"], self.intercept_, found["intercept"])
        self.dual_coef_, self.intercept_ = found["coef"].T, found["intercept"]
        if is_precomputed(self.kernel):
            self._keep_support(X, found["rows"])
        else:
            self.support_vectors_ = found["rows"]

    def _decisions(self, X: Any) -> FloatArray:
        rows = read_new_rows(self, X)
        return self._expanded.exact.evaluate(rows)[0] + self._bias

    def decision_function(self, X: Any) -> FloatArray:
        """Decision values, shape (n_samples,) or one score a class (n_samples, n_classes)."""
        decisions = self._decisions(X)
        n_classes = len(self.classes_)
        return decisions[:, 0] if n_classes == 2 else scores(decisions, n_classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the argmax of :meth:`decision_function`."""
        values = self.decision_function(X)
        chosen = values > 0 if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[chosen.astype(np.intp)]
