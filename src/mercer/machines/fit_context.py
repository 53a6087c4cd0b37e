"""What goes around ``fit``: scikit-learn's check of parameters, no warnings of NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.base import _fit_context

from mercer._floating import without_warnings

__all__ = ["fit_context"]

Fit = TypeVar("Fit", bound=Callable[..., Any])


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Fit], Fit]:
    """Check parameters before ``fit``; type checkers see that it returns the class."""
    check: Callable[[Fit], Fit] = _fit_context(
        prefer_skip_nested_validation=prefer_skip_nested_validation
    )

    def decorator(fit: Fit) -> Fit:
        return check(without_warnings(fit))

    return decorator
