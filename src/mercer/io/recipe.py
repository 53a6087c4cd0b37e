"""How objects are taken apart and put together."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable
from typing import Any

__all__ = ["UNTOLD", "Recipe", "State", "arguments_of", "assembled", "by_arguments", "by_fields"]

State = dict[str, Any]

# How to run, not what was learned: watchers, processes, and a folder of pickles.
LEFT_OUT = ("callback", "memory", "n_jobs")
# How long it took, which differs from fit to fit: equal fits give equal files.
UNTOLD = {"seconds": math.nan}


@dataclasses.dataclass(frozen=True)
class Recipe:
    """How the objects of one class are written and made.

    Attributes
    ----------
    name : str
        By which files know the class.
    cls : type
        The class itself.
    take : callable
        From an object to its state.
    make : callable
        From a state to an object.
    """

    name: str
    cls: type
    take: Callable[[Any], State]
    make: Callable[[State], Any]


def by_arguments(name: str, cls: type) -> Recipe:
    """The recipe of a class that is no more than the arguments of its constructor."""
    return Recipe(name, cls, arguments_of, lambda state: cls(**state))


def by_fields(
    cls: type, checked: Callable[[Any], Any] = lambda value: value, name: str | None = None
) -> Recipe:
    """The recipe of a dataclass; `checked` returns an object whose parts fit together."""
    names = [field.name for field in dataclasses.fields(cls) if field.init]
    untold = {name: value for name, value in UNTOLD.items() if name in names}
    take = lambda value: {name: getattr(value, name) for name in names if name not in UNTOLD}  # noqa: E731
    make = lambda state: checked(cls(**untold | state))  # noqa: E731
    return Recipe(name or cls.__name__, cls, take, make)


def arguments_of(estimator: Any) -> State:
    """The parameters of an estimator that say what it learned from."""
    arguments: State = estimator.get_params(deep=False)
    return arguments | {name: None for name in LEFT_OUT if name in arguments}


def assembled(cls: type, is_allowed: Callable[[str], bool], state: State) -> Any:
    """The estimator with these arguments, and the rest of the state as fitted attributes."""
    parameters = inspect.signature(cls).parameters
    arguments = {name: value for name, value in state.items() if name in parameters}
    arguments |= {name: None for name in LEFT_OUT if name in arguments}
    fitted = {name: value for name, value in state.items() if name not in parameters}
    unknown = [name for name in fitted if not is_allowed(name)]
    if unknown:
        raise ValueError(f"{cls.__name__} has no parameters or fitted attributes {unknown}")
    estimator = cls(**arguments)
    vars(estimator).update(fitted)
    return estimator
