"""The context of ``fit``: scikit-learn's check of parameters, no warnings of NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from sklearn import get_config

from mercer._floating import without_warnings
from mercer._sklearn import checked_fit
from mercer.training.checked_input import telling_where

__all__ = ["counting_all_rows", "fit_context"]

_CALLBACKS = "_skl_callbacks"  # where scikit-learn keeps those of an estimator
Fit = TypeVar("Fit", bound=Callable[..., Any])


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Fit], Fit]:
    """Check parameters before ``fit``; type checkers see that it returns the class."""
    check: Callable[[Fit], Fit] = checked_fit(
        prefer_skip_nested_validation=prefer_skip_nested_validation
    )

    def decorator(fit: Fit) -> Fit:
        quiet = without_warnings(fit)
        if fit.__name__ != "fit":
            return check(quiet)
        told = check(_told(quiet))
        if prefer_skip_nested_validation:
            return _plain(quiet, told)
        return _checked(check(quiet), told)

    return decorator


def _told(fit: Fit) -> Fit:
    """``fit`` as one task that scikit-learn's callbacks (1.9 and newer) hear of."""

    @wraps(fit)
    def told(self: Any, *args: Any, **options: Any) -> Any:
        if hasattr(self, "_callback_fit_ctx"):  # of a fit inside this one
            return fit(self, *args, **options)
        rows = args[0] if args else options.get("X")
        targets = args[1] if len(args) > 1 else options.get("y")
        context = self._init_callback_context()
        context.call_on_fit_task_begin(estimator=self, X=rows, y=targets)
        found = fit(self, *args, **options)
        # a copy of the machine is fitted: nothing has to be set
        context.call_on_fit_task_end(
            estimator=self, X=rows, y=targets, reconstruction_attributes={}
        )
        return found

    return told  # type: ignore[return-value]


def counting_all_rows(fit: Fit) -> Fit:
    """For machines fitted to parts of the rows: their errors count the rows that were given."""

    @wraps(fit)
    def told(self: Any, *args: Any, **options: Any) -> Any:
        given = {**dict(zip(("X", "y"), args, strict=False)), **options}
        with telling_where(**{name: given[name] for name in ("X", "y") if name in given}):
            return fit(self, *args, **options)

    return told  # type: ignore[return-value]


def _checked(checked: Fit, told: Fit) -> Fit:
    """``checked``, or ``told`` where there are callbacks."""

    @wraps(checked)
    def fit(self: Any, *args: Any, **options: Any) -> Any:
        return (told if _CALLBACKS in vars(self) else checked)(self, *args, **options)

    return fit  # type: ignore[return-value]


def _plain(quiet: Fit, told: Fit) -> Fit:
    """``told`` without the context for nested estimators and callbacks where there are none.

    To enter and leave it takes a tenth of a small fit.
    """

    @wraps(quiet)
    def fit(self: Any, *args: Any, **options: Any) -> Any:
        if _CALLBACKS in vars(self):
            return told(self, *args, **options)
        if not get_config()["skip_parameter_validation"]:
            self._validate_params()
        return quiet(self, *args, **options)

    return fit  # type: ignore[return-value]
