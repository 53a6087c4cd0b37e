"""Which C to take, given what held-out rows say."""

from __future__ import annotations

import numpy as np

from mercer.paths.curves.step_function import StepFunction
from mercer.paths.results.class_paths import ClassPaths
from mercer.paths.validation.cross_validation import HeldOut

__all__ = ["choose_C"]

_ROUNDING = 1e-12


def choose_C(
    paths: ClassPaths, held_out: HeldOut, C_min: float, C_max: float, *, is_careful: bool
) -> float:
    """Middle (of log C) of the widest range with the best score, where C matters and is allowed.

    Where a score is not known for every C, the evaluated one next to the middle. Careful: of the
    first range that is within one standard error of it, which has the smallest C (Breiman et al.
    1984, section 3.4.3). Without a score: 1, or the next C that is known.
    """
    score = held_out.score
    least, most = max(paths.begin, C_min), min(paths.end, C_max)
    if score is None or score.end < least:
        return float(np.clip(1.0, least, most))
    if paths.status == "trivial":
        return float(np.clip(np.clip(1.0, score.x[0] or 1.0, score.end), least, most))
    low, high = np.clip(_widened(score, *paths.range_of_interest), least, most).tolist()
    pieces = [
        (max(begin, low), min(end, high), value)
        for begin, end, value in score.pieces()
        if begin <= high and end >= low
    ]
    best = max(value for _, _, value in pieces)
    begin, end = max(
        ((begin, end) for begin, end, value in pieces if value >= best - _ROUNDING),
        key=lambda piece: piece[1] / piece[0],
    )
    C = _middle(begin, end, held_out)
    if is_careful:
        enough = best - held_out.standard_error(C, held_out.n_done) - _ROUNDING
        begin, end = next((begin, end) for begin, end, value in pieces if value >= enough)
        C = _middle(begin, end, held_out)
    return float(np.clip(C, low, high))


def _middle(begin: float, end: float, held_out: HeldOut) -> float:
    """Of the logarithm of a piece, or the evaluated C of the piece that is nearest to it."""
    C = float(np.sqrt(begin * end))
    if (Cs := held_out.known_at) is None:
        return C
    # a piece begins where it was evaluated, and ends before the next one
    inside = Cs[(Cs == begin) | ((Cs > begin) & (Cs < end))]
    return float(inside[np.abs(np.log(inside / C)).argmin()]) if len(inside) else C


def _widened(score: StepFunction, low: float, high: float) -> tuple[float, float]:
    """The range with the jumps of the score that lie before it, up to where that is known."""
    high = min(high, score.end)
    begins = score.x[score.x > 0]
    first = float(begins[0]) if len(begins) else low
    # with a C of its own for what lies before the first jump
    low = max(min(low, 0.5 * first), float(score.x[0]))
    return min(low, high), high
