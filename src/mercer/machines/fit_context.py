"""scikit-learn's check of parameters around ``fit``, which keeps the type of what it wraps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.base import _fit_context

__all__ = ["fit_context"]

Fit = TypeVar("Fit", bound=Callable[..., Any])


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Fit], Fit]:
    """Check parameters before ``fit``; type checkers see that it returns the class."""
    decorator: Callable[[Fit], Fit] = _fit_context(
        prefer_skip_nested_validation=prefer_skip_nested_validation
    )
    return decorator
