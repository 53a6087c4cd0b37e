"""The parts of pipelines that files may hold: scikit-learn's preprocessing, dates and texts."""

from __future__ import annotations

from typing import Any

from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector
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

from mercer.io.preprocessing_checks import checked_part
from mercer.io.recipe import Recipe, State, arguments_of, assembled
from mercer.tables import DateFeatures, TextFeatures

__all__ = ["PREPROCESSING"]

COMMON = ("feature_names_in_", "n_features_in_", "_sklearn_output_config")
ENCODER = (
    "_default_to_infrequent_mappings",
    "_infrequent_enabled",
    "_infrequent_indices",
    "categories_",
)

# Fitted attributes by class.
FITTED: dict[type, tuple[str, ...]] = {
    Pipeline: (),
    ColumnTransformer: (
        "_columns",
        "_remainder",
        "_transformer_to_input_indices",
        "output_indices_",
        "sparse_output_",
        "transformers_",
    ),
    TransformedTargetRegressor: ("_training_dim", "regressor_", "transformer_"),
    # what a ColumnTransformer makes of "passthrough"
    FunctionTransformer: (),
    StandardScaler: ("mean_", "n_samples_seen_", "scale_", "var_"),
    MinMaxScaler: ("data_max_", "data_min_", "data_range_", "min_", "n_samples_seen_", "scale_"),
    MaxAbsScaler: ("max_abs_", "n_samples_seen_", "scale_"),
    RobustScaler: ("center_", "scale_"),
    QuantileTransformer: ("n_quantiles_", "quantiles_", "references_"),
    PowerTransformer: ("_scaler", "lambdas_"),
    OneHotEncoder: (*ENCODER, "_drop_idx_after_grouping", "_n_features_outs", "drop_idx_"),
    OrdinalEncoder: (*ENCODER, "_missing_indices"),
    SimpleImputer: ("_fill_dtype", "_fit_dtype", "indicator_", "statistics_"),
    MissingIndicator: ("_n_features", "_precomputed", "features_"),
    PCA: (
        "_fit_svd_solver",
        "components_",
        "explained_variance_",
        "explained_variance_ratio_",
        "mean_",
        "n_components_",
        "n_samples_",
        "noise_variance_",
        "singular_values_",
    ),
    DateFeatures: ("formats_",),
    TextFeatures: ("idf_", "words_"),
}
SELECTOR = ("pattern", "dtype_include", "dtype_exclude")


def _of_part(cls: type, fitted: tuple[str, ...]) -> Recipe:
    allowed = (*COMMON, *fitted)

    def take(part: Any) -> State:
        own = {name: vars(part)[name] for name in allowed if name in vars(part)}
        return arguments_of(part) | own

    def make(state: State) -> Any:
        return checked_part(assembled(cls, allowed.__contains__, state))

    return Recipe(cls.__name__, cls, take, make)


def _of_selector() -> Recipe:
    """Columns chosen by their names and kinds; it has no other state."""
    take = lambda selector: {name: getattr(selector, name) for name in SELECTOR}  # noqa: E731
    make = lambda state: make_column_selector(**state)  # noqa: E731
    return Recipe("make_column_selector", make_column_selector, take, make)


PREPROCESSING = (*(_of_part(cls, names) for cls, names in FITTED.items()), _of_selector())
