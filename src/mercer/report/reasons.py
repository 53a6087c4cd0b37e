"""Which features count, for all rows and for single ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import count_rows
from mercer.machines.functions import functions_of, kernel_machine
from mercer.predictions.explain import explain
from mercer.predictions.explanation import Explanation
from mercer.report.inside import IS_MISSING, Inside, taken_apart, target_map
from mercer.report.judged import Judged, label_of, plain, take

__all__ = ["explain_row", "reasons"]

MOST_ROWS = 200  # explained for the mean
MOST_BACKGROUND = 50
MOST_KEPT = 100  # support vectors that explain takes for a background
LEAST_BACKGROUND = 20  # with fewer rows the machine gives the background
MOST_FEATURES = 15
MOST_PARTS = 6  # features named for one row
MOST_WORK = 3e8  # rows x background x support vectors x features


class Explained:
    """Shapley values of the machine inside an estimator, in the units of its predictions.

    Where rows come from a table, its columns are explained: the values of the features that were
    made of one column, one for each category, are added up.
    """

    def __init__(
        self, estimator: Any, inside: Inside, X: Any, n_background: int, least: int = 0
    ) -> None:
        self.inside, self.X = inside, X
        sources = inside.sources(X)
        self.names = list(dict.fromkeys(sources))
        places = {name: j for j, name in enumerate(self.names)}
        self.own = np.array([places[name] for name in sources], dtype=np.intp)
        # a mean over very few rows is near the row itself, which it then differs from in nothing
        n_kept = _n_kept(inside.machine) if _n_rows(X) < least else 0
        self.is_of_machine = n_kept > 0
        self.background: Any = None
        self.n_background = min(n_kept, MOST_KEPT)
        if not n_kept:
            self.background = inside.prepared(take(X, _spaced(_n_rows(X), n_background)))
            self.n_background = int(self.background.shape[0])
        self.line = target_map(estimator)

    def rows(self, rows: NDArray[np.intp]) -> Explanation:
        """The values of some rows."""
        factor, shift = (1.0, 0.0) if self.line is None else self.line
        found = explain(
            self.inside.machine, self.inside.prepared(take(self.X, rows)), self.background
        )
        return Explanation(
            values=factor * self._added(found.values),
            base_values=factor * found.base_values + shift,
            data=found.data,
            feature_names=self.names,
            output_names=found.output_names,
        )

    def _added(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """One value for each column of the table: those of its categories are added up."""
        if len(self.names) == len(self.own):
            return values
        out = np.zeros((len(self.names), values.shape[0], *values.shape[2:]))
        np.add.at(out, self.own, values.swapaxes(0, 1))
        return out.swapaxes(0, 1)


def _n_kept(machine: Any) -> int:
    """How many support vectors a machine has kept."""
    kept = getattr(kernel_machine(machine), "support_vectors_", None)
    return 0 if kept is None else count_rows(kept)


def _n_rows(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _spaced(n: int, most: int) -> NDArray[np.intp]:
    """At most so many of n rows, evenly spaced."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))


def reasons(estimator: Any, inside: Inside, judged: Judged, rows: list[int]) -> dict[str, Any]:
    """Mean sizes of Shapley values by feature, and the values of chosen rows."""
    try:
        own = kernel_machine(inside.machine)
        work = (
            count_rows(functions_of(own).rows) * getattr(own, "n_features_in_", 1) * MOST_BACKGROUND
        )
        n_rows = int(np.clip(MOST_WORK / max(work, 1), 10, MOST_ROWS))
        explained = Explained(estimator, inside, judged.X, MOST_BACKGROUND)
        found = explained.rows(_spaced(judged.n_rows, n_rows))
    except (TypeError, ValueError, AttributeError) as error:
        return {"features": None, "why_not": str(error), "rows": []}
    sizes = np.abs(found.values)
    mean = sizes.mean(axis=tuple(k for k in range(sizes.ndim) if k != 1))
    order = np.argsort(-mean, kind="stable")
    return {
        "features": [
            {"name": explained.names[j], "mean_size": float(mean[j])} for j in order[:MOST_FEATURES]
        ],
        "why_not": None,
        "n_features": len(mean),
        "n_rows": len(found),
        "n_background": explained.n_background,
        "is_mean_of_classes": sizes.ndim == 3,
        "rows": _each_row(explained, judged, rows),
    }


