"""Outlier detection that tunes itself."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OutlierMixin
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted

from mercer._sklearn import Interval, StrOptions
from mercer._warning import warn
from mercer.machines.svm.one_class import OneClassSVM
from mercer.selection.search_result import SearchResult
from mercer.selection.tuned.base import TunedMachine
from mercer.selection.tuned.scaling import last_machine

__all__ = ["TunedOneClassSVM"]

FloatArray = NDArray[np.float64]


class TunedOneClassSVM(OutlierMixin, TunedMachine):
    """A :class:`OneClassSVM` that chooses the width of its kernel, without labels.

    You choose ``nu``, the share of rows that are to be outliers. The width is the one that best
    separates held-out rows from training rows with added noise of half a standard deviation of each
    feature. Widths are those of ``gamma="scale"`` and narrower ones. Narrow kernels rank new rows
    well and reject more of them than ``nu``: ``rejected_`` is their share, and a warning says if it
    is large. The objective "rejection" respects ``nu``: its width is the narrowest one that rejects
    no more held-out rows than that, within a standard error. It is also the default for rows that
    are sparse or not numeric.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        A kernel with a width; several widths are multiplied by one factor.
    scale : bool or "auto", default="auto"
        As in :class:`TunedSVC`.
    nu : float, default=0.1
        Share of the rows to reject, as in :class:`OneClassSVM`.
    objective : {"auto", "detection", "rejection"}, default="auto"
        The criterion; "auto" is "detection" for numeric rows of at most 13,333 features.
    optimizer : str or object, default="auto"
        The search; "auto" is ``Narrowing`` or ``WidthSearch`` of mercer.selection.optimizers.
    cv : int, splitter or iterable, default=None
        Splits, as in scikit-learn; None for five folds of rows in random order.
    gamma_range, tol, max_time, max_evals, n_threads, verbose, callback
        As in :class:`TunedSVC`.
    random_state : int, RandomState or None, default=0
        For the order of the rows, and the noise.

    Attributes
    ----------
    best_estimator_ : OneClassSVM
        The machine, fitted on all rows.
    best_params_, best_score_, kernel_, relevance_, history_, cv_results_, \
held_out_, best_index_, search_status_
        As in :class:`TunedSVC`; the score is the share of pairs of a held-out row and a row with
        noise that are ordered correctly, or minus the criterion "rejection".
    rejected_ : float or None
        Share of held-out rows that the machines of the search reject.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import TunedOneClassSVM
    >>> random = np.random.default_rng(0)
    >>> angle, radius = random.uniform(0.0, 2.0 * np.pi, 300), random.normal(1.0, 0.1, 300)
    >>> ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    >>> machine = TunedOneClassSVM(nu=0.05).fit(ring)
    >>> machine.predict([[0.0, 0.0]]).tolist()
    [-1]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TunedMachine._parameter_constraints,
        "gamma_range": ["array-like", None],
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
        "objective": [StrOptions({"auto", "detection", "rejection"})],
        "cv": ["cv_object", None],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        scale: bool | Literal["auto"] = "auto",
        nu: float = 0.1,
        objective: str = "auto",
        optimizer: Any = "auto",
        cv: Any = None,
        gamma_range: Any = None,
        tol: float = 1e-3,
        max_time: float | None = None,
        max_evals: int | None = None,
        random_state: Any = 0,
        n_threads: int | None = None,
        verbose: bool = False,
        callback: Any = None,
    ) -> None:
        self.kernel = kernel
        self.scale = scale
        self.nu = nu
        self.objective = objective
        self.optimizer = optimizer
        self.cv = cv
        self.gamma_range = gamma_range
        self.tol = tol
        self.max_time = max_time
        self.max_evals = max_evals
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose
        self.callback = callback

    scoring = None

    def _machine(self) -> OneClassSVM:
        return OneClassSVM(kernel=self.kernel, nu=self.nu, tol=self.tol, n_threads=self.n_threads)

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose the width, and fit the machine with it on all rows.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows.
        y : object, default=None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a weight of 2 is the same as the row given twice.
        groups : array-like of shape (n_samples,), default=None
            Groups of rows that stay together, for a ``cv`` that needs them.

        Returns
        -------
        self : object
        """
        return super().fit(X, None, sample_weight, groups=groups)

    def _tuned(self, found: SearchResult) -> Any:
        # the logarithm of nu has rounded it
        return super()._tuned(found).set_params(nu=self.nu)

    def _keep(self, found: SearchResult, machine: Any, best: SearchResult) -> None:
        super()._keep(found, machine, best)
        self.rejected_ = self._share_rejected()
        if self.rejected_ is not None and self.rejected_ > self._most_rejected(found):
            warn(
                f"TunedOneClassSVM: {100 * self.rejected_:.3g} % of rows held out were rejected, "
                f"not nu={self.nu:g}: score_samples ranks new rows, but predict rejects too many. "
                "objective='rejection' keeps to nu"
            )
        # minus the criterion, which is more than 1 where its rule does not hold
        if found.score < -1.0:
            warn(
                "TunedOneClassSVM: with every width searched more rows held out were rejected than "
                f"nu={self.nu:g} allows, as new ones will be: rows are few, or all on the boundary"
            )

    def _share_rejected(self) -> float | None:
        """Of the rows held out at the chosen width; None if they are not known."""
        if self.held_out_ is None:
            return None
        return float(np.mean(np.concatenate(self.held_out_.predicted) == -1))

    def _most_rejected(self, found: SearchResult) -> float:
        """Beyond which users are told: a share that no draw of as many rows explains."""
        if found.score < 0.0:  # by the criterion "rejection", which tells of it
            return np.inf
        return 2.0 * self.nu + 3.0 * float(np.sqrt(self.nu * (1.0 - self.nu) / found.listed.n_rows))

    def _options(self, groups: ArrayLike | None) -> dict[str, Any]:
        options = super()._options(groups)
        if self.cv is None:
            options["cv"] = KFold(5, shuffle=True, random_state=self.random_state)
        return options

    def decision_function(self, X: Any) -> FloatArray:
        """Decision values of the tuned machine, below 0 for outliers."""
        check_is_fitted(self)
        values: FloatArray = self.best_estimator_.decision_function(X)
        return values

    def score_samples(self, X: Any) -> FloatArray:
        """Decision values without the offset."""
        check_is_fitted(self)
        values: FloatArray = self.best_estimator_.score_samples(X)
        return values

    @property
    def offset_(self) -> FloatArray:
        """``decision_function = score_samples - offset_``."""
        check_is_fitted(self)
        offset: FloatArray = last_machine(self.best_estimator_).offset_
        return offset
