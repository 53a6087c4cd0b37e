"""The page on a machine, as a method of the machine."""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike

__all__ = ["Reported"]


class Reported:
    """A machine that can be reported on."""

    def report(
        self,
        X: Any = None,
        y: ArrayLike | None = None,
        file: str | PathLike[str] | None = None,
        **options: Any,
    ) -> Any:
        """Evaluate the machine on rows, and write the results as one HTML page.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features), default=None
            Rows that it was not trained on. None reports what the machine itself tells.
        y : array-like of shape (n_rows,), default=None
            Their labels or targets; may be left out for outliers.
        file : str or path, default=None
            Where the page goes; None writes none.
        **options : Any
            As for :func:`mercer.write_report`.

        Returns
        -------
        Report
            The page, and its numbers as ``data``.
        """
        # the package of reports imports those of machines, so it is looked up when it is needed
        return import_module("mercer.report").write_report(self, X, y, file, **options)
