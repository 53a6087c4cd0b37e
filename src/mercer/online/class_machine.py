"""Classes of an online machine: known ones, new ones, and their probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from mercer.calibration.temperature import by_class, fit_slope
from mercer.machines.available import available_or_told
from mercer.machines.least_squares.one_against_all import places_of
from mercer.online.active import ActiveMachine
from mercer.online.chunks import NEAR
from mercer.online.classes import all_classes, grown_state, grown_values, signed_terms
from mercer.online.stream import Stream
from mercer.training.classes import find_classes, weigh_classes

__all__ = ["ClassMachine"]

FloatArray = NDArray[np.float64]
_MOST_JUDGED = 1000  # examples that probabilities are fitted to, the last ones


def _has_probability(machine: Any) -> bool:
    if not machine.probability:
        raise AttributeError("predict_proba needs probability=True from the first chunk on")
    return True


class ClassMachine(ActiveMachine):
    """A stream of examples that have classes."""

    @property
    def _n_functions(self) -> int:
        n_classes = len(self.classes_)
        return 1 if n_classes <= 2 else n_classes

    @property
    def _slack(self) -> float:
        return NEAR

    def _terms(self, targets: NDArray[Any], weight: FloatArray) -> FloatArray:
        """Labels -1 and +1, and boxes [0, C w] and [-C w, 0]."""
        return signed_terms(targets, len(self.classes_), self.C * weight)

    def _read_chunk(
        self, X: Any, y: Any, classes: ArrayLike | None, sample_weight: ArrayLike | None
    ) -> tuple[Any, NDArray[np.intp], FloatArray]:
        """Checked rows, class of each, and weights; the first chunk begins a stream."""
        self._check_combination()
        first = not hasattr(self, "_stream")
        if not first:
            self._check_fixed()
        X, y, weight = self._validate_chunk(X, y, sample_weight, first=first)
        if self.class_weight == "balanced":
            raise ValueError("class_weight='balanced' needs all rows: use a dict in partial_fit")
        announced = None if classes is None else np.unique(np.asarray(classes))
        if first:
            self._has_all_classes = announced is not None
            self.classes_ = all_classes(y) if announced is None else announced
        else:
            self._read_classes(y, announced)
        labels = self._labels(y)
        self.class_weight_ = self._weigh_classes()
        if first:
            self._begin(X, weight)
        return X, labels, weight * self.class_weight_[labels]

    def _read_classes(self, y: NDArray[Any], announced: NDArray[Any] | None) -> None:
        """Classes of a later chunk: new ones are added, unless all were announced."""
        if announced is not None:
            is_same = np.array_equal(announced, self.classes_)
            if not is_same and (
                self._has_all_classes or not np.isin(self.classes_, announced).all()
            ):
                raise ValueError(
                    f"classes must be those that are known, {self.classes_.tolist()}, got "
                    f"{announced.tolist()}"
                )
            self._grow(announced)
            self._has_all_classes = True
        elif not self._has_all_classes:
            self._grow(all_classes(y, self.classes_))

    def _weigh_classes(self) -> FloatArray:
        """Weight of each class; those of classes that may still come wait for them."""
        known, given = self.classes_.tolist(), self.class_weight
        if isinstance(given, dict) and not self._has_all_classes:
            given = {name: weight for name, weight in given.items() if name in known}
        return weigh_classes(given, self.classes_, self.classes_, np.ones(len(known)))

    def _labels(self, y: NDArray[Any]) -> NDArray[np.intp]:
        """The class of each row of a chunk."""
        is_plain = y.ndim == 1 and y.dtype.kind == self.classes_.dtype.kind == "i"
        if is_plain and len(self.classes_) > 1:
            places = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1)
            if (self.classes_[places] == y).all():
                return places
        if len(self.classes_) == 1 and not self._has_all_classes:
            return np.zeros(len(y), dtype=np.intp)
        found, labels = find_classes(y)
        return places_of(found, self.classes_)[labels]

    def _grow(self, classes: NDArray[Any]) -> None:
        """More classes, the old ones among them; what is kept of the stream is as it was."""
        if np.array_equal(classes, self.classes_):
            return
        places = np.searchsorted(classes, self.classes_)
        old, n_classes = self._stream, len(classes)
        state, rows = grown_state(old.state(), places, n_classes), None
        if old.n_kept:
            rows = old.rows()
        self.classes_ = classes
        self._stream = Stream(old.kernel, self._rules(), old.packing)
        self._stream.n_recomputed = old.n_recomputed
        if rows is not None:
            self._stream.begin(state, rows)
        if self._history is not None:
            self._history = self._history.relabelled(places)
        if self._judged is not None:
            values, labels, weight = self._judged
            self._judged = grown_values(values, places, n_classes), places[labels], weight
        self._changed()

    def _judge(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> None:
        """Remember the values of examples before they are learned."""
        if not self._judges or not self.n_kept_ or len(self.classes_) < 2:
            return
        values = self._reading.values(X)
        values = by_class(values[:, 0] if values.shape[1] == 1 else values)
        some: tuple[Any, ...] = (values, targets, weight)
        if self._judged is not None:
            some = tuple(np.concatenate(pair) for pair in zip(self._judged, some, strict=True))
        self._judged = tuple(part[-_MOST_JUDGED:] for part in some)

    @available_or_told(_has_probability)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class, columns as in ``classes_``.

        softmax(slope f), for two classes expit(2 slope f): the most probable class is the predicted
        one. The slope is that of the greatest likelihood of the last 1,000 examples, each judged by
        the machine as it was before it learned from them; of a first chunk half is learned first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        check_is_fitted(self)
        values = self._values(X)
        if len(self.classes_) == 1:
            return np.ones((len(values), 1))
        if self._judged is None:
            raise ValueError(
                "predict_proba needs examples that came after others were learned, with "
                "probability=True: got none so far"
            )
        slope = fit_slope(*self._judged)
        return softmax(slope * by_class(values[:, 0] if values.shape[1] == 1 else values), axis=1)
