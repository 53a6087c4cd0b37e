"""Where a path changes its mind about a row: exact error curves.

See docs/theory/paths.md#error-curves.

For a row x the function s(x, t) = t f(x) = sum_j a_j(t) k(x_j, x) + t b is affine in t on every
segment, and has the sign of f. So the error of a whole path follows from its values at the
breakpoints: a sign that differs at the two ends of a segment changes once, at a known place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mercer.machines.svm.one_vs_one import positive_wins
from mercer.paths.curves.step_function import StepFunction
from mercer.paths.results.segments import Segments

if TYPE_CHECKING:
    from mercer.paths.results.path import Path

__all__ = ["Block", "SignChanges", "margins", "of_variables", "sign_changes"]

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


def of_variables(block: Block, path: Path) -> Block:
    """Values with the rows of some variables, from those with some rows."""
    return lambda variables: block(path.problem.index[variables])


@dataclass(frozen=True, eq=False)
class SignChanges:
    """For which C the machine of a path is positive at each of some rows.

    Attributes
    ----------
    first : ndarray of shape (n_rows,) of bool
        Whether it is positive where the path begins.
    C, row, becomes : ndarray of shape (n_changes,)
        Where it changes its mind, about which row, and whether to positive.
    begin, end : float
        The C for which the path is known.
    """

    first: NDArray[np.bool_]
    C: FloatArray
    row: NDArray[np.intp]
    becomes: NDArray[np.bool_]
    begin: float
    end: float

    def error(self, sign: FloatArray, weight: FloatArray) -> StepFunction:
        """Weighted share of the rows whose sign is not that of f; f = 0 counts as -1."""
        share, positive = weight / weight.sum(), sign > 0
        wrong = float(share[self.first != positive].sum())
        by = np.where(self.becomes != positive[self.row], 1.0, -1.0) * share[self.row]
        return StepFunction.from_jumps(self.begin, wrong, self.C, by, self.end)


def sign_changes(
    path: Path, block: Block, n_rows: int, zero_is_positive: bool = False
) -> SignChanges:
    """Every change of the sign of f along a path, at rows known by their kernel values.

    Parameters
    ----------
    path : Path
        The path.
    block : callable
        Kernel values of the rows against those of given variables.
    n_rows : int
        How many rows there are.
    zero_is_positive : bool, default=False
        What f = 0 counts as.
    """
    is_positive = partial(positive_wins, positive_is_first=zero_is_positive)
    nothing = (np.zeros(0), np.zeros(0, np.intp), np.zeros(0, bool))
    if path.status == "trivial":
        value = np.full(n_rows, path.over_C.start_rate)
        return SignChanges(is_positive(value), *nothing, 0.0, np.inf)
    parts, first = [nothing], np.zeros(n_rows, bool)
    for number, (parameter, s) in enumerate(margins(path.segments, block)):
        if number == 0:
            first = is_positive(s[:, 0])
            if path.begin == 0:
                first, early = _before_start(parameter[0], s[:, 0], first, path.over_C.start_rate)
                parts.append(early)
        if path.status == "complete" and parameter[-1] == 0.0:
            # s is proportional to t there: its sign stays
            parameter, s = parameter[:-1], s[:, :-1]
        row, k = np.nonzero(np.diff(is_positive(s), axis=1))
        left, right = s[row, k], s[row, k + 1]
        meets = parameter[k] + (parameter[k + 1] - parameter[k]) * (left / (left - right))
        # a place whose C overflows is beyond all C
        known = meets >= np.finfo(np.float64).tiny
        parts.append((1.0 / meets[known], row[known], is_positive(right[known])))
    C, row, becomes = (np.concatenate(part) for part in zip(*parts, strict=True))
    return SignChanges(first, C, row, becomes, path.begin, path.end)


def _before_start(
    parameter: float, s: FloatArray, then: NDArray[np.bool_], rate: float
) -> tuple[NDArray[np.bool_], tuple[FloatArray, NDArray[np.intp], NDArray[np.bool_]]]:
    """Signs for the smallest C, and their changes to those of the first breakpoint.

    There s(t) = s + (t - parameter) rate: for t to infinity the sign is that of the rate, and
    where s is 0 it is so up to the breakpoint.
    """
    first = then.copy()
    crosses = np.flatnonzero(then != (rate > 0)) if rate else np.zeros(0, np.intp)
    first[crosses] = rate > 0
    meets = parameter - s[crosses] / rate if rate else np.zeros(0)
    known = meets >= np.finfo(np.float64).tiny
    crosses = crosses[known]
    return first, (1.0 / meets[known], crosses, then[crosses])
