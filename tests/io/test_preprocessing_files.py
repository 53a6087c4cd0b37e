"""Pipelines of scikit-learn's preprocessing come back from a file as they were."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from io_cases import X, Y, assert_same_outputs
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
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

from mercer import SVC
from mercer.io import load, save

ROWS, LABELS = X[::3], Y[::3]
RNG = np.random.default_rng(0)
HOLES = np.where(RNG.random(ROWS.shape) < 0.1, np.nan, ROWS)
TABLE = pd.DataFrame(ROWS, columns=["a", "b", "c", "d"]).assign(
    city=np.array(["Ulm", "Bonn", "Köln"])[RNG.integers(0, 3, 50)],
    flag=RNG.random(50) < 0.5,
    kind=RNG.integers(0, 5, 50),
)
GAPS = TABLE.astype({"city": object})
GAPS.loc[3, "a"], GAPS.loc[4, "city"] = np.nan, None
SCALERS = [
    StandardScaler(),
    MinMaxScaler(clip=True),
    MaxAbsScaler(),
    RobustScaler(),
    RobustScaler(with_centering=False),
    QuantileTransformer(n_quantiles=9, output_distribution="normal"),
    PowerTransformer(),
    PowerTransformer("box-cox", standardize=False),
    PCA(2),
    PCA(0.9, whiten=True),
    OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan),
    OrdinalEncoder(max_categories=4),
    OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=4, drop="first"),
]
IMPUTED = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder())
COLUMNS = {
    "by name": make_column_transformer(
        (StandardScaler(), ["a", "b"]),
        (OneHotEncoder(), ["city", "flag"]),
        (OrdinalEncoder(), ["kind"]),
        remainder="passthrough",
    ),
    "by kind": make_column_transformer(
        (
            make_pipeline(SimpleImputer(add_indicator=True), RobustScaler()),
            make_column_selector(dtype_include=np.number),
        ),
        (IMPUTED, make_column_selector(dtype_include=object)),
    ),
    "by place": make_column_transformer(
        (PCA(2), slice(0, 4)), ("drop", [4]), remainder=MinMaxScaler()
    ),
    "inside each other": make_column_transformer(
        (make_column_transformer((QuantileTransformer(n_quantiles=5), ["a"])), ["a", "b"]),
        ("passthrough", ["c"]),
    ),
}


def check(pipeline: Any, rows: Any, folder: Any) -> None:
    pipeline.fit(rows, LABELS)
    save(pipeline, folder / "m")
    loaded = load(folder / "m")
    assert_same_outputs(loaded, pipeline, rows)
    names = [
        part[:-1].get_feature_names_out().tolist()
        for part in (loaded, pipeline)
        if not isinstance(part[0], FunctionTransformer)
    ]
    assert names[0] == names[1]
    save(clone(pipeline).fit(rows, LABELS), folder / "again")
    assert (folder / "again").read_bytes() == (folder / "m").read_bytes()
    clone(loaded).fit(rows, LABELS)


@pytest.mark.parametrize("scaler", SCALERS, ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_pipelines_of_preprocessing_are_saved(scaler: Any, tmp_path: Any) -> None:
    """All but StandardScaler and OneHotEncoder were refused."""
    check(make_pipeline(scaler, SimpleImputer(), SVC()), ROWS, tmp_path)
    rows = ROWS.astype(np.float32)
    check(make_pipeline(scaler, SimpleImputer(), SVC()), rows, tmp_path)


@pytest.mark.parametrize(
    "imputer",
    [
        SimpleImputer(add_indicator=True),
        SimpleImputer(strategy="constant", fill_value=-1.0),
        SimpleImputer(strategy="median", missing_values=np.nan),
        QuantileTransformer(n_quantiles=9),
    ],
    ids=repr,
)
def test_pipelines_that_fill_holes_are_saved(imputer: Any, tmp_path: Any) -> None:
    check(make_pipeline(imputer, SimpleImputer(), SVC()), HOLES, tmp_path)


@pytest.mark.parametrize("name", COLUMNS)
def test_transformed_columns_are_saved(name: str, tmp_path: Any) -> None:
    check(make_pipeline(COLUMNS[name], SVC()), GAPS if name == "by kind" else TABLE, tmp_path)


def test_tables_that_give_tables_are_saved(tmp_path: Any) -> None:
    pipeline = make_pipeline(MinMaxScaler(), SVC()).set_output(transform="pandas")
    check(pipeline, TABLE[["a", "b"]], tmp_path)
    assert isinstance(load(tmp_path / "m")[0].transform(TABLE[["a", "b"]]), pd.DataFrame)


@pytest.mark.parametrize(
    ("part", "change"),
    [
        (MinMaxScaler(), lambda p: setattr(p, "min_", p.min_[:-1])),
        (RobustScaler(), lambda p: setattr(p, "center_", p.center_.astype("U9"))),
        (QuantileTransformer(n_quantiles=9), lambda p: setattr(p, "quantiles_", p.quantiles_[1:])),
        (PowerTransformer(), lambda p: setattr(p, "_scaler", MinMaxScaler())),
        (OrdinalEncoder(), lambda p: p.categories_.pop()),
        (OrdinalEncoder(), lambda p: p._missing_indices.update({0: 10**6})),
        (OneHotEncoder(min_frequency=4), lambda p: p._infrequent_indices.reverse()),
        (OneHotEncoder(drop="first"), lambda p: _set(p._drop_idx_after_grouping, 10**6)),
        (SimpleImputer(), lambda p: setattr(p, "statistics_", p.statistics_[:-1])),
        (SimpleImputer(add_indicator=True), lambda p: setattr(p, "indicator_", None)),
        (SimpleImputer(add_indicator=True), lambda p: _set(p.indicator_.features_, 10**6)),
        (PCA(2), lambda p: setattr(p, "components_", p.components_[:, :-1])),
        (FunctionTransformer(), lambda p: setattr(p, "func", np.float64)),
    ],
)
def test_parts_that_do_not_fit_are_refused(part: Any, change: Any, tmp_path: Any) -> None:
    rows = HOLES if isinstance(part, SimpleImputer) else ROWS
    pipeline = make_pipeline(part, SVC()).fit(rows, LABELS)
    change(pipeline[0])
    save(pipeline, tmp_path / "m")
    with pytest.raises(ValueError, match="do not fit together"):
        load(tmp_path / "m")


def _set(array: Any, value: int) -> None:
    array[-1] = value
