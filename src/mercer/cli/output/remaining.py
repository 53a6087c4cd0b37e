"""How long a search may still take, by what its cells have taken so far.

Searches by cross-validation evaluate about 75 cells of C and gamma, of many rows about 30 on a
sample and 10 on each larger one, the last of which is all rows; of kernels without a width 13, 7
and 4 (``TunedSVC`` on ``make_classification`` of 150 to 12,000 rows). What a cell takes grows with
a power of the rows, which is measured as soon as two sizes are known.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.selection import History
from mercer.selection.samples import sample_sizes

__all__ = ["Pace", "duration"]

# cells of all rows alone; of the first sample; of each later size
_WITH_WIDTH, _WITHOUT = (75, 30, 10), (13, 7, 4)
_POWER = 1.5  # before it is measured
_POWERS = (0.5, 2.5)  # of the rows
_LAST_FIT = 1.5  # cells


class Pace:
    """The stages of a search, and what has been measured of them.

    Parameters
    ----------
    n_rows, n_classes : int
        Of the table; one class for numbers.
    has_width : bool
        Whether the kernel has a width.
    """

    def __init__(self, n_rows: int, n_classes: int, has_width: bool) -> None:
        alone, first, later = _WITH_WIDTH if has_width else _WITHOUT
        samples = sample_sizes(n_rows, n_classes)
        self.n_rows = n_rows
        self.cells = [first, *[later] * len(samples)] if samples else [alone]
        self.sizes = [*samples, n_rows]
        self.power = _POWER
        self._seconds: dict[int, float] = {}  # of a cell, by rows

    def seconds_left(self, history: History) -> float:
        """About, after one more cell."""
        n, done = history.n_rows, len(history)
        each = history.seconds[-1] / done
        self._seconds[n] = each
        self._measure(sorted(self._seconds))
        stage = min(len(self._seconds), len(self.sizes)) - 1
        left = each * max(self.cells[stage] - done, 1)
        for size, cells in zip(self.sizes[stage + 1 :], self.cells[stage + 1 :], strict=True):
            left += cells * each * (size / n) ** self.power
        return left + _LAST_FIT * each * (self.n_rows / n) ** self.power

    def _measure(self, sizes: Sequence[int]) -> None:
        """The growth from one size to the next."""
        if len(sizes) < 2:
            return
        before, last = sizes[-2:]
        growth = np.log(self._seconds[last] / max(self._seconds[before], 1e-9))
        self.power = float(np.clip(growth / np.log(last / before), *_POWERS))


def duration(seconds: float) -> str:
    """A time in words that claim no more digits than there are."""
    if seconds < 1.0:
        return "a second"
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"
