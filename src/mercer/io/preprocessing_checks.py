"""Whether the arrays of scikit-learn's preprocessing fit together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from mercer.io.consistency import require, require_array
from mercer.tables import DateFeatures, TextFeatures
from mercer.tables.date_formats import FORMATS

__all__ = ["checked_part"]

UNFITTED = ("drop", "passthrough")
# Arrays with an entry for each feature, and one that tells whether the part is fitted.
VECTORS: dict[type, tuple[str, ...]] = {
    StandardScaler: ("scale_", "mean_", "var_"),
    MinMaxScaler: ("scale_", "min_", "data_min_", "data_max_", "data_range_"),
    MaxAbsScaler: ("scale_", "max_abs_"),
    RobustScaler: ("scale_", "center_"),
    PowerTransformer: ("lambdas_",),
}


def checked_part(part: Any) -> Any:
    """Return a part of a pipeline; ValueError if its parameters or its arrays are wrong."""
    part._validate_params()
    names = VECTORS.get(type(part), ())
    if names and hasattr(part, names[0]):
        _check_vectors(part, names)
    for cls, (attribute, check) in CHECKS.items():
        if isinstance(part, cls) and hasattr(part, attribute):
            check(part)
    return part


def _check_pipeline(pipeline: Any) -> None:
    _check_steps(pipeline.steps, 2, may_be_none=True)  # which is "passthrough"


def _check_columns(columns: Any) -> None:
    _check_steps(columns.transformers, 3)
    _check_steps(getattr(columns, "transformers_", columns.transformers), 3)


def _check_steps(steps: Any, length: int, *, may_be_none: bool = False) -> None:
    for step in steps if isinstance(steps, list) else [None]:
        is_step = isinstance(step, tuple) and len(step) == length and isinstance(step[0], str)
        part = step[1] if isinstance(step, tuple) and is_step else None
        is_part = hasattr(part, "fit") or (isinstance(part, str) and part in UNFITTED)
        is_part |= may_be_none and is_step and part is None
        require(is_part, f"a step must be a name and an estimator, got {step!r:.60}")


def _check_function(transformer: Any) -> None:
    """A file holds no function, nor a type that would be called like one."""
    for name in ("func", "inverse_func"):
        require(getattr(transformer, name) is None, f"{name} must be None in a file")


def _check_vectors(part: Any, names: Iterable[str]) -> None:
    """A number for each feature, in the precision that the features had."""
    for name in names:
        values = getattr(part, name)
        if values is not None:
            _require_floats(values, name, (part.n_features_in_,))


def _require_floats(array: Any, name: str, shape: tuple[int, ...]) -> None:
    is_array = isinstance(array, np.ndarray) and array.dtype.kind == "f"
    require(is_array and array.shape == shape, f"{name} must be numbers of shape {shape}")


def _check_power(transformer: Any) -> None:
    scaler = vars(transformer).get("_scaler")
    width = transformer.n_features_in_
    fits = isinstance(scaler, StandardScaler) and scaler.n_features_in_ == width
    require(fits or not transformer.standardize, "_scaler must be a StandardScaler")


def _check_quantiles(transformer: Any) -> None:
    count = transformer.n_quantiles_
    require(isinstance(count, int | np.integer) and bool(count > 0), "n_quantiles_ must be a count")
    _require_floats(transformer.references_, "references_", (count,))
    _require_floats(transformer.quantiles_, "quantiles_", (count, transformer.n_features_in_))


def _check_components(pca: Any) -> None:
    count, width = pca.n_components_, pca.n_features_in_
    require(isinstance(count, int | np.integer), "n_components_ must be a count")
    _require_floats(pca.components_, "components_", (count, width))
    if pca.mean_ is not None:
        _require_floats(pca.mean_, "mean_", (width,))
    _require_floats(pca.explained_variance_, "explained_variance_", (count,))


def _check_imputer(imputer: Any) -> None:
    values, indicator = imputer.statistics_, vars(imputer).get("indicator_")
    fits = isinstance(values, np.ndarray) and values.shape == (imputer.n_features_in_,)
    require(fits, "statistics_ must have one entry a column")
    for name in ("_fit_dtype", "_fill_dtype"):
        require(isinstance(getattr(imputer, name), np.dtype), f"{name} must be a dtype")
    is_indicator = isinstance(indicator, MissingIndicator) and hasattr(indicator, "features_")
    require(is_indicator or not imputer.add_indicator, "indicator_ must be a MissingIndicator")


def _check_indicator(indicator: Any) -> None:
    columns, width = indicator.features_, indicator._n_features
    require_array(columns, "features_", "iu", (np.size(columns),))
    require(isinstance(width, int), "_n_features must be a count")
    inside = bool(((columns >= 0) & (columns < width)).all())
    require(inside, f"features_ must lie in 0..{width - 1}")


def _check_ordinal(encoder: Any) -> None:
    _check_categories(encoder)
    missing = encoder._missing_indices
    require(isinstance(missing, dict), "_missing_indices must be a dict")
    for column, index in missing.items():
        inside = type(column) is int and 0 <= column < encoder.n_features_in_
        require(inside, "_missing_indices must be of columns")
        _check_position(index, len(encoder.categories_[column]), "_missing_indices")


def _check_one_hot(encoder: Any) -> None:
    """Columns beyond the width of a sparse result would be read beyond its arrays."""
    _check_categories(encoder)
    dropped = encoder._drop_idx_after_grouping
    if dropped is not None:
        fits = np.shape(dropped) == (encoder.n_features_in_,)
        require(fits, "drop_idx_ must have one entry a column")
        for k, index in enumerate(dropped):
            if index is not None:
                _check_position(index, _n_places(encoder, k), "drop_idx_")
    widths = encoder._compute_n_features_outs()
    require(encoder._n_features_outs == widths, f"_n_features_outs must be {widths}")


def _n_places(encoder: Any, k: int) -> int:
    """Columns that a column of categories becomes, of which one may be dropped."""
    rare = encoder._infrequent_indices[k] if encoder._infrequent_enabled else None
    n_categories = len(encoder.categories_[k])
    return n_categories if rare is None else n_categories - len(rare) + 1


def _check_position(index: Any, count: int, name: str) -> None:
    inside = isinstance(index, int | np.integer) and bool(0 <= index < count)
    require(inside, f"{name} must lie in 0..{count - 1}")


def _check_categories(encoder: Any) -> None:
    categories = encoder.categories_
    fits = isinstance(categories, list) and len(categories) == encoder.n_features_in_
    require(fits, "categories_ must be a list with an entry a column")
    for column in categories:
        is_vector = isinstance(column, np.ndarray) and column.ndim == 1
        require(is_vector, "categories_ must be vectors")
    enabled = encoder._infrequent_enabled
    require(isinstance(enabled, bool), "_infrequent_enabled must be True or False")
    if enabled:
        _check_infrequent(encoder)


def _check_infrequent(encoder: Any) -> None:
    """Rare categories share the last place: which they are, and the place of each category."""
    width = encoder.n_features_in_
    for name in ("_infrequent_indices", "_default_to_infrequent_mappings"):
        parts = getattr(encoder, name)
        fits = isinstance(parts, list) and len(parts) == width
        require(fits, f"{name} must be a list with an entry a column")
    for k in range(width):
        # a missing value is not counted among the categories, and comes last
        missing = k in getattr(encoder, "_missing_indices", {})
        _check_places(encoder, k, len(encoder.categories_[k]) - missing)


def _check_places(encoder: Any, k: int, n_categories: int) -> None:
    rare, places = encoder._infrequent_indices[k], encoder._default_to_infrequent_mappings[k]
    if rare is None:
        require(places is None, "_default_to_infrequent_mappings must be None")
        return
    require_array(rare, "_infrequent_indices", "iu", (np.size(rare),))
    inside = rare.size > 0 and rare.min() >= 0 and rare.max() < n_categories
    require(bool(inside), "_infrequent_indices must be of categories")
    is_rare = np.zeros(n_categories, dtype=bool)
    is_rare[rare] = True
    expected = np.where(is_rare, np.count_nonzero(~is_rare), np.cumsum(~is_rare) - 1)
    require_array(places, "_default_to_infrequent_mappings", "iu", (n_categories,))
    require(np.array_equal(places, expected), "_default_to_infrequent_mappings are wrong")


def _check_dates(features: Any) -> None:
    formats, width = features.formats_, features.n_features_in_
    fits = isinstance(formats, list) and len(formats) == width
    require(fits, "formats_ must be a list with an entry a column")
    for own in formats:
        is_known = isinstance(own, list) and all(name in FORMATS for name in own)
        require(is_known, f"formats_ must be among {FORMATS}")


def _check_texts(features: Any) -> None:
    width = features.n_features_in_
    for name in ("words_", "idf_"):
        parts = vars(features).get(name)
        fits = isinstance(parts, list) and len(parts) == width
        require(fits, f"{name} must be a list with an entry a column")
    for words, idf in zip(features.words_, features.idf_, strict=True):
        is_vector = isinstance(words, np.ndarray) and words.ndim == 1
        is_text = is_vector and all(isinstance(word, str) for word in words)
        require(is_text and len(set(words)) == len(words), "words_ must be different texts")
        _require_floats(idf, "idf_", words.shape)


CHECKS: dict[type, tuple[str, Callable[[Any], None]]] = {
    Pipeline: ("steps", _check_pipeline),
    ColumnTransformer: ("transformers", _check_columns),
    FunctionTransformer: ("func", _check_function),
    OneHotEncoder: ("categories_", _check_one_hot),
    OrdinalEncoder: ("categories_", _check_ordinal),
    PowerTransformer: ("lambdas_", _check_power),
    QuantileTransformer: ("quantiles_", _check_quantiles),
    SimpleImputer: ("statistics_", _check_imputer),
    MissingIndicator: ("features_", _check_indicator),
    PCA: ("components_", _check_components),
    DateFeatures: ("formats_", _check_dates),
    TextFeatures: ("words_", _check_texts),
}