def explain_row(estimator: Any, X: Any, row: int, most: int = 20) -> dict[str, Any]:
    """How the value of one row of a fitted estimator comes about, feature by feature.

    Parameters
    ----------
    estimator : fitted machine, or a pipeline that ends in one
        As for :func:`mercer.write_report`.
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
        Rows; up to 50 of them, evenly spaced, are the background. Of fewer than 20 rows it is up
        to 100 support vectors of the machine, where it has kept any.
    row : int
        Which of them to explain; the first one is 0.
    most : int, default=20
        Features named, the largest first; the others are one number.

    Returns
    -------
    dict
        ``row, label, said, output, base, value, parts, rest, n_rest``: base, all parts and the
        rest add up to the value; ``label`` is that of the row in the index of its table;
        ``background``: ``of`` ("rows" or "support vectors") and ``n_rows``, which base is the
        mean over; ``positive``: the class that positive values speak for, None of numbers.
    """
    n_rows = _n_rows(X)
    if not 0 <= row < n_rows:
        raise ValueError(f"row must lie in 0..{n_rows - 1}, the rows there are, got {row}")
    inside = taken_apart(estimator)
    explained = Explained(estimator, inside, X, MOST_BACKGROUND, LEAST_BACKGROUND)
    one = take(X, np.array([row]))
    said = np.asarray(estimator.predict(one))
    classes = getattr(estimator, "classes_", None)
    found = explained.rows(np.array([row]))
    own = _one_row(explained, found, 0, row, said[0], classes, most)
    of = "support vectors" if explained.is_of_machine else "rows"
    background = {"of": of, "n_rows": explained.n_background}
    return own | {"background": background, "positive": _positive(own["output"], classes)}


def _positive(output: str | None, classes: NDArray[Any] | None) -> str | None:
    """The class that positive values speak for: the one explained, or the second of two."""
    return output if output is not None or classes is None else str(classes[-1])


def _each_row(explained: Explained, judged: Judged, rows: list[int]) -> list[dict[str, Any]]:
    """How the values of single rows come about."""
    if not rows:
        return []
    found = explained.rows(np.asarray(rows, dtype=np.intp))
    return [
        _one_row(explained, found, k, row, judged.predicted[row], judged.classes, MOST_PARTS)
        for k, row in enumerate(rows)
    ]


def _one_row(
    explained: Explained,
    found: Explanation,
    k: int,
    row: int,
    said: Any,
    classes: NDArray[Any] | None,
    most: int,
) -> dict[str, Any]:
    """Entry k of an explanation, the row of that number; of many classes for the one predicted."""
    output, own, base = None, found.values[k], found.base_values[k]
    if own.ndim == 2:
        assert classes is not None
        at = int(np.searchsorted(classes, said))
        output, own, base = str(classes[at]), own[:, at], base[at]
    order = np.argsort(-np.abs(own), kind="stable")
    return {
        "row": int(row),
        "label": label_of(explained.X, int(row)),
        "said": plain(said),
        "output": output,
        "base": float(base),
        "value": float(base + own.sum()),
        "parts": [
            {
                "name": explained.names[j],
                "data": _shown(explained, int(row), int(j), found.data[k]),
                "value": float(own[j]),
            }
            for j in order[:most]
        ],
        "rest": float(own[order[most:]].sum()),
        "n_rest": max(len(own) - most, 0),
    }


def _shown(explained: Explained, row: int, j: int, prepared: NDArray[np.float64]) -> Any:
    """The value of a column of the table, or else of the feature as the machine sees it."""
    if explained.names[j] in getattr(explained.X, "columns", ()):
        column = explained.X[explained.names[j]]
        return plain(column.iloc[row] if hasattr(column, "iloc") else column[row])
    own = prepared[np.flatnonzero(explained.own == j)]
    if explained.inside.steps and explained.names[j].endswith(IS_MISSING):
        # 1 or 0, which a scaler may have moved to both sides of 0
        return "yes" if own.max() > 0.0 else "no"
    return plain(own[0])
