"""What scikit-learn's preprocessing does to rows, as arithmetic on columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

__all__ = [
    "Arithmetic",
    "Branches",
    "Clip",
    "Fill",
    "Map",
    "NotExported",
    "OneHot",
    "Step",
    "inverse",
    "steps_of",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


class NotExported(ValueError):
    """A part cannot be exported; ``columns`` are the names of those it reads, if it knows them."""

    def __init__(self, reason: str, columns: Iterable[Any] = ()) -> None:
        self.columns = [str(name) for name in columns]
        noun = "column" if len(self.columns) == 1 else "columns"
        listed = ", ".join(map(repr, self.columns[:20]))
        super().__init__(f"{noun} {listed}: {reason}" if self.columns else reason)


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """Every column with a number of its own: x - v, x + v, x * v or x / v."""

    operation: Literal["Sub", "Add", "Mul", "Div"]
    operand: FloatArray


@dataclass(frozen=True, eq=False)
class Clip:
    """No value below ``low`` or above ``high``."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Fill:
    """Missing values (``missing``, which may be NaN) of the kept columns get ``values``.

    Then come columns that tell where values of ``told`` were missing.
    """

    missing: float
    kept: IntArray
    values: FloatArray
    told: IntArray


@dataclass(frozen=True, eq=False)
class Map:
    """x @ matrix."""

    matrix: FloatArray


@dataclass(frozen=True, eq=False)
class OneHot:
    """A column for every category of every column, except for the ``dropped`` ones (None: all
    stay).

    A value that is no category gives zeros.
    """

    categories: tuple[NDArray[Any], ...]
    dropped: tuple[int | None, ...]

    @property
    def is_text(self) -> tuple[bool, ...]:
        """Which columns hold strings."""
        return tuple(own.dtype.kind not in "biuf" for own in self.categories)


@dataclass(frozen=True, eq=False)
class Branches:
    """Some columns through some steps each, side by side."""

    parts: tuple[tuple[IntArray, tuple[Step, ...]], ...]


Step = Arithmetic | Clip | Fill | Map | OneHot | Branches


def steps_of(part: Any) -> tuple[Step, ...]:
    """The steps of a fitted part of a pipeline; ValueError names one that has none."""
    match part:
        case None | "passthrough":
            return ()
        case Pipeline():
            return tuple(step for _, own in part.steps for step in steps_of(own))
        case StandardScaler():
            return _shifted("Sub", part.mean_) + _shifted("Div", part.scale_)
        case RobustScaler():
            return _shifted("Sub", part.center_) + _shifted("Div", part.scale_)
        case MaxAbsScaler():
            clip = (Clip(-1.0, 1.0),) if getattr(part, "clip", False) else ()
            return _shifted("Div", part.scale_) + clip
        case MinMaxScaler():
            clip = (Clip(*map(float, part.feature_range)),) if part.clip else ()
            return _shifted("Mul", part.scale_) + _shifted("Add", part.min_) + clip
        case PCA():
            return _pca_steps(part)
        case SimpleImputer():
            return (_fill_of(part),)
        case OneHotEncoder():
            return (_one_hot_of(part),)
        case ColumnTransformer():
            return (_branches_of(part),)
        case FunctionTransformer() if part.func is None:
            return ()
    raise NotExported(
        f"{type(part).__name__} cannot be exported; of preprocessing StandardScaler, MinMaxScaler, "
        "MaxAbsScaler, RobustScaler, PCA, SimpleImputer, OneHotEncoder, ColumnTransformer and "
        "Pipeline can",
        getattr(part, "feature_names_in_", ()),
    )


def inverse(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps back, of arithmetic alone."""
    back: dict[str, Any] = {"Sub": "Add", "Add": "Sub", "Mul": "Div", "Div": "Mul"}
    if not all(isinstance(step, Arithmetic) for step in steps):
        raise ValueError("targets that are not scaled by arithmetic alone cannot be exported")
    return tuple(Arithmetic(back[step.operation], step.operand) for step in reversed(steps))  # type: ignore[union-attr]


def _shifted(operation: Any, operand: Any) -> tuple[Step, ...]:
    if operand is None:
        return ()
    return (Arithmetic(operation, np.asarray(operand, dtype=np.float64)),)


def _pca_steps(part: PCA) -> tuple[Step, ...]:
    steps = (*_shifted("Sub", part.mean_), Map(np.asarray(part.components_.T, dtype=np.float64)))
    if not part.whiten:
        return steps
    scale = np.sqrt(part.explained_variance_)
    scale[scale < np.finfo(scale.dtype).eps] = np.finfo(scale.dtype).eps
    return (*steps, *_shifted("Div", scale))


def _fill_of(part: SimpleImputer) -> Fill:
    values = np.asarray(part.statistics_)
    missing = part.missing_values
    # constants for the columns of a data frame are objects, though they be numbers
    if not all(isinstance(value, int | float | np.number) for value in (*values, missing)):
        raise ValueError("SimpleImputer of values that are not numbers cannot be exported")
    values = values.astype(np.float64)
    kept = np.arange(len(values)) if part.keep_empty_features else np.flatnonzero(~np.isnan(values))
    told = part.indicator_.features_ if part.add_indicator else np.empty(0)
    return Fill(float(missing), kept, values[kept], np.asarray(told, dtype=np.intp))


def _one_hot_of(part: OneHotEncoder) -> OneHot:
    if getattr(part, "_infrequent_enabled", False):
        raise ValueError("OneHotEncoder with infrequent categories cannot be exported")
    dropped = part.drop_idx_ if part.drop_idx_ is not None else [None] * len(part.categories_)
    kept = tuple(None if drop is None else int(drop) for drop in dropped)
    names = getattr(part, "feature_names_in_", None)
    columns = [()] * len(kept) if names is None else [(name,) for name in names]
    return OneHot(tuple(map(_plain_categories, part.categories_, columns)), kept)


def _plain_categories(known: NDArray[Any], column: Iterable[Any]) -> NDArray[Any]:
    """Categories that are numbers or strings; a missing string is the empty one.

    Booleans with gaps are the strings True and False.
    """
    if known.dtype.kind in "biufU":
        return known
    plain = ["" if _is_gap(value) else value for value in known]
    if all(isinstance(value, bool | np.bool_) or value == "" for value in plain):
        plain = [str(value) for value in plain]
    if not all(isinstance(value, str) for value in plain) or len(set(plain)) < len(plain):
        raise NotExported(
            "OneHotEncoder of categories that are neither strings nor numbers cannot be "
            f"exported, got {known[:5].tolist()}",
            column,
        )
    return np.array(plain, dtype=object)


def _is_gap(value: Any) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def _branches_of(part: ColumnTransformer) -> Branches:
    parts = []
    for name, own, _ in part.transformers_:
        if isinstance(own, str) and own == "drop":
            continue
        columns = np.asarray(part._transformer_to_input_indices[name], dtype=np.intp)
        if len(columns):
            parts.append((columns, steps_of(own)))
    return Branches(tuple(parts))
