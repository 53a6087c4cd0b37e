"""The estimator a training set asks for: preprocessing and a machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from mercer import SVC, SVR, OneClassSVM
from mercer.cli.choices import Task
from mercer.cli.data.columns import Columns
from mercer.cli.data.training_set import TrainingSet
from mercer.cli.errors import InputError
from mercer.solvers import resolve_solver

__all__ = ["Options", "build_estimator", "checked", "machine_of", "preparation_of", "prepared"]

# How scikit-learn words it.
REFUSED = re.compile(r"The '(\w+)' parameter of \w+ must be (.*)\. Got (.*) instead\.$")
GAMMA_RULES = ("scale", "auto", "median")


@dataclass(frozen=True)
class Options:
    """What the user chose of the machine; see the help of ``mercer fit``."""

    kernel: str = "rbf"
    C: float = 1.0
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 0.0
    epsilon: float = 0.1
    nu: float = 0.05
    tol: float = 1e-3
    max_time: float | None = None
    solver: str = "auto"
    precision: str = "auto"
    threads: int | None = None
    scale: bool = True

    @classmethod
    def of(cls, chosen: Mapping[str, Any]) -> Options:
        """Return those among the options of the command."""
        values = {field.name: chosen[field.name] for field in fields(cls)}
        named = {name: str(values[name]) for name in ("kernel", "precision")}
        return cls(**values | named | {"gamma": _parsed_gamma(values["gamma"])})


def _parsed_gamma(text: str) -> float | str:
    if text in GAMMA_RULES:
        return text
    try:
        return float(text)
    except ValueError:
        allowed = ", ".join(GAMMA_RULES)
        raise InputError(f"--gamma must be {allowed} or a number, got {text!r}") from None


def build_estimator(data: TrainingSet, options: Options) -> Any:
    """Return the unfitted estimator."""
    return prepared(_machine(data.task, options), data, options.scale)


def prepared(machine: Any, data: TrainingSet, scale: bool) -> Any:
    """Return a machine behind what prepares the rows for it.

    Numbers are scaled to mean 0 and variance 1 (sparse ones to variance 1), categories become
    one column each, and so is the target of a regression scaled, for C and epsilon to mean
    the same whatever its unit.
    """
    preparation = (
        _scaler(scale, with_mean=False)
        if data.columns is None
        else _column_preparation(data.columns, scale)
    )
    pipeline = Pipeline([("prepare", preparation), ("machine", machine)])
    if data.task is Task.regression and scale:
        return TransformedTargetRegressor(pipeline, transformer=StandardScaler())
    return pipeline


def machine_of(estimator: Any) -> Any:
    """Return the machine at the end of an estimator, fitted if the estimator is."""
    if isinstance(estimator, TransformedTargetRegressor):
        return machine_of(getattr(estimator, "regressor_", estimator.regressor))
    return machine_of(estimator[-1]) if isinstance(estimator, Pipeline) else estimator


def preparation_of(estimator: Any) -> Any:
    """Return what prepares the rows for the machine; None if there is nothing."""
    if isinstance(estimator, TransformedTargetRegressor):
        return preparation_of(estimator.regressor_)
    return estimator[0] if isinstance(estimator, Pipeline) and len(estimator) > 1 else None


def _column_preparation(columns: Columns, scale: bool) -> ColumnTransformer:
    steps: list[tuple[str, Any, list[str]]] = []
    if columns.numbers:
        steps.append(("numbers", _scaler(scale), columns.numbers))
    if columns.categories:
        encoder = OneHotEncoder(handle_unknown="ignore")
        steps.append(("categories", encoder, columns.categories))
    return ColumnTransformer(steps)


def _scaler(scale: bool, with_mean: bool = True) -> StandardScaler:
    """A scaler; without `scale` one that leaves the numbers as they are."""
    return StandardScaler(with_mean=scale and with_mean, with_std=scale)


def _machine(task: Task, options: Options) -> Any:
    common = {
        name: getattr(options, name)
        for name in ("kernel", "gamma", "degree", "coef0", "tol", "max_time", "solver")
    }
    common |= {"precision": options.precision, "n_threads": options.threads}
    if task is Task.classification:
        return checked(SVC(C=options.C, **common))
    if task is Task.regression:
        return checked(SVR(C=options.C, epsilon=options.epsilon, **common))
    return checked(OneClassSVM(nu=options.nu, **common))


def checked(machine: Any) -> Any:
    """The machine; the error of a wrong parameter names the option that gave it."""
    try:
        machine._validate_params()
        resolve_solver(getattr(machine, "solver", "auto"))
    except ValueError as error:
        message = REFUSED.match(str(error))
        if message is None:
            raise InputError(f"--{error}".replace(" or a solver object", "")) from None
        name, allowed, given = message.groups()
        option = {"n_threads": "threads"}.get(name, name.replace("_", "-"))
        raise InputError(f"--{option} must be {allowed}, got {given}") from None
    return machine
