"""When steps of all rows take turns with steps of single ones."""

from __future__ import annotations

__all__ = ["Pace"]

_BEFORE, _BETWEEN = 20, 10  # steps of each row before the first turn, and between others
_LONGEST = 64  # times that, if steps of rows gain more


class Pace:
    """Counts what steps cost and gain; a turn that gained less is followed by a longer wait.

    Where kernel values of different rows are small, steps of rows are hard to beat: on letter,
    Lee, Lin and Wahba, rounds of class steps would be half of the time.
    """

    def __init__(self, n_rows: int, is_small: bool) -> None:
        self.n_rows, self.between = n_rows, _BEFORE if is_small else _BETWEEN
        self.wait = 1
        self._begin(_BEFORE)

    def _begin(self, steps_of_each: int) -> None:
        self.left, self.steps, self.gain = steps_of_each * self.n_rows, 0, 0.0

    @property
    def is_due(self) -> bool:
        """Whether it is the turn of steps of all rows."""
        return self.left <= 0

    def add_rows(self, steps: int, gain: float) -> None:
        """Steps of rows, and what they gained."""
        self.left -= steps
        self.steps += steps
        self.gain += gain

    def end_turn(self, steps: int, gain: float) -> None:
        """Steps of solvers of all rows, and what they gained: rows have their turn again."""
        is_worth_it = gain * self.steps >= self.gain * steps
        self.wait = 1 if is_worth_it else min(2 * self.wait, _LONGEST)
        self._begin(self.wait * self.between)
