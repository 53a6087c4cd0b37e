"""What goes around ``fit``: scikit-learn's check of parameters, no warnings of NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from sklearn import get_config

from mercer._floating import without_warnings
from mercer._sklearn import checked_fit
from mercer.training.checked_input import telling_where

__all__ = ["counting_all_rows", "fit_context"]

Fit = TypeVar("Fit", bound=Callable[..., Any])


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Fit], Fit]:
    """Check parameters before ``fit``; type checkers see that it returns the class."""
    check: Callable[[Fit], Fit] = checked_fit(
        prefer_skip_nested_validation=prefer_skip_nested_validation
    )

    def decorator(fit: Fit) -> Fit:
        quiet = without_warnings(fit)
        checked = check(quiet)
        may_be_plain = prefer_skip_nested_validation and fit.__name__ == "fit"
        return _plain(quiet, checked) if may_be_plain else checked

    return decorator


def counting_all_rows(fit: Fit) -> Fit:
    """For machines fitted to parts of the rows: their errors count the rows that were given."""

    @wraps(fit)
    def told(self: Any, *args: Any, **options: Any) -> Any:
        given = {**dict(zip(("X", "y"), args, strict=False)), **options}
        with telling_where(**{name: given[name] for name in ("X", "y") if name in given}):
            return fit(self, *args, **options)

    return told  # type: ignore[return-value]


def _plain(quiet: Fit, checked: Fit) -> Fit:
    """``checked`` without the context for nested estimators and callbacks where there are none.

    To enter and leave it takes a tenth of a small fit.
    """

    @wraps(quiet)
    def fit(self: Any, *args: Any, **options: Any) -> Any:
        if hasattr(self, "set_callbacks"):
            return checked(self, *args, **options)
        if not get_config()["skip_parameter_validation"]:
            self._validate_params()
        return quiet(self, *args, **options)

    return fit  # type: ignore[return-value]
