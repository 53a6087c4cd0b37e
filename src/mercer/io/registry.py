"""The classes a model file may name, and how each is taken apart and put together."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from sklearn.gaussian_process import kernels as process_kernels

from mercer import kernels, machines, solvers
from mercer.io.consistency import checked_solution, revived
from mercer.io.preprocessing import PREPROCESSING, checked_part
from mercer.problem import Solution

__all__ = ["Recipe", "recipe_named", "recipe_of"]

State = dict[str, Any]

KERNELS = (
    "Constant",
    "Gaussian",
    "Laplacian",
    "Linear",
    "Normalized",
    "Polynomial",
    "Precomputed",
    "Product",
    "Scaled",
    "Sigmoid",
    "SklearnKernel",
    "Sum",
)
PROCESS_KERNELS = (
    "ConstantKernel",
    "DotProduct",
    "ExpSineSquared",
    "Exponentiation",
    "Matern",
    "PairwiseKernel",
    "Product",
    "RBF",
    "RationalQuadratic",
    "Sum",
)
MACHINES = ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM")

# How to run, not what was learned: watchers, processes, and a folder of pickles.
LEFT_OUT = ("callback", "memory", "n_jobs")


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


def recipe_of(value: Any, place: str) -> Recipe:
    """Return the recipe of an object; `place` says what it is in the error if there is none."""
    for recipe in _recipes().values():
        if type(value) is recipe.cls:
            return recipe
    if callable(value) and not isinstance(value, type) and not hasattr(value, "get_params"):
        raise ValueError(
            f"{place} is the Python function {getattr(value, '__qualname__', value)!r}: a model "
            "file holds no code. Use a kernel of mercer.kernels, or pickle for your own files"
        )
    if isinstance(value, kernels.FunctionKernel):
        raise ValueError(
            f"{place} is a FunctionKernel, a Python function: a model file holds no code. "
            "Use another kernel of mercer.kernels, or pickle for your own files"
        )
    raise ValueError(
        f"{place} is a {type(value).__module__}.{type(value).__qualname__}, which cannot be saved; "
        f"the classes that can are {sorted(_recipes())}"
    )


def recipe_named(name: str) -> Recipe:
    """Return the recipe of the class a file names."""
    if not isinstance(name, str) or name not in _recipes():
        raise ValueError(f"unknown class {name!r}; known are {sorted(_recipes())}")
    return _recipes()[name]


@cache
def _recipes() -> dict[str, Recipe]:
    recipes = [_by_arguments(name, getattr(kernels, name)) for name in KERNELS]
    recipes += [
        _by_arguments(f"sklearn.{name}", getattr(process_kernels, name)) for name in PROCESS_KERNELS
    ]
    recipes += [_by_fields(Solution, checked_solution), *map(_by_fields, _solver_classes())]
    recipes += [_of_machine(getattr(machines, name)) for name in MACHINES]
    recipes += [_of_preprocessing(cls, names) for cls, names in PREPROCESSING.items()]
    return {recipe.name: recipe for recipe in recipes}


def _solver_classes() -> Iterable[type]:
    """The solvers people may give as an object: dataclasses that can solve."""
    for name in solvers.__all__:
        member = getattr(solvers, name)
        if dataclasses.is_dataclass(member) and hasattr(member, "solve"):
            assert isinstance(member, type)
            yield member


def _by_arguments(name: str, cls: type) -> Recipe:
    return Recipe(name, cls, lambda value: _arguments(value), lambda state: cls(**state))


def _by_fields(cls: type, checked: Callable[[Any], Any] = lambda value: value) -> Recipe:
    names = [field.name for field in dataclasses.fields(cls) if field.init]
    take = lambda value: {name: getattr(value, name) for name in names}  # noqa: E731
    return Recipe(cls.__name__, cls, take, lambda state: checked(cls(**state)))


def _arguments(estimator: Any) -> State:
    arguments: State = estimator.get_params(deep=False)
    return arguments | {name: None for name in LEFT_OUT if name in arguments}


def _of_preprocessing(cls: type, allowed: tuple[str, ...]) -> Recipe:
    def take(part: Any) -> State:
        fitted = {name: vars(part)[name] for name in allowed if name in vars(part)}
        return _arguments(part) | fitted

    def make(state: State) -> Any:
        return checked_part(_assembled(cls, allowed.__contains__, state))

    return Recipe(cls.__name__, cls, take, make)


def _of_machine(cls: type) -> Recipe:
    def is_allowed(name: str) -> bool:
        # Data may not take the place of a method or a property.
        is_attribute = name.endswith("_") or name.startswith("_")
        return is_attribute and not name.startswith("__") and not hasattr(cls, name)

    def make(state: State) -> Any:
        return revived(_assembled(cls, is_allowed, state))

    return Recipe(cls.__name__, cls, _machine_state, make)


def _machine_state(machine: Any) -> State:
    arguments = _arguments(machine)
    state = machine.__getstate__().items()
    return arguments | {name: value for name, value in state if name not in arguments}


def _assembled(cls: type, is_allowed: Callable[[str], bool], state: State) -> Any:
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
