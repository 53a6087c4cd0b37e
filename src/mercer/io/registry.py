"""The classes a model file may name, and how each is taken apart and put together."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from sklearn import model_selection
from sklearn.gaussian_process import kernels as process_kernels

from mercer import kernels, machines, solvers
from mercer.codes import OutputCode
from mercer.hull import HullClassifier
from mercer.io.approximations import APPROXIMATIONS
from mercer.io.consistency import checked_code, checked_solution, revived
from mercer.io.path_parts import PATH_PARTS
from mercer.io.path_results import PATH_RESULTS
from mercer.io.paths import PATHS, with_paths
from mercer.io.preprocessing import PREPROCESSING, checked_part
from mercer.io.recipe import Recipe, State, arguments_of, assembled, by_arguments, by_fields
from mercer.io.streams import revived_stream
from mercer.online import OnlineSVC, OnlineSVR
from mercer.paths import PathSVC
from mercer.problem import Solution
from mercer.selection.tuned import TunedMachine
from mercer.solvers import linear_system

__all__ = ["recipe_named", "recipe_of"]

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
MACHINES = (
    *("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"),
    *("RLSC", "LSSVC", "LSSVR", "ReducedSVC"),
)
# Other attributes tell these.
DERIVED = ("paths_",)
SPLITTERS = (
    *("GroupKFold", "GroupShuffleSplit", "KFold", "LeaveOneGroupOut", "LeaveOneOut"),
    *("LeavePGroupsOut", "LeavePOut", "PredefinedSplit", "ShuffleSplit", "StratifiedGroupKFold"),
    *("StratifiedKFold", "StratifiedShuffleSplit", "TimeSeriesSplit"),
)
REPEATED = ("RepeatedKFold", "RepeatedStratifiedKFold")


def recipe_of(value: Any, place: str) -> Recipe:
    """Return the recipe of an object; `place` says what it is in the error if there is none."""
    for recipe in _recipes().values():
        if type(value) is recipe.cls:
            return recipe
    if callable(value) and not isinstance(value, type) and not hasattr(value, "get_params"):
        is_score = place.endswith(".scoring")
        instead = "the name of a score" if is_score else "a kernel of mercer.kernels"
        raise ValueError(
            f"{place} is the Python function {getattr(value, '__qualname__', value)!r}: a model "
            f"file holds no code. Use {instead}, or pickle for your own files"
        )
    if isinstance(value, kernels.FunctionKernel):
        raise ValueError(
            f"{place} is a FunctionKernel, a Python function: a model file holds no code. "
            "Use another kernel of mercer.kernels, or pickle for your own files"
        )
    if isinstance(value, TunedMachine):
        raise ValueError(
            f"{place} is a {type(value).__name__} with its search, which cannot be saved: save its "
            "best_estimator_, which predicts the same, or pickle it for your own files"
        )
    if isinstance(value, kernels.Oligo):
        raise ValueError(
            f"{place} is an Oligo kernel: machines of strings cannot be saved. "
            "Use pickle for your own files"
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
    recipes = [by_arguments(name, getattr(kernels, name)) for name in KERNELS]
    recipes += [
        by_arguments(f"sklearn.{name}", getattr(process_kernels, name)) for name in PROCESS_KERNELS
    ]
    recipes += [by_fields(Solution, checked_solution), by_fields(OutputCode, checked_code)]
    recipes += map(by_fields, _solver_classes())
    recipes += [_of_machine(getattr(machines, name)) for name in MACHINES]
    recipes += [_of_machine(cls, revive=revived_stream) for cls in (OnlineSVC, OnlineSVR)]
    recipes += [_of_machine(HullClassifier), _of_machine(PathSVC, with_paths)]
    recipes += [_of_splitter(getattr(model_selection, name)) for name in SPLITTERS]
    recipes += [_of_repeated(getattr(model_selection, name)) for name in REPEATED]
    recipes += [*APPROXIMATIONS, *PATH_PARTS, *PATHS, *PATH_RESULTS]
    recipes += [_of_preprocessing(cls, names) for cls, names in PREPROCESSING.items()]
    return {recipe.name: recipe for recipe in recipes}


def _solver_classes() -> Iterable[type]:
    """The solvers people may give as an object: dataclasses that can solve."""
    for name in solvers.__all__:
        member = getattr(solvers, name)
        if dataclasses.is_dataclass(member) and hasattr(member, "solve"):
            assert isinstance(member, type)
            yield member
    yield linear_system.ConjugateGradient


def _of_preprocessing(cls: type, allowed: tuple[str, ...]) -> Recipe:
    def take(part: Any) -> State:
        fitted = {name: vars(part)[name] for name in allowed if name in vars(part)}
        return arguments_of(part) | fitted

    def make(state: State) -> Any:
        return checked_part(assembled(cls, allowed.__contains__, state))

    return Recipe(cls.__name__, cls, take, make)


def _of_splitter(cls: type) -> Recipe:
    """Splitters of scikit-learn keep the arguments of their constructor, and no more."""
    names = [name for name in inspect.signature(cls).parameters]
    take = lambda splitter: {name: getattr(splitter, name) for name in names}  # noqa: E731
    return Recipe(cls.__name__, cls, take, lambda state: cls(**state))


def _of_repeated(cls: type) -> Recipe:
    """Repeated splitters keep the number of splits among what they hand on."""

    def take(splitter: Any) -> State:
        own = {name: getattr(splitter, name) for name in ("n_repeats", "random_state")}
        return {"n_splits": splitter.cvargs["n_splits"]} | own

    return Recipe(cls.__name__, cls, take, lambda state: cls(**state))


def _of_machine(
    cls: type,
    completed: Callable[[Any], Any] = lambda machine: machine,
    revive: Callable[[Any], Any] = revived,
) -> Recipe:
    def is_allowed(name: str) -> bool:
        # Data may not take the place of a method or a property.
        is_attribute = name.endswith("_") or name.startswith("_")
        return is_attribute and not name.startswith("__") and not hasattr(cls, name)

    def make(state: State) -> Any:
        return completed(revive(assembled(cls, is_allowed, state)))

    return Recipe(cls.__name__, cls, _machine_state, make)


def _machine_state(machine: Any) -> State:
    arguments = arguments_of(machine)
    state = machine.__getstate__().items()
    derived = (*arguments, *DERIVED)
    return arguments | {name: value for name, value in state if name not in derived}
