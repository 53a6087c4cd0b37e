"""The parts of pipelines that files may hold, and whether their arrays fit together.

They are what the preprocessing of the command line consists of.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from mercer.io.consistency import require, require_array

__all__ = ["PREPROCESSING", "checked_part"]

UNFITTED = ("drop", "passthrough")
COMMON = ("feature_names_in_", "n_features_in_", "_sklearn_output_config")

# Fitted attributes by class.
PREPROCESSING: dict[type, tuple[str, ...]] = {
    Pipeline: COMMON,
    ColumnTransformer: (
        *COMMON,
        "_columns",
        "_remainder",
        "_transformer_to_input_indices",
        "output_indices_",
        "sparse_output_",
        "transformers_",
    ),
    StandardScaler: (*COMMON, "mean_", "n_samples_seen_", "scale_", "var_"),
    OneHotEncoder: (
        *COMMON,
        "_drop_idx_after_grouping",
        "_infrequent_enabled",
        "_n_features_outs",
        "categories_",
        "drop_idx_",
    ),
    TransformedTargetRegressor: (*COMMON, "_training_dim", "regressor_", "transformer_"),
}


def checked_part(part: Any) -> Any:
    """Return a part of a pipeline; ValueError if its parameters or its arrays are wrong."""
    part._validate_params()
    if isinstance(part, Pipeline):
        _check_steps(part.steps, 2)
    if isinstance(part, ColumnTransformer):
        _check_steps(part.transformers, 3)
        _check_steps(getattr(part, "transformers_", part.transformers), 3)
    if isinstance(part, StandardScaler) and hasattr(part, "scale_"):
        _check_scaler(part)
    if isinstance(part, OneHotEncoder) and hasattr(part, "categories_"):
        _check_encoder(part)
    return part


def _check_steps(steps: Any, length: int) -> None:
    for step in steps if isinstance(steps, list) else [None]:
        is_step = isinstance(step, tuple) and len(step) == length and isinstance(step[0], str)
        part = step[1] if isinstance(step, tuple) and is_step else None
        is_part = hasattr(part, "fit") or (isinstance(part, str) and part in UNFITTED)
        require(is_part, f"a step must be a name and an estimator, got {step!r:.60}")


def _check_scaler(scaler: Any) -> None:
    for name in ("mean_", "scale_", "var_"):
        values = getattr(scaler, name)
        if values is not None:
            require_array(values, name, "f", (scaler.n_features_in_,))


def _check_encoder(encoder: Any) -> None:
    """Columns beyond the width of a sparse result would be read beyond its arrays."""
    categories, dropped = encoder.categories_, encoder._drop_idx_after_grouping
    n_features = encoder.n_features_in_
    require(isinstance(categories, list) and len(categories) == n_features, "categories_")
    for column in categories:
        is_vector = isinstance(column, np.ndarray) and column.ndim == 1
        require(is_vector, "categories_ must be vectors")
    require(encoder._infrequent_enabled is False, "infrequent categories are not kept in files")
    if dropped is not None:
        require(np.shape(dropped) == (n_features,), "drop_idx_ must have one entry a column")
        for index, column in zip(dropped, categories, strict=True):
            inside = index is None or (isinstance(index, int) and 0 <= index < len(column))
            require(inside, f"drop_idx_ must lie in 0..{len(column) - 1}")
    widths = encoder._compute_n_features_outs()
    require(encoder._n_features_outs == widths, f"_n_features_outs must be {widths}")
