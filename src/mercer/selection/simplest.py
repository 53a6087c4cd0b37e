"""The simplest parameters that are as good as the best, as far as their splits can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mercer.selection.deviation import standard_error
from mercer.selection.search_result import SearchResult
from mercer.selection.space import Space

__all__ = ["first_within_error", "simplest_within_error"]

FloatArray = NDArray[np.float64]
_ROUNDING = 1e-9


def simplest_within_error(found: SearchResult) -> SearchResult:
    """The point of a search with the smallest C within one standard error of the best score.

    The rule of Breiman et al. 1984, section 3.4.3; the error is that of the mean over the splits
    at the best point. Of equal C the widest kernel; none is narrower than the best one, so that
    what is chosen is simpler in every respect.
    """
    history, chosen = found.listed, found.chosen
    if chosen is None or not len(history.by_split[chosen]):
        return found
    scores = found.as_scores(np.asarray(history.values))
    enough = scores[chosen] - standard_error(history.by_split[chosen])
    log_C = np.array([theta[0] for theta in history.thetas])
    pairs = zip(history.spaces, history.thetas, strict=True)
    narrow = np.array([_narrowness(*pair) for pair in pairs])
    is_simple = (log_C <= log_C[chosen] + _ROUNDING) & (narrow <= narrow[chosen] + _ROUNDING)
    # no comparison with NaN holds
    candidates = np.flatnonzero(is_simple & (scores >= enough))
    if not len(candidates):
        return found
    best = int(candidates[np.lexsort((narrow[candidates], log_C[candidates].round(9)))[0]])
    return replace(
        found,
        space=history.spaces[best],
        theta=history.thetas[best],
        score=float(scores[best]),
        chosen=best,
    )


def first_within_error(scores: Sequence[FloatArray]) -> int:
    """The first of some choices that is no worse than the best by more than its standard error.

    Of each the scores of all splits.
    """
    means = np.array([own.mean() for own in scores])
    enough = means.max() - standard_error(scores[int(means.argmax())])
    return int(np.flatnonzero(means >= enough - _ROUNDING * abs(enough))[0])


def _narrowness(space: Space, theta: FloatArray) -> float:
    """Mean logarithm of the gammas of a kernel; one with several gammas counts by their mean."""
    widths = space.moved_to(theta)[0].widths
    means = [float(np.mean(np.diagonal(g) if g.ndim == 2 else g)) for g in widths]
    return float(np.mean(np.log(means))) if means else 0.0
