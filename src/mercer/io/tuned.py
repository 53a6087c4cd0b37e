"""Machines that tuned themselves, with their search."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from mercer.io.consistency import check_calibration, completed, is_number, require, require_array
from mercer.io.recipe import Recipe, State, arguments_of, assembled, by_fields
from mercer.kernels import Kernel
from mercer.selection import TunedOneClassSVM, TunedRLSC, TunedSVC, TunedSVR
from mercer.selection.held_out import HeldOut
from mercer.selection.history import History
from mercer.selection.optimizers import OPTIMIZERS, Narrowing, WidthSearch
from mercer.selection.optimizers.wrapped import Patience, Restarts
from mercer.selection.prior import Prior
from mercer.selection.results import parameter_columns
from mercer.selection.space import Space
from mercer.selection.tuned.regressor import TunedRegressor
from mercer.selection.tuned.scaling import last_machine
from mercer.selection.tuned.targets import gathered

__all__ = ["TUNED"]

# The best machine tells the others.
FITTED = (
    *("best_estimator_", "best_index_", "best_params_", "best_score_", "cv_results_", "history_"),
    *("relevance_", "search_status_", "_edges", "held_out_", "calibration_"),
    *("honest_score_", "honest_interval_", "honest_kind_", "rejected_", "_search_key"),
)
# The searches of several targets tell all else.
OF_TARGETS = ("estimators_", "target_names_")
OF_THE_BEST = ("classes_", "feature_names_in_", "kernel_", "n_features_in_")
# What a search says of itself in a word or a number.
HISTORY = tuple(f.name for f in fields(History) if f.type in ("list[str]", "bool", "int", "str"))
# The fields of a space by the names that files have for them.
SPACE = {
    "unit" if field.name == "C_scale" else field.name: field.name
    for field in fields(Space)
    if field.name != "machine"
}


def _distinct(items: list[Any]) -> tuple[list[Any], np.ndarray]:
    """The different objects among these, and where each of them stands."""
    places = {id(item): item for item in items}
    order = {key: place for place, key in enumerate(places)}
    return list(places.values()), np.array([order[id(item)] for item in items], dtype=np.int64)


def _take_history(history: History) -> State:
    spaces, space = _distinct(history.spaces)
    machines, machine = _distinct([own.machine for own in spaces])
    n_dims = len(history.names)
    return {name: getattr(history, name) for name in HISTORY} | {
        "thetas": np.array(history.thetas, dtype=np.float64).reshape(-1, n_dims),
        "values": np.array(history.values, dtype=np.float64),
        "by_split": np.concatenate([np.empty(0), *history.by_split]),
        "n_splits": np.array([len(values) for values in history.by_split], dtype=np.int64),
        # their parameters; what reading the rows has left on them is not used again
        "machines": [clone(own) for own in machines],
        "machine": machine,
        "spaces": [{name: getattr(own, field) for name, field in SPACE.items()} for own in spaces],
        "space": space,
    }


def _make_history(state: State) -> History:
    names, n_evals = state["names"], len(state["values"])
    is_list = isinstance(names, list) and all(isinstance(name, str) for name in names)
    require(is_list and len(names) > 0, "names of a search")
    _require_numbers(state["thetas"], "thetas", (n_evals, len(names)))
    _require_numbers(state["values"], "values", (n_evals,))
    counts = state["n_splits"]
    require_array(counts, "n_splits", "i", (n_evals,))
    require(not n_evals or counts.min() >= 0, "n_splits must not be negative")
    _require_numbers(state["by_split"], "by_split", (int(counts.sum()),))
    spaces = _made_spaces(state, names)
    _require_places(state["space"], len(spaces), n_evals)
    return History(
        **{name: state[name] for name in HISTORY if name in state},
        thetas=[np.array(theta) for theta in state["thetas"]],
        values=state["values"].tolist(),
        seconds=[math.nan] * n_evals,
        by_split=np.split(state["by_split"], np.cumsum(counts)[:-1]) if n_evals else [],
        spaces=[spaces[place] for place in state["space"]],
    )


def _made_spaces(state: State, names: list[str]) -> list[Space]:
    machines, parts = state["machines"], state["spaces"]
    _require_places(state["machine"], len(machines), len(parts))
    spaces = [
        Space(machine=machines[place], **{SPACE[name]: part for name, part in own.items()})
        for place, own in zip(state["machine"], parts, strict=True)
    ]
    for space in spaces:
        fits = isinstance(space.kernel, Kernel) and space.n_dims == len(names)
        require(fits and is_number(space.C_scale), "spaces of a search")
    return spaces


def _require_numbers(array: Any, name: str, shape: tuple[int, ...]) -> None:
    """Like ``require_array``; a criterion may be infinite or NaN."""
    is_array = isinstance(array, np.ndarray) and array.dtype == np.float64
    require(is_array and array.shape == shape, f"{name} must be an array of shape {shape}")


def _require_places(places: Any, count: int, length: int) -> None:
    require_array(places, "places of a search", "i", (length,))
    require(bool(((places >= 0) & (places < count)).all()), f"places must be in 0..{count - 1}")


def _take_tuned(machine: Any) -> State:
    known = OF_TARGETS if "estimators_" in vars(machine) else FITTED
    own = {name: vars(machine)[name] for name in known if name in vars(machine)}
    if "cv_results_" in own:
        table = own["cv_results_"]
        # the list of parameters tells their columns
        own["cv_results_"] = {
            name: column
            for name, column in table.items()
            if name != "seconds" and not name.startswith("param_")
        }
    return arguments_of(machine) | own


def _make_tuned(cls: type, state: State) -> Any:
    if "estimators_" in state:
        return completed(assembled(cls, OF_TARGETS.__contains__, state), _complete_targets)
    return completed(assembled(cls, FITTED.__contains__, state), _complete)


def _complete_targets(machine: Any) -> None:
    searches, names = machine.estimators_, vars(machine).get("target_names_")
    is_list = isinstance(searches, list) and isinstance(machine, TunedRegressor)
    fits = is_list and all(type(own) is type(machine) for own in searches)
    require(fits and not any("estimators_" in vars(own) for own in searches), "estimators_")
    if names is not None:
        is_named = isinstance(names, np.ndarray) and names.dtype == object and names.ndim == 1
        require(is_named and len(names) >= len(searches), "target_names_")
    if all(hasattr(own, "best_estimator_") for own in searches):
        widths = {own.n_features_in_ for own in searches}
        require(len(searches) > 1 and len(widths) == 1, "estimators_ must agree in their features")
    vars(machine).update(gathered(searches))


def _complete(machine: Any) -> None:
    histories = vars(machine).get("history_")
    is_list = isinstance(histories, list) and len(histories) > 0
    require(is_list and all(isinstance(own, History) for own in histories), "history_")
    require(isinstance(machine.best_params_, dict), "best_params_ must be a dict")
    require(isinstance(vars(machine).get("_search_key", ""), str), "_search_key must be a str")
    if "best_estimator_" not in vars(machine):
        # a search that was interrupted
        return
    whole = machine.best_estimator_
    best = last_machine(whole)
    require(type(best) is type(machine._machine()), f"best_estimator_ is {best!r:.40}")
    require(hasattr(best, "kernel_"), "best_estimator_ must be fitted")
    if whole is not best:
        steps = [type(step) for _, step in whole.steps]
        require(steps == [StandardScaler, type(best)], f"best_estimator_ is {whole!r:.40}")
    for name in OF_THE_BEST:
        for own in (best, whole):  # a scaler knows the names of features
            if hasattr(own, name):
                setattr(machine, name, getattr(own, name))
    if vars(machine).get("calibration_") is not None:
        check_calibration(machine.calibration_, best)
    machine.cv_results_ = _completed_table(machine.cv_results_)


def _completed_table(table: Any) -> dict[str, Any]:
    """The results of a search with the columns that its list of parameters tells."""
    require(isinstance(table, dict) and isinstance(table.get("params"), list), "cv_results_")
    params, n_evals = table["params"], len(table["params"])
    for name, column in table.items():
        fits = name == "params" or np.shape(column) == (n_evals,)
        require(isinstance(name, str) and fits, f"cv_results_ must have {n_evals} entries each")
    fits = all(isinstance(p, dict) and isinstance(p.get("kernel"), Kernel) for p in params)
    require(fits and len({tuple(p) for p in params}) <= 1, "params of cv_results_")
    names = [name.removeprefix("theta_") for name in table if name.startswith("theta_")]
    first = {name: table[name] for name in ("params", "mean_test_score", "rank_test_score")}
    told = {"seconds": np.full(n_evals, math.nan)} | parameter_columns(params, names[1:])
    return first | told | {name: table[name] for name in table if name not in first}


def _of_tuned(cls: type) -> Recipe:
    return Recipe(cls.__name__, cls, _take_tuned, lambda state: _make_tuned(cls, state))


TUNED = (
    *map(_of_tuned, (TunedSVC, TunedSVR, TunedRLSC, TunedOneClassSVM)),
    Recipe("History", History, _take_history, _make_history),
    *map(
        by_fields, dict.fromkeys((*OPTIMIZERS.values(), WidthSearch, Narrowing, Restarts, Patience))
    ),
    by_fields(Prior),
    by_fields(HeldOut),
)
