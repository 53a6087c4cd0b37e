"""The estimator a training set asks for: preprocessing and a machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from mercer import SVC, SVR, OneClassSVM
from mercer.cli.choices import Task
from mercer.cli.data.columns import Columns
from mercer.cli.data.training_set import TrainingSet
from mercer.cli.errors import InputError
from mercer.cli.models.targets import target_scaler
from mercer.machines.parameters import check_parameters
from mercer.solvers.solving import resolve_solver
from mercer.tables import DateFeatures, TextFeatures

__all__ = [
    "Options",
    "as_targets",
    "build_estimator",
    "checked",
    "machine_of",
    "prepared",
    "with_machine",
]

# How scikit-learn words it.
REFUSED = re.compile(r"The '(\w+)' parameter of \w+ must be (.*)\. Got (.*) instead\.$")
GAMMA_RULES = ("scale", "auto", "median")


@dataclass(frozen=True)
class Options:
    """The options of the machine; see the help of ``mercer fit``."""

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
    class_weight: str | None = None

    @classmethod
    def of(cls, chosen: Mapping[str, Any]) -> Options:
        """Return those among the options of the command."""
        values = {field.name: chosen.get(field.name, field.default) for field in fields(cls)}
        is_balanced = values["class_weight"] == "balanced"
        values["class_weight"] = "balanced" if is_balanced else None
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

    Missing numbers become the median, with an indicator; dates become days and months, texts the
    weights of their words. Numbers are scaled to mean 0 and variance 1 (sparse ones to variance
    1), categories become one column each, and so is the target of a regression scaled, for C and
    epsilon to mean the same in any unit.
    """
    preparation = (
        _scaler(scale, with_mean=False)
        if data.columns is None
        else _column_preparation(data.columns, scale)
    )
    pipeline = Pipeline([("prepare", preparation), ("machine", machine)])
    if scale and data.task is Task.regression and data.y is not None:
        return TransformedTargetRegressor(pipeline, transformer=target_scaler(data.y))
    return pipeline


def machine_of(estimator: Any) -> Any:
    """Return the machine at the end of an estimator, fitted if the estimator is."""
    if isinstance(estimator, TransformedTargetRegressor):
        return machine_of(getattr(estimator, "regressor_", estimator.regressor))
    return machine_of(estimator[-1]) if isinstance(estimator, Pipeline) else estimator


def with_machine(estimator: Any, machine: Any) -> Any:
    """Put a fitted machine at the end of a fitted estimator, which is changed and returned."""
    if isinstance(estimator, TransformedTargetRegressor):
        estimator.set_params(regressor__machine=clone(machine))
        with_machine(estimator.regressor_, machine)
        return estimator
    return estimator.set_params(machine=machine)


def as_targets(estimator: Any, predicted: NDArray[Any]) -> NDArray[Any]:
    """The predictions of the machine of a fitted estimator, in units of the targets."""
    if not isinstance(estimator, TransformedTargetRegressor):
        return predicted
    scaled = np.asarray(predicted)[:, None]
    return np.asarray(estimator.transformer_.inverse_transform(scaled)).ravel()


def _column_preparation(columns: Columns, scale: bool) -> ColumnTransformer:
    steps: list[tuple[str, Any, list[str]]] = []
    if columns.numbers:
        has_gaps = bool(set(columns.missing) & set(columns.numbers))
        scaler = _filled(has_gaps, _scaler(scale)) if columns.imputes else _scaler(scale)
        steps.append(("numbers", scaler, columns.numbers))
    if columns.categories:
        encoder = OneHotEncoder(handle_unknown="ignore")
        steps.append(("categories", encoder, columns.categories))
    if columns.dates:
        has_gaps = bool(set(columns.missing) & set(columns.dates))
        scaled = _filled(has_gaps, _scaler(scale)) if columns.imputes else _scaler(scale)
        steps.append(("dates", make_pipeline(DateFeatures(), scaled), columns.dates))
    if columns.texts:
        steps.append(("texts", TextFeatures(), columns.texts))
    return ColumnTransformer(steps)


def _filled(has_gaps: bool, scaler: StandardScaler) -> Pipeline:
    """Missing values become the median; an indicator marks columns that had any."""
    imputer = SimpleImputer(strategy="median", add_indicator=has_gaps, keep_empty_features=True)
    return make_pipeline(imputer, scaler)


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
        return checked(SVC(C=options.C, class_weight=options.class_weight, **common))
    if options.class_weight is not None:
        raise InputError("--class-weight is for classes, there are none")
    if task is Task.regression:
        return checked(SVR(C=options.C, epsilon=options.epsilon, **common))
    return checked(OneClassSVM(nu=options.nu, **common))


def checked(machine: Any) -> Any:
    """The machine; the error of a wrong parameter names the option that gave it."""
    try:
        check_parameters(machine)
        resolve_solver(getattr(machine, "solver", "auto"))
    except ValueError as error:
        message = REFUSED.match(str(error))
        if message is None:
            words = str(error).partition(" (mercer.lab")[0].replace(" or a solver object", "")
            raise InputError(f"--{words}") from None
        name, allowed, given = message.groups()
        option = {"n_threads": "threads"}.get(name, name.replace("_", "-"))
        raise InputError(f"--{option} must be {allowed}, got {given}") from None
    return machine
