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
from mercer.io.calibrated import CALIBRATED, SIGMOID_MAP
from mercer.io.conformal import CONFORMAL
from mercer.io.consistency import checked_code, checked_solution, revived
from mercer.io.path_parts import PATH_PARTS
from mercer.io.path_results import PATH_RESULTS
from mercer.io.paths import PATHS, with_paths
from mercer.io.preprocessing import PREPROCESSING
from mercer.io.recipe import Recipe, State, arguments_of, assembled, by_arguments, by_fields
from mercer.io.streams import revived_stream
from mercer.io.tuned import TUNED
from mercer.io.wrappers import WRAPPERS
from mercer.multiclass import AllInOne
from mercer.online import OnlineSVC, OnlineSVR
from mercer.paths import PathSVC
from mercer.problem import Solution

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
    *("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "SVDD"),
    *("RLSC", "LSSVC", "LSSVR", "ReducedSVC"),
)
# What to use in place of a function, by the parameter it was given for.
INSTEAD = {
    **dict.fromkeys(("kernel", "kernel_"), "a kernel of mercer.kernels, or "),
    "prior": "a Prior of mercer.selection, or ",
    "scoring": "the name of a score, or ",
}
# For the vectorizers of scikit-learn.
FOR_TEXT = "mercer.tables.TextFeatures does the same and can, or "
# Other attributes tell these, or they say what fits are handed.
DERIVED = ("paths_", "_metadata_request", "_skl_callbacks")
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
        instead = INSTEAD.get(place.rpartition(".")[2], "")
        raise ValueError(
            f"{place} is the Python function {getattr(value, '__qualname__', value)!r}: a model "
            f"file holds no code. Use {instead}pickle for your own files"
        )
    if isinstance(value, kernels.FunctionKernel):
        raise ValueError(
            f"{place} is a FunctionKernel, a Python function: a model file holds no code. "
            "Use another kernel of mercer.kernels, or pickle for your own files"
        )
    if isinstance(value, kernels.Oligo):
        raise ValueError(
            f"{place} is an Oligo kernel: machines of strings cannot be saved. "
            "Use pickle for your own files"
        )
    steps = sorted(recipe.cls.__name__ for recipe in PREPROCESSING)
    raise ValueError(
        f"{place} is a {type(value).__module__}.{type(value).__qualname__}, which cannot be saved: "
        f"{FOR_TEXT if hasattr(value, 'build_analyzer') else ''}use pickle for your own files. "
        f"What can be saved are machines of mercer, alone or behind {', '.join(steps)}"
    )


def recipe_named(name: str) -> Recipe:
    """Return the recipe of the class a file names."""
    if not isinstance(name, str) or name not in _recipes():
        raise ValueError(f"unknown class {name!r}; known are {sorted(_recipes())}")
    return _recipes()[name]


@cache
def _recipes() -> dict[str, Recipe]:
    recipes = [by_arguments(name, getattr(kernels, name)) for name in KERNELS]
    recipes.append(_of_sigmoid())
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
    recipes += [*TUNED, *WRAPPERS, *CALIBRATED, *CONFORMAL, *PREPROCESSING]
    named = {recipe.name: recipe for recipe in recipes}
    assert len(named) == len(recipes), "two classes share a name"
    return named


def _of_sigmoid() -> Recipe:
    """The kernel; earlier files have maps to probabilities under its name."""

    def make(state: State) -> Any:
        return SIGMOID_MAP.make(state) if "slope" in state else kernels.Sigmoid(**state)

    return Recipe("Sigmoid", kernels.Sigmoid, arguments_of, make)


def _solver_classes() -> Iterable[type]:
    """The solvers people may give as an object: dataclasses that can solve."""
    for name in solvers.__all__:
        member = getattr(solvers, name)
        if dataclasses.is_dataclass(member) and hasattr(member, "solve"):
            assert isinstance(member, type)
            yield member
    yield AllInOne


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
