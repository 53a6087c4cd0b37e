"""Where a path changes its mind about a row: exact error curves.

See docs/theory/paths.md#error-curves.

For a row x the function s(x, t) = t f(x) = sum_j a_j(t) k(x_j, x) + t b is affine in t on every
segment, and has the sign of f. So the error of a whole path follows from its values at the
breakpoints: a sign that differs at the two ends of a segment changes once, at a known place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mercer.paths.segments import Segments
from mercer.paths.step_function import StepFunction

if TYPE_CHECKING:
    from mercer.paths.path import Path

__all__ = ["Block", "error_function", "margins"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
# Kernel values of the rows of interest (first axis) against the rows of some variables.
Block = Callable[[IntArray], FloatArray]
_WINDOW = 256  # segments looked at together


def margins(segments: Segments, block: Block) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Parameters of successive breakpoints and s of every row there, window by window.

    Windows overlap by one breakpoint. Only the variables that move within a window are
    multiplied; the share of the others is carried over.
    """
    parameter = np.append(segments.parameter, segments.end_parameter)
    point = segments.coef(0, segments.parameter[0])
    used = np.flatnonzero(point)
    last = block(used) @ point[used]
    for begin in range(0, len(segments), _WINDOW):
        end = min(begin + _WINDOW, len(segments))
        moving, values = segments.window(begin, end)
        values = np.column_stack([values, _at_end(segments, end - 1, moving, parameter[end])])
        kernel = block(moving)
        still = last - kernel @ values[:, 0]
        product = kernel @ values
        last = still + product[:, -1]
        bias = np.append(segments.bias[begin:end], _bias_at(segments, end - 1, parameter[end]))
        yield parameter[begin : end + 1], still[:, None] + product + bias


def _at_end(segments: Segments, k: int, variables: IntArray, parameter: float) -> FloatArray:
    return np.asarray(segments.coef(k, parameter)[variables])


def _bias_at(segments: Segments, k: int, parameter: float) -> float:
    return float(segments.bias[k] + (parameter - segments.parameter[k]) * segments.bias_rate[k])


def error_function(path: Path, block: Block, sign: FloatArray, weight: FloatArray) -> StepFunction:
    """Weighted share of the rows whose sign is not that of f, as a function of C.

    Parameters
    ----------
    path : Path
        The path.
    block : callable
        Kernel values of the rows against those of given variables.
    sign : ndarray of shape (n_rows,)
        The labels, -1 or +1; f = 0 counts as -1.
    weight : ndarray of shape (n_rows,)
        Weights of the rows.
    """
    segments, share = path.segments, weight / weight.sum()
    if path.status == "trivial":
        wrong = float(share[(sign > 0) != (path.start_rate > 0)].sum())
        return StepFunction(np.zeros(1), np.array([wrong]))
    at, by = [np.zeros(0)], [np.zeros(0)]
    first = 0.0
    for number, (parameter, s) in enumerate(margins(segments, block)):
        if number == 0 and path.C_begin > 0:
            first = float(share[(s[:, 0] > 0) != (sign > 0)].sum())
        elif number == 0:
            first, early = _before_start(parameter[0], s[:, 0], path.start_rate, sign, share)
            at.append(early[0])
            by.append(early[1])
        if path.status == "complete" and parameter[-1] == 0.0:
            # s is proportional to t there: its sign stays
            parameter, s = parameter[:-1], s[:, :-1]
        row, k = np.nonzero(np.diff(s > 0, axis=1))
        left, right = s[row, k], s[row, k + 1]
        meets = parameter[k] + (parameter[k + 1] - parameter[k]) * left / (left - right)
        at.append(1.0 / meets)
        becomes_wrong = (right > 0) != (sign[row] > 0)
        by.append(np.where(becomes_wrong, share[row], -share[row]))
    end = np.inf if segments.end_parameter == 0.0 else 1.0 / segments.end_parameter
    return StepFunction.from_jumps(path.C_begin, first, np.concatenate(at), np.concatenate(by), end)


def _before_start(
    parameter: float, s: FloatArray, rate: float, sign: FloatArray, share: FloatArray
) -> tuple[float, tuple[FloatArray, FloatArray]]:
    """Error for the smallest C, and the jumps up to the first breakpoint.

    There s(t) = s + (t - parameter) rate: for t to infinity the sign is that of the rate.
    """
    wrong = (s > 0) != (sign > 0)
    crosses = s * rate < 0 if rate else np.zeros(len(s), bool)
    begins_wrong = wrong ^ crosses
    meets = parameter - s[crosses] / rate if rate else np.zeros(0)
    by = np.where(wrong[crosses], share[crosses], -share[crosses])
    return float(share[begins_wrong].sum()), (1.0 / meets, by)
