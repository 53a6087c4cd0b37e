"""Methods that are there under a condition, with an error that says which.

scikit-learn's ``available_if`` tells that a method is missing, and why only as the cause of that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

__all__ = ["available_or_told"]


class _Conditional:
    """A method, or the AttributeError that its condition raises."""

    def __init__(self, method: Callable[..., Any], check: Callable[[Any], bool]) -> None:
        self._method, self._check = method, check
        update_wrapper(self, method)  # type: ignore[arg-type]

    def __get__(self, machine: Any, owner: type | None = None) -> Any:
        if machine is None:
            return self._method
        self._check(machine)
        return self._method.__get__(machine, owner)


def available_or_told(check: Callable[[Any], bool]) -> Callable[[Callable[..., Any]], Any]:
    """Make a method available where ``check`` raises no AttributeError."""
    return lambda method: _Conditional(method, check)
