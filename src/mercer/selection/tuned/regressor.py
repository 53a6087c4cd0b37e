"""Regressors that tune themselves, of one target or several.

Targets may differ in all that is searched: how smooth they are (the width), how noisy (C), and in
what unit (the scale that C and epsilon follow). So there is a search for each, and every target is
predicted as well as if it were the only one; they share the rows and the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from mercer.machines.certified import table_html
from mercer.machines.fit_context import fit_context
from mercer.selection.tuned.base import TunedMachine
from mercer.selection.tuned.targets import (
    copied,
    fit_one,
    gathered,
    has_several,
    labels_of,
    plot_targets,
    read_several,
    share_of_time,
    table_of,
)
from mercer.solvers.runs.deadline import Deadline

__all__ = ["TunedRegressor"]

FloatArray = NDArray[np.float64]


class TunedRegressor(RegressorMixin, TunedMachine):
    """A tuned machine for a vector of targets, or a list of such machines for a matrix."""

    estimators_: list[Self]
    target_names_: NDArray[Any]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose the parameters, and fit the machine with them on all rows.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a weight of 2 is the same as the row given twice.
        groups : array-like of shape (n_samples,), default=None
            Groups of rows that stay together, for a ``cv`` that needs them.

        Returns
        -------
        self : object
        """
        if not has_several(y):
            return super().fit(X, y, sample_weight, groups=groups)
        columns, names = read_several(self._machine(), X, y, sample_weight)
        begun: list[Self] = []
        try:
            for own, label, target in self._one_by_one(columns, labels_of(names, len(columns))):
                begun.append(own)
                fit_one(own, label, X, target, sample_weight, groups=groups)
        except KeyboardInterrupt:
            if begun:  # the last one is not done, and so the machine is not fitted
                if hasattr(begun[-1], "best_estimator_"):
                    begun[-1]._forget()
                self._keep_targets(begun, names)
            raise
        self._keep_targets(begun, names)
        return self

    def _one_by_one(
        self, columns: list[NDArray[Any]], labels: list[str]
    ) -> Iterator[tuple[Self, str, NDArray[Any]]]:
        """One target after the other, each with a machine of its own and its share of the time."""
        deadline = Deadline.after(self.max_time)
        splits = list(self.cv) if isinstance(self.cv, Iterator) else self.cv
        earlier = getattr(self, "estimators_", []) if self.warm_start else []
        for k, (label, target) in enumerate(zip(labels, columns, strict=True)):
            before = earlier[k] if k < len(earlier) else None
            own = copied(self, before, splits, share_of_time(deadline, len(columns) - k))
            yield own, label, target

    def _keep_targets(self, machines: list[Self], names: NDArray[Any] | None) -> None:
        """The searches of all targets, and their attributes side by side."""
        self._forget()
        for name in ("_search_key", "_edges"):  # of a fit to one target
            self.__dict__.pop(name, None)
        for own in machines:
            own.set_params(max_time=self.max_time)
        self.estimators_ = machines
        if names is not None:
            self.target_names_ = names
        self.__dict__.update(gathered(machines))

    @property
    def _labels(self) -> list[str]:
        return labels_of(vars(self).get("target_names_"), len(self.estimators_))

    def _chosen_html(self) -> str:
        if not hasattr(self, "estimators_"):
            return super()._chosen_html()
        return table_html(table_of(self.estimators_, self._labels))

    def predict(self, X: Any) -> FloatArray:
        """Value at each row: shape (n_samples,) or (n_samples, n_targets)."""
        check_is_fitted(self)
        if not hasattr(self, "estimators_"):
            return np.asarray(self.best_estimator_.predict(X))
        return np.column_stack([own.predict(X) for own in self.estimators_])

    def plot(self, ax: Any = None) -> Any:
        """Draw the search: the criterion over C and the width, or over the evaluations.

        Those of several targets are drawn side by side; ``ax`` is then a list of axes.
        """
        check_is_fitted(self)
        if not hasattr(self, "estimators_"):
            return super().plot(ax)
        return plot_targets(self.estimators_, self._labels, ax)
