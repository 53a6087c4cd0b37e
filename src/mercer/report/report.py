"""Everything that is known of a fitted machine and of rows that it predicts, as one report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from mercer.formulations.checks import check_scalar
from mercer.machines.certified import certificate
from mercer.report.classes import (
    class_scores,
    class_verdict,
    confusion,
    flagged_verdict,
    thresholds,
)
from mercer.report.facts import described, reproduction
from mercer.report.inside import Inside, n_seen, taken_apart
from mercer.report.judged import Judged, judge
from mercer.report.listed import listed_rows
from mercer.report.numbers import number_verdict, residuals
from mercer.report.page import page
from mercer.report.probabilities import calibration
from mercer.report.reasons import reasons
from mercer.report.search import trials, tuned_inside
from mercer.report.training import from_training
from mercer.report.words import verdict_lines

__all__ = ["SCHEMA", "Report", "write_report"]

SCHEMA = "mercer.report/1"
MOST_EXPLAINED = 6


@dataclass(frozen=True, eq=False)
class Report:
    """What is known about a machine and its predictions.

    Attributes
    ----------
    data : dict
        Every number of the page, as JSON can hold it (docs/report.md has the fields).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, write_report
    >>> X, y = load_iris(return_X_y=True)
    >>> report = write_report(SVC().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> report
    Report: 93.3 % of 75 rows are right (95 % interval 85.1 % to 97.8 %).
    >>> len(report.to_html()) < 1_000_000
    True
    """

    data: dict[str, Any]

    def __repr__(self) -> str:
        return f"Report: {verdict_lines(self.data)[0]}"

    def to_json(self, *, indent: int | None = None) -> str:
        """Return all numbers as JSON.

        Parameters
        ----------
        indent : int, default=None
            Spaces a level; None writes one line.

        Returns
        -------
        str
        """
        return json.dumps(self.data, indent=indent, allow_nan=False, ensure_ascii=False)

    def to_html(self) -> str:
        """Return one page that needs no other file and no network.

        Returns
        -------
        str
        """
        return page(self.data)

    def save(self, file: str | PathLike[str]) -> None:
        """Write the page.

        Parameters
        ----------
        file : str or path
            Where to; a file that is there is replaced.
        """
        Path(file).write_text(self.to_html(), encoding="utf-8")


def write_report(
    machine: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    file: str | PathLike[str] | None = None,
    *,
    confidence: float = 0.95,
    explained: bool = True,
    title: str | None = None,
    facts: Mapping[str, str] | None = None,
    search: Mapping[str, Any] | None = None,
    training: tuple[Any, ArrayLike] | None = None,
) -> Report:
    """Evaluate a fitted machine on rows, and write the results as one HTML page.

    The page is one file of less than 1 MB, however many rows there are; it loads nothing from the
    network and can be read without JavaScript.

    Parameters
    ----------
    machine : fitted classifier, regressor or outlier detector
        A machine of mercer, one that is tuned, calibrated or conformal, or a pipeline that ends in
        one.
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features), default=None
        Rows that it was not trained on. None reports what the machine itself tells.
    y : array-like of shape (n_rows,), default=None
        Their labels or targets; may be left out for outliers.
    file : str or path, default=None
        Where the page goes; None writes none.
    confidence : float, default=0.95
        Of the intervals.
    explained : bool, default=True
        Whether Shapley values tell which features count.
    title : str, default=None
        Heading; None is the class of the machine.
    facts : mapping of str to str, default=None
        More to tell of where model and rows come from, for example the command.
    search : mapping, default=None
        What was tried, as :func:`mercer.report.trials` gives it, if the machine that did is not in
        ``machine``.
    training : tuple of rows and labels, default=None
        Those that the machine was trained on. They tell what every other C would do (the exact
        path, up to 1,000 rows of them) and whether more rows would help (machines trained on
        parts of them), both judged on ``X``.

    Returns
    -------
    Report

    Examples
    --------
    >>> from mercer import TunedSVC, write_report
    >>> from mercer.datasets import load_example
    >>> X, y, names = load_example()
    >>> report = write_report(TunedSVC().fit(X[::2], y[::2]), X[1::2], y[1::2], "report.html")
    >>> report.data["verdict"]["gain_interval"][0] > 0.2
    True
    """
    check_is_fitted(machine)
    confidence = check_scalar("confidence", confidence, high=1.0)
    rows = _as_rows(X)
    inside = taken_apart(machine)
    tuned = tuned_inside(machine)
    data = {
        "schema": SCHEMA,
        "title": title or f"Report on {type(inside.machine).__name__}",
        "machine": described(inside.machine),
        **_judged_parts(machine, inside, rows, y, confidence, explained, training),
        "search": dict(search) if search else None if tuned is None else trials(tuned, machine),
        "certificate": certificate(inside.machine),
        "reproduce": reproduction(machine, inside.machine, rows, y) | {"facts": dict(facts or {})},
    }
    report = Report(data)
    if file is not None:
        report.save(file)
    return report


def _as_rows(X: Any) -> Any:
    """Rows that can be counted and taken; those of objects stay what they are."""
    if X is None or hasattr(X, "shape"):
        return X
    if len(X) and np.ndim(X[0]) == 0:
        rows = np.empty(len(X), dtype=object)
        rows[:] = X
        return rows
    return np.asarray(X)


def _as_pair(training: Any) -> tuple[Any, Any]:
    if not isinstance(training, tuple | list) or len(training) != 2:
        raise TypeError(f"training must be a pair of rows and labels, got {training!r:.80}")
    return _as_rows(training[0]), training[1]


_OF_ROWS = (
    *("task", "rows", "verdict", "confusion", "thresholds", "classes", "residuals"),
    *("calibration", "reasons", "doubtful", "suspects", "training"),
    *("path", "growth"),
)


def _judged_parts(
    machine: Any,
    inside: Inside,
    X: Any,
    y: ArrayLike | None,
    confidence: float,
    explained: bool,
    training: tuple[Any, ArrayLike] | None,
) -> dict[str, Any]:
    """What rows tell, part by part; None where a part does not apply."""
    parts: dict[str, Any] = dict.fromkeys(_OF_ROWS)
    if X is None:
        if y is not None:
            raise ValueError("X must hold the rows that y belongs to, got None")
        if training is not None:
            raise ValueError("X must hold rows to judge by beside those of training, got None")
        return parts
    judged = judge(machine, X, y)
    listed = listed_rows(judged)
    parts |= {"task": judged.task, "rows": _of_rows(inside, judged)} | listed
    if training is not None:
        parts |= from_training(machine, inside, judged, _as_pair(training), confidence)
    if explained:
        parts["reasons"] = reasons(machine, inside, judged, _to_explain(listed))
    if judged.task == "numbers":
        return parts | {
            "verdict": number_verdict(judged, confidence),
            "residuals": residuals(judged),
        }
    if judged.task == "outliers":
        return parts | {"verdict": flagged_verdict(judged, confidence)}
    return parts | {
        "verdict": class_verdict(judged, confidence),
        "confusion": confusion(judged),
        "thresholds": thresholds(judged),
        "classes": class_scores(judged, confidence),
        "calibration": calibration(judged, confidence),
    }


def _of_rows(inside: Inside, judged: Judged) -> dict[str, Any]:
    try:
        seen = n_seen(inside, inside.prepared(judged.X))
    except AttributeError:
        seen = None
    return {
        "n_rows": judged.n_rows,
        "n_features": int(judged.X.shape[1]) if len(judged.X.shape) > 1 else 1,
        "n_seen": seen,
    }


def _to_explain(listed: dict[str, Any]) -> list[int]:
    """The first few doubtful rows and suspects, each once."""
    suspects = (listed["suspects"] or {}).get("rows", [])
    half = MOST_EXPLAINED // 2
    first = [*(listed["doubtful"] or [])[:half], *suspects[:half]]
    return list(dict.fromkeys(one["row"] for one in first)) or [0]
