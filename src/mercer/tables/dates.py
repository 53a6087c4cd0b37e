"""Dates as numbers: days and months."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer.tables.cells import cells_of, is_missing, names_of
from mercer.tables.date_formats import find_formats, parse_date

__all__ = ["DateFeatures"]

DAY = np.timedelta64(1, "D")
EPOCH = np.datetime64("1970-01-01", "us")


class DateFeatures(TransformerMixin, BaseEstimator):
    """Replace each column of dates by two of numbers: days since 1970, and the month.

    Dates are texts, Python's dates or columns of datetime. How texts are written is found when
    fitting: ISO 8601, or day, month and year in the usual orders, with or without a time of day.
    Missing dates become NaN, for an imputer behind.

    Attributes
    ----------
    formats_ : list of list of str
        The formats of each column that holds texts, as in :meth:`datetime.datetime.strptime`.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they have any.

    Examples
    --------
    >>> from mercer.tables import DateFeatures
    >>> DateFeatures().fit_transform([["2.1.1970"], ["31.12.1970"]])
    array([[  1.,   1.],
           [364.,  12.]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find how the dates of each column are written."""
        columns, names = cells_of(X), names_of(X)
        self.n_features_in_ = len(columns)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.formats_ = [self._formats(own, k) for k, own in enumerate(columns)]
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return days and month of each column, side by side."""
        check_is_fitted(self, "formats_")
        columns = cells_of(X)
        if len(columns) != self.n_features_in_:
            raise ValueError(f"X must have {self.n_features_in_} columns, got {len(columns)}")
        moments = [self._moments(own, k) for k, own in enumerate(columns)]
        return np.column_stack([part for own in moments for part in _days_and_month(own)])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return NAME_days and NAME_month of each column."""
        check_is_fitted(self, "formats_")
        names = getattr(self, "feature_names_in_", input_features)
        if names is None:
            names = [f"x{k}" for k in range(self.n_features_in_)]
        return np.array([f"{own}_{part}" for own in names for part in ("days", "month")], object)

    def _formats(self, cells: NDArray[Any], k: int) -> list[str]:
        texts = [cell for cell in cells if isinstance(cell, str)]
        formats, left = find_formats(texts)
        if left:
            raise ValueError(f"{self._column(k)} holds values that are no dates, e.g. {left[0]!r}")
        return formats

    def _moments(self, cells: NDArray[Any], k: int) -> NDArray[np.datetime64]:
        if cells.dtype.kind == "M":
            return cells.astype("datetime64[us]")
        known: dict[str, Any] = {}
        moments = np.empty(len(cells), dtype="datetime64[us]")
        for row, cell in enumerate(cells):
            if not isinstance(cell, str):
                moments[row] = self._moment(cell, k)
                continue
            if cell not in known:
                known[cell] = self._moment(cell, k)
            moments[row] = known[cell]
        return moments

    def _moment(self, cell: Any, k: int) -> np.datetime64:
        if is_missing(cell):
            return np.datetime64("NaT")
        moment = parse_date(cell, self.formats_[k]) if isinstance(cell, str) else cell
        if isinstance(moment, datetime) and moment.tzinfo is not None:
            moment = (moment - moment.utcoffset()).replace(tzinfo=None)  # type: ignore[operator]
        if not isinstance(moment, date | np.datetime64):
            known = ", ".join(self.formats_[k]) or "datetimes"
            raise ValueError(f"{self._column(k)} must hold dates ({known}), got {cell!r:.60}")
        return np.datetime64(moment).astype("datetime64[us]")

    def _column(self, k: int) -> str:
        names = getattr(self, "feature_names_in_", None)
        return f"column {k}" if names is None else f"column {names[k]!r}"


def _days_and_month(moments: NDArray[np.datetime64]) -> tuple[NDArray[np.float64], ...]:
    """Days since 1970, with the time of day as a fraction, and months 1 to 12."""
    is_gap = np.isnat(moments)
    days = (np.where(is_gap, EPOCH, moments) - EPOCH) / DAY
    months = np.where(is_gap, EPOCH, moments).astype("datetime64[M]").astype(np.int64) % 12 + 1.0
    return np.where(is_gap, np.nan, days), np.where(is_gap, np.nan, months)
