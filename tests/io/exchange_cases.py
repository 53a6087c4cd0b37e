"""Fitted estimators that exporters are held to, and what their values may be off by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

from mercer import (
    LSSVC,
    LSSVR,
    RLSC,
    SVC,
    SVDD,
    SVR,
    CalibratedSVC,
    CodeClassifier,
    HullClassifier,
    NuSVC,
    NuSVR,
    OneClassSVM,
    OnlineSVC,
    OnlineSVR,
    PathSVC,
    ReducedSVC,
    ThresholdSVC,
    TunedRLSC,
    TunedSVC,
    TunedSVR,
)
from mercer.io.exchange import describe
from mercer.io.exchange.distances import diagonal
from mercer.kernels import (
    Constant,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
    Sigmoid,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)) * [1.0, 2.0, 0.5] + [0.0, 1.0, 3.0]
NAMES = np.array(["a", "bb", "ü"])[(X + 0.5 * RNG.normal(size=X.shape)).argmax(axis=1) % 3]
NAMES[:3] = ["a", "bb", "ü"]
FOUR = RNG.integers(0, 4, len(X)) * 3 - 2
TWO = X[:, 0] + 0.3 * RNG.normal(size=len(X)) > 0
TARGETS = np.sin(X[:, 0]) + X[:, 1]
# rows of zeros, of training, and far away
ROWS = np.vstack(
    [RNG.normal(size=(25, 3)) * 2.0 + [0.0, 1.0, 3.0], X[:4], np.zeros(3), [[1e6] * 3]]
)

_M = RNG.normal(size=(3, 3))
KERNELS: dict[str, Kernel] = {
    "linear": Linear(),
    "polynomial": Polynomial(3, 0.3, 1.0),
    "one width": Gaussian(0.3),
    "narrow": Gaussian(1e4),
    "per feature": Gaussian(np.array([0.1, 0.2, 0.7])),
    "full metric": Gaussian(0.1 * (_M @ _M.T + np.eye(3))),
    "laplacian": Laplacian(0.4),
    "sigmoid": Sigmoid(0.1, 0.2),
    "sum": Gaussian(0.3) + 0.7 * Linear() + Constant(0.7),
    "product": Gaussian(0.3) * Polynomial(2, 0.3, 1.0),
    "normalized": Normalized(Linear()),
    "nested": Normalized(Linear() + Laplacian(0.2)) * Gaussian(0.1) + 3.0 * Sigmoid(0.1),
}
Make = Callable[[], Any]


def _calibrated(method: str, ensemble: bool, labels: Any) -> Any:
    machine = make_pipeline(StandardScaler(), SVC())
    return CalibratedClassifierCV(machine, method=method, ensemble=ensemble, cv=2).fit(X, labels)


def _our_calibrated(method: str, kind: str) -> Any:
    machines = {
        "of two": SVC(),
        "of classes": make_pipeline(StandardScaler(), SVC(multiclass="one-vs-all")),
        "of codes": SVC(multiclass="code", code="sparse"),
    }
    labels = {"of two": TWO, "of classes": NAMES, "of codes": FOUR}[kind]
    return CalibratedSVC(machines[kind], method=method, cv=2).fit(X, labels)


ESTIMATORS: dict[str, Make] = {
    **{
        f"SVC {name}": lambda name=name: SVC(kernel=KERNELS[name]).fit(X, NAMES) for name in KERNELS
    },
    **{
        f"multiclass {name}": lambda name=name: SVC(multiclass=name).fit(X, FOUR)
        for name in ("one-vs-all", "code", "weston-watkins", "crammer-singer", "lee-lin-wahba")
    },
    **{
        f"decoding {name}": lambda name=name: SVC(
            multiclass="code", code="sparse", decoding=name
        ).fit(X, FOUR)
        for name in ("hamming", "squared_hinge", "squared_error", "exponential")
    },
    **{
        f"calibrated {method} {kind}": lambda method=method, labels=labels: _calibrated(
            method, method == "isotonic", labels
        )
        for method in ("sigmoid", "isotonic", "temperature")
        for kind, labels in (("of two", TWO), ("of three", NAMES))
    },
    "two classes": lambda: SVC(probability=True).fit(X, TWO),
    "probabilities of classes": lambda: SVC(multiclass="one-vs-all", probability=True).fit(
        X, NAMES
    ),
    **{
        f"CalibratedSVC {method} {kind}": lambda method=method, kind=kind: _our_calibrated(
            method, kind
        )
        for method in ("platt", "isotonic", "temperature")
        for kind in ("of two", "of classes", "of codes")
    },
    "CalibratedSVC temperature of pairs": lambda: CalibratedSVC(
        SVC(decision_function_shape="ovo"), method="temperature", cv=2
    ).fit(X, FOUR),
    "probabilities of codes": lambda: SVC(multiclass="code", probability=True).fit(X, FOUR),
    "pairs": lambda: SVC(decision_function_shape="ovo", break_ties=False).fit(X, FOUR),
    "NuSVC": lambda: NuSVC(nu=0.05).fit(X, NAMES),
    "SVR": lambda: SVR().fit(X, TARGETS),
    "NuSVR": lambda: NuSVR().fit(X, TARGETS),
    "OneClassSVM": lambda: OneClassSVM(nu=0.2).fit(X),
    "SVDD": lambda: SVDD(nu=0.2).fit(X),
    "SVDD of a sum": lambda: SVDD(
        kernel=0.5 * Laplacian(0.2) + Normalized(Linear()) * Gaussian(0.1) + Constant(0.3)
    ).fit(X),
    "ThresholdSVC": lambda: ThresholdSVC(make_pipeline(StandardScaler(), SVC())).fit(X, TWO),
    "RLSC": lambda: RLSC().fit(X, NAMES),
    "RLSC by pairs": lambda: RLSC(multiclass="one-vs-one").fit(X, FOUR),
    "RLSC by code": lambda: RLSC(multiclass="code", decoding="hinge").fit(X, FOUR),
    "RLSC linear": lambda: RLSC(kernel="linear").fit(X, NAMES),
    "RLSC of labels": lambda: RLSC().fit(X, np.column_stack([TWO, FOUR > 0]).astype(int)),
    "RLSC of low rank": lambda: RLSC(low_rank=15).fit(X, NAMES),
    "LSSVC": lambda: LSSVC().fit(X, TWO),
    "LSSVR": lambda: LSSVR().fit(X, TARGETS),
    "LSSVR of two": lambda: LSSVR().fit(X, np.column_stack([TARGETS, -2.0 * TARGETS])),
    "ReducedSVC": lambda: ReducedSVC(low_rank=15).fit(X, NAMES),
    "HullClassifier": lambda: HullClassifier().fit(X, TWO),
    "PathSVC": lambda: PathSVC(cv=2).fit(X, NAMES),
    "PathSVC one-vs-all": lambda: PathSVC(cv=2, multiclass="one-vs-all").fit(X, NAMES),
    "PathSVC by code": lambda: PathSVC(cv=2, multiclass="code").fit(X, FOUR),
    "OnlineSVC": lambda: OnlineSVC().fit(X, NAMES),
    "OnlineSVC with probabilities": lambda: OnlineSVC(gamma=0.5, probability=True).fit(X, TWO),
    "OnlineSVC of classes with probabilities": lambda: OnlineSVC(probability=True).fit(X, NAMES),
    "OnlineSVR": lambda: OnlineSVR().fit(X, TARGETS),
    "TunedSVC": lambda: TunedSVC(max_evals=2, cv=2).fit(X, NAMES),
    "TunedRLSC": lambda: TunedRLSC(max_evals=2).fit(X, NAMES),
    "TunedSVR of two": lambda: TunedSVR(max_evals=2, cv=2, scale=True).fit(
        X, np.column_stack([TARGETS, -20.0 * X[:, 1]])
    ),
    "CodeClassifier": lambda: CodeClassifier(SVC(), code="one-vs-all").fit(X, FOUR),
    "scaled target": lambda: TransformedTargetRegressor(
        make_pipeline(StandardScaler(), SVR()), transformer=StandardScaler()
    ).fit(X, 100.0 * TARGETS),
    **{
        type(part).__name__: lambda part=part: make_pipeline(part, SVC()).fit(X, NAMES)
        for part in (MinMaxScaler(clip=True), MaxAbsScaler(), RobustScaler(), PCA(2, whiten=True))
    },
    "one feature": lambda: make_pipeline(
        ColumnTransformer([("one", StandardScaler(), [1])]), SVC(kernel="poly", gamma=0.3)
    ).fit(X, NAMES),
}


def with_holes() -> tuple[Any, pd.DataFrame]:
    """A pipeline of numbers with holes, numbers that are categories, and strings; and its rows."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame(X, columns=["p", "q", "r"])
    table.loc[rng.random(len(X)) < 0.2, "q"] = np.nan
    table["size"] = rng.integers(0, 3, len(X)).astype(float)
    table["colour"] = rng.choice(np.array(["red", "blue", "ü"], dtype=object), len(X))
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    parts = [
        ("numbers", numbers, ["p", "q", "r"]),
        ("size", OneHotEncoder(drop="first"), ["size"]),
        ("colour", OneHotEncoder(handle_unknown="ignore"), ["colour"]),
    ]
    return make_pipeline(ColumnTransformer(parts), SVC()).fit(table, NAMES), table


def size_of(node: Any) -> float:
    """What rounding is measured against: sum |coefficient| times the size of kernel values."""
    if hasattr(node, "function"):
        function = node.function
        weights = function.rows if function.weights is None else function.weights
        largest = diagonal(function.form, function.rows).max(initial=1.0)
        return float(largest * max(1.0, np.abs(weights).sum()))
    if hasattr(node, "members"):
        return max(size_of(getattr(own, "node", own)) for own in node.members)
    factors = [step.operand for step in node.steps if getattr(step, "operation", "") == "Mul"]
    return size_of(node.node) * max([1.0, *(float(np.abs(own).max()) for own in factors)])


def allowed_error(estimator: Any, values: Any, unit: float) -> float:
    """``unit`` times the size of the coefficients, or of the values where kernels are larger."""
    return unit * max(size_of(describe(estimator)), float(np.abs(values).max()))
