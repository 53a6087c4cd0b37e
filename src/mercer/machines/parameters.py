"""Parameters of machines: their defaults, and whether values are allowed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from mercer._sklearn import Interval, StrOptions, validate_parameter_constraints

__all__ = ["check_parameters", "defaults_of"]

_PLAIN = (int, float, str)


def _read_defaults(machine: type) -> dict[str, Any]:
    """Parameters of a class of machines and their defaults."""
    signature = inspect.signature(machine).parameters
    return {name: signature[name].default for name in sorted(signature)}


# Remembered: reading a signature takes long next to a small fit.
defaults_of: Callable[[type], dict[str, Any]] = lru_cache(maxsize=256)(_read_defaults)


def check_parameters(machine: Any) -> None:
    """Check the parameters that are not their defaults."""
    cls, given = type(machine), vars(machine)
    for name, default in defaults_of(cls).items():
        value = given[name] if name in given else getattr(machine, name)
        if value is default:
            continue
        # plain values were mostly looked at before
        judge: Any = _is_allowed if type(value) in _PLAIN else _is_allowed.__wrapped__
        if not judge(cls, name, type(value), value):
            validate_parameter_constraints(
                machine._parameter_constraints, {name: value}, caller_name=cls.__name__
            )


@lru_cache(maxsize=1024)
def _is_allowed(machine: Any, name: str, kind: type, value: Any) -> bool:
    """Whether a constraint that is an object already holds: most do, and need not be made.

    ``kind`` is the type of the value: 1, 1.0 and True are equal.
    """
    found = machine._parameter_constraints.get(name, ())
    return any(isinstance(c, Interval | StrOptions) and c.is_satisfied_by(value) for c in found)
