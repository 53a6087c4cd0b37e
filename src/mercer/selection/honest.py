"""What new rows will make of a search: the score without the luck of the choice.

The best of many candidates owes part of its score to the rows that chose it. So each split is
judged by the candidate that the other splits would have chosen:

    c(k) = argmax over c of the mean of score[c, j] over j != k,    score = mean of score[c(k), k],

over equal candidates their mean; of several kernels each has its own c(k), and the other splits
choose among these by the rule of the search: the choice itself is validated (Varma & Simon 2006),
without a second level of fits (Tsamardinos et al. 2018). Candidates must not know the rows of split
k: few parameters hardly do, many widths found by gradients do, so those are searched once more
without it (:mod:`mercer.selection.many_widths`).

The interval is one of 95 %. Shares of right rows have that of Wilson 1927, mean squared errors one
by factors from their deviation over rows, both with the error enlarged, since the machine of all
rows is another one than those of the splits; any other score has that of the mean over splits,
with the variance of Nadeau & Bengio 2003: s^2 (1 / n_splits + n_test / n_train).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from mercer.selection.deviation import deviation
from mercer.selection.held_out import HeldOut
from mercer.selection.search_result import SearchResult
from mercer.selection.simplest import first_within_error, simplest_within_error
from mercer.selection.training_task import TrainingTask

__all__ = ["Honest", "honest_of", "scores_without_own"]

FloatArray = NDArray[np.float64]

_LEVEL = 0.95
_QUANTILE = float(norm.ppf(0.5 + 0.5 * _LEVEL))
_ENLARGED = 1.3  # of shares, measured: docs/model_selection.md
_ENLARGED_ERRORS = 1.5  # of squared errors, the same
# Scores between 0 and 1, by the beginning of their names in scikit-learn.
_SHARES = ("accuracy", "average_precision", "balanced_accuracy", "f1", "jaccard", "precision",
           "recall", "roc_auc", "top_k_accuracy")  # fmt: skip
_MOST_CAREFUL = 20  # splits without which a careful choice is made anew
_ROUNDING = 1e-9  # of logarithms of widths
_BLIND = ("alignment", "polarization")  # they have seen all labels


@dataclass(frozen=True)
class Honest:
    """A score that the choice has not seen.

    Attributes
    ----------
    score : float
        On new rows, as far as it can be told.
    interval : tuple of float
        Where it lies in 95 of 100 cases.
    kind : str
        "left-out-splits" or "nested".
    """

    score: float
    interval: tuple[float, float]
    kind: str


def honest_of(
    found: SearchResult,
    task: TrainingTask,
    objective: str,
    *,
    is_careful: bool = False,
    has_groups: bool = False,
) -> Honest | None:
    """The honest score of a search by splits; None if its criterion has none.

    That is so without targets or splits, with a single split, with splits drawn at each evaluation,
    and with several kernel parameters that were fitted to all rows.
    """
    if task.y is None or (objective in _BLIND and found.space.kernel.n_dims > 1):
        return None
    scores = scores_without_own(found, is_careful=is_careful)
    kind = "left-out-splits" if found.nested is None else "nested"
    if len(scores) < 2 or not np.isfinite(scores).all():
        return None
    interval = _in_range(found.loss, *_interval(found, task, scores, has_groups))
    return Honest(float(scores.mean()), interval, kind)


def scores_without_own(found: SearchResult, *, is_careful: bool = False) -> FloatArray:
    """The score of each split by what the other splits choose; empty if that is not known."""
    own = _of_kernel(found, is_careful=is_careful)
    if not found.others or not len(own[0]):
        return own[0]
    rows = found.listed.n_rows
    kernels = [one for one in (found, *found.others) if one.listed.n_rows == rows]
    kernels.sort(key=lambda one: one.place)
    known = [_of_kernel(one, is_careful=is_careful) for one in kernels]
    known = [one for one in known if one[0].shape == own[0].shape]
    scores = []
    for k in range(len(own[0])):
        chosen = first_within_error([others[k] for _, others in known])
        scores.append(known[chosen][0][k])
    return np.array(scores)


def _of_kernel(found: SearchResult, *, is_careful: bool) -> tuple[FloatArray, list[FloatArray]]:
    """Of one kernel: the score of each split by what the others choose, and theirs of that choice.

    Searches that have not seen a split have no others: what they say of it is that of the rest.
    """
    if found.nested is not None:
        nested = found.nested
        return nested, [np.delete(nested, k) for k in range(len(nested))]
    known = _candidates(found)
    if found.chosen not in known:
        return np.empty(0), []
    by_split = [found.listed.by_split[k] for k in known]
    table = np.asarray(found.as_scores(np.array(by_split)))
    others = table.sum(axis=1)[:, None] - table
    best = others.max(axis=0)
    is_best = others >= best - 1e-12 * np.abs(best)
    scores = (table * is_best).sum(axis=0) / is_best.sum(axis=0)
    if is_careful and table.shape[1] <= _MOST_CAREFUL:
        scores = np.array([_careful(found, known, k) for k in range(table.shape[1])])
    chosen = others.argmax(axis=0)
    return scores, [np.delete(table[chosen[k]], k) for k in range(table.shape[1])]


def _candidates(found: SearchResult) -> list[int]:
    """Points with a score of every split that differ by C and one factor of all widths only.

    Others were found by gradients that have seen all rows.
    """
    history = found.listed
    if history.is_stochastic or found.chosen is None:
        return []
    first, direction = history.thetas[0][1:], found.space.width_direction
    size = max(float(direction @ direction), 1e-300)
    count = len(history.by_split[found.chosen])
    known = []
    for k, (theta, own) in enumerate(zip(history.thetas, history.by_split, strict=True)):
        apart = theta[1:] - first
        beside = apart - (apart @ direction / size) * direction
        is_own = len(apart) < 2 or float(np.abs(beside).max()) < _ROUNDING
        if count > 1 and len(own) == count and np.isfinite(own).all() and is_own:
            known.append(k)
    return known


def _careful(found: SearchResult, known: list[int], k: int) -> float:
    """The score of split k by the simplest candidate that is as good on the others."""
    listed = found.listed
    own = [listed.by_split[j] for j in known]
    others = [np.delete(values, k) for values in own]
    history = replace(
        listed,
        values=[float(values.mean()) for values in others],
        by_split=others,
        thetas=[listed.thetas[j] for j in known],
        spaces=[listed.spaces[j] for j in known],
    )
    chosen = simplest_within_error(replace(found, listed=history, chosen=history.best)).chosen
    assert chosen is not None
    return float(found.as_scores(own[chosen][k]))


def _in_range(loss: str | None, low: float, high: float) -> tuple[float, float]:
    """An interval of splits that differ widely may leave the values that a score can have."""
    if loss is None:
        return low, high
    least, most = (0.0, 1.0) if loss.startswith(_SHARES) else (-np.inf, np.inf)
    if loss.startswith("neg_"):
        most = 0.0
    elif loss in ("r2", "explained_variance"):
        most = 1.0
    return max(low, least), min(high, most)


def _interval(
    found: SearchResult, task: TrainingTask, scores: FloatArray, has_groups: bool
) -> tuple[float, float]:
    """By rows where the score is a mean over them, else by splits."""
    held_out, loss = found.listed.held_out, found.loss
    score = float(scores.mean())
    tested = None if held_out is None else held_out.tested()
    if tested is None or has_groups:
        return _of_splits(scores, task.n_rows, tested)
    weight = float(task.weight[tested].sum())
    if loss == "zero_one":
        return _wilson(score, weight)
    known = found.listed.held_out_at(found.theta)
    if loss == "squared" and not task.is_classifier and known is not None:
        return _of_rows(scores, _squared(known, task), task.weight[tested])
    return _of_splits(scores, task.n_rows, tested)


def _wilson(share: float, count: float) -> tuple[float, float]:
    """Of a share of rows (Wilson 1927)."""
    z2 = (_QUANTILE * _ENLARGED) ** 2
    middle = (share + 0.5 * z2 / count) / (1.0 + z2 / count)
    half = np.sqrt(z2 * (share * (1.0 - share) / count + 0.25 * z2 / count**2)) / (1.0 + z2 / count)
    return max(float(middle - half), 0.0), min(float(middle + half), 1.0)


def _squared(known: HeldOut, task: TrainingTask) -> FloatArray:
    """Squared errors of the tested rows in ascending order; the mean for rows tested repeatedly."""
    rows, predicted = np.concatenate(known.rows), np.concatenate(known.predicted)
    apart = (task.y[rows] - predicted).astype(np.float64)
    counts = np.bincount(rows, minlength=task.n_rows)
    total = np.bincount(rows, apart**2, minlength=task.n_rows)
    return np.asarray(total[counts > 0] / counts[counts > 0])


def _of_rows(scores: FloatArray, errors: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Of a mean squared error, by factors; a weight of 2 is the row given twice.

    Large errors are few: the rows alone may have missed them, so splits may widen it.
    """
    score, mean = -float(scores.mean()), float(np.average(errors, weights=weight))
    if not (score > 0.0 and mean > 0.0):
        return _of_splits(scores, len(errors), None)
    deviation_of_rows = np.sqrt(np.average((errors - mean) ** 2, weights=weight))
    by_rows = _QUANTILE * _ENLARGED_ERRORS * deviation_of_rows / np.sqrt(weight.sum()) / mean
    logarithms = np.log(np.maximum(-scores, np.finfo(float).tiny))
    low, high = _of_splits(logarithms, len(errors), None)
    half = max(float(by_rows), 0.5 * (high - low))
    return -score * float(np.exp(half)), -score * float(np.exp(-half))


def _of_splits(
    scores: FloatArray, n_rows: int, tested: NDArray[np.intp] | None
) -> tuple[float, float]:
    """Of a mean over splits (Nadeau & Bengio 2003)."""
    count = len(scores)
    share = 1.0 / count if tested is None else min(len(tested) / n_rows / count, 0.5)
    error = deviation(scores, ddof=1) * np.sqrt(1.0 / count + share / (1.0 - share))
    half = float(t.ppf(0.5 + 0.5 * _LEVEL, count - 1) * error)
    return float(scores.mean()) - half, float(scores.mean()) + half
