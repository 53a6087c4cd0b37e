"""The columns of a table that a fitted estimator reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline

from mercer import CodeClassifier
from mercer.cli.data.categories import has_gap
from mercer.cli.data.columns import Column
from mercer.selection.tuned import TunedMachine
from mercer.tables import DateFeatures, TextFeatures
from mercer.training.feature_count import feature_count

__all__ = ["inner_machine", "inside", "wanted_columns"]

Places = Sequence[int | None]


def inside(estimator: Any) -> Any:
    """The (first) estimator that an estimator wraps; None if it stands alone."""
    if isinstance(estimator, TransformedTargetRegressor):
        return getattr(estimator, "regressor_", estimator.regressor)
    if isinstance(estimator, CalibratedClassifierCV):
        members = getattr(estimator, "calibrated_classifiers_", None)
        return estimator.estimator if members is None else members[0].estimator
    if isinstance(estimator, CodeClassifier):
        return getattr(estimator, "estimators_", [estimator.estimator])[0]
    if isinstance(estimator, FrozenEstimator):
        return estimator.estimator
    return getattr(estimator, "best_estimator_", getattr(estimator, "estimator_", None))


def inner_machine(estimator: Any) -> Any:
    """The machine at the end of a pipeline, or inside what is around it."""
    inner = estimator[-1] if isinstance(estimator, Pipeline) else inside(estimator)
    return estimator if inner is None else inner_machine(inner)


def wanted_columns(estimator: Any) -> list[Column]:
    """The role of each column in a fitted estimator."""
    columns = [Column("dropped") for _ in range(feature_count(estimator))]
    for place, read in _read(estimator, range(len(columns)), False):
        before = columns[place]
        if before.kind == "dropped":
            columns[place] = read
        else:
            chosen = read if read.kind == "categories" else before
            columns[place] = replace(chosen, may_miss=before.may_miss and read.may_miss)
    return columns


def _read(estimator: Any, places: Places, is_filled: bool) -> Iterator[tuple[int, Column]]:
    """The columns that a part reads: where they stand in the table, and how it reads them.

    `places` are those of its own columns, None where another part has made one; `is_filled`
    tells that missing values are filled in later.
    """
    if isinstance(estimator, Pipeline):
        yield from _read_by_steps([step for _, step in estimator.steps], places, is_filled)
    elif isinstance(estimator, ColumnTransformer):
        for name, part, _ in estimator.transformers_:
            own = [places[k] for k in estimator._transformer_to_input_indices[name]]
            if not isinstance(part, str) or part != "drop":
                yield from _read(part, own, is_filled)
    elif isinstance(estimator, DateFeatures):
        yield from ((k, Column("dates", may_miss=is_filled)) for k in places if k is not None)
    elif isinstance(estimator, TextFeatures):
        yield from ((k, Column("texts", may_miss=True)) for k in places if k is not None)
    elif hasattr(estimator, "categories_"):
        for place, known in zip(places, estimator.categories_, strict=False):
            if place is not None:
                is_strict = getattr(estimator, "handle_unknown", None) == "error"
                yield place, Column("categories", known, is_strict, is_filled or has_gap(known))
    elif (inner := inside(estimator)) is not None and not isinstance(estimator, TunedMachine):
        yield from _read(inner, places, is_filled)
    else:
        numbers = Column("numbers", may_miss=is_filled)
        yield from ((place, numbers) for place in places if place is not None)


def _read_by_steps(
    steps: list[Any], places: Places, is_filled: bool
) -> Iterator[tuple[int, Column]]:
    """The first step reads; behind one that fills in missing values, the next one."""
    is_filled = is_filled or any(isinstance(step, SimpleImputer) for step in steps)
    first, rest = steps[0], steps[1:]
    if isinstance(first, str) and rest:
        yield from _read_by_steps(rest, places, is_filled)
    elif isinstance(first, SimpleImputer) and rest:
        # columns without a value are left out, and those that tell of holes come last
        names = getattr(first, "feature_names_in_", [f"x{k}" for k in range(len(places))])
        own = dict(zip(names, places, strict=True))
        kept = [own.get(name) for name in first.get_feature_names_out()]
        yield from _read_by_steps(rest, kept, is_filled)
    else:
        yield from _read(first, places, is_filled)
