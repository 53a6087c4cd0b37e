"""Bad input gets an error that names the argument and the value, before any work is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from mercer import SVC, SVR, Gram, NuSVC, NuSVR, OneClassSVM, Smo
from mercer.kernels import Gaussian, Linear, Precomputed

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 3))
Y = np.where(X[:, 0] > 0, 1, -1)
T = X[:, 0] + X[:, 1]
K = X @ X.T
MACHINES = [SVC(), NuSVC(nu=0.2), SVR(), NuSVR(), OneClassSVM()]


def spoiled(array: Any, value: float) -> Any:
    """A copy with one entry replaced."""
    copy = np.array(array, dtype=float)
    copy.flat[5] = value
    return copy


def targets(machine: Any) -> Any:
    return T if isinstance(machine, (SVR, NuSVR)) else Y


@pytest.mark.parametrize("machine", MACHINES, ids=str)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(machine: Any, value: float) -> None:
    word = "NaN" if np.isnan(value) else "infinity"
    for rows in (spoiled(X, value), sparse.csr_matrix(spoiled(X, value))):
        with pytest.raises(ValueError, match=f"Input X contains {word}"):
            machine.fit(rows, targets(machine))
    with pytest.raises(ValueError, match=f"Input sample_weight contains {word}"):
        machine.fit(X, targets(machine), sample_weight=spoiled(np.ones(20), value))
    if targets(machine) is T:
        with pytest.raises(ValueError, match=f"Input y contains {word}"):
            machine.fit(X, spoiled(T, value))


Work = Callable[[], Any]
INPUT: dict[str, tuple[Work, type[Exception], str]] = {
    "no rows": (lambda: SVC().fit(X[:0], Y[:0]), ValueError, r"0 sample\(s\) \(shape=\(0, 3\)\)"),
    "no columns": (lambda: SVR().fit(X[:, :0], T), ValueError, r"0 feature\(s\)"),
    "no rows to predict": (lambda: SVC().fit(X, Y).predict(X[:0]), ValueError, "0 sample"),
    "one axis": (lambda: SVC().fit(T, Y), ValueError, "Expected 2D array, got 1D array"),
    "three axes": (lambda: SVC().fit(X[None], Y), ValueError, "dim 3"),
    "one class": (
        lambda: SVC().fit(X, np.ones(20)),
        ValueError,
        "number of classes has to be greater than one; got 1 class",
    ),
    "one class by weight": (
        lambda: NuSVC().fit(X, Y, sample_weight=(Y > 0).astype(float)),
        ValueError,
        "got 1 class with positive weight",
    ),
    "a class without weight": (
        lambda: SVC().fit(X, np.arange(20) % 3, sample_weight=(np.arange(20) % 3 < 2) * 1.0),
        ValueError,
        r"sample_weight must be positive for some row of each class, got .* classes \[2\]",
    ),
    "lengths": (lambda: SVC().fit(X, Y[:-1]), ValueError, r"numbers of samples: \[20, 19\]"),
    "length of weights": (
        lambda: SVC().fit(X, Y, sample_weight=np.ones(19)),
        ValueError,
        r"sample_weight.shape == \(19,\), expected \(20,\)",
    ),
    "weights of two axes": (
        lambda: SVR().fit(X, T, sample_weight=np.ones((20, 2))),
        ValueError,
        "Sample weights must be 1D array or scalar, got 2D array",
    ),
    "negative weight": (
        lambda: OneClassSVM().fit(X, sample_weight=spoiled(np.ones(20), -1.5)),
        ValueError,
        "sample_weight must not be negative, got a smallest weight of -1.5",
    ),
    "no weight": (
        lambda: SVR().fit(X, T, sample_weight=np.zeros(20)),
        ValueError,
        "at least one non-zero number",
    ),
    "words for weights": (
        lambda: SVR().fit(X, T, sample_weight=["a"] * 20),
        ValueError,
        "sample_weight must hold numbers: could not convert string to float: 'a'",
    ),
    "words": (lambda: SVC().fit([["a", "b"]] * 20, Y), ValueError, "X must hold numbers: .*'a'"),
    "objects": (lambda: SVC().fit([[object()]] * 20, Y), TypeError, "X must hold numbers"),
    "a generator": (lambda: SVC().fit((x for x in X), Y), TypeError, "X must hold numbers"),
    "ragged rows": (lambda: SVC().fit([[1, 2], [3]], [0, 1]), ValueError, "X must hold numbers"),
    "complex": (lambda: SVC().fit(X + 1j, Y), ValueError, "Complex data not supported"),
    "words in a table": (
        lambda: SVC().fit(pd.DataFrame({"size": T, "colour": ["red"] * 20}), Y),
        ValueError,
        r"X must hold numbers only, got others in columns \['colour'\].*: .*'red'",
    ),
    "words for targets": (lambda: SVR().fit(X, ["a"] * 20), ValueError, "y must hold numbers"),
    "numbers for classes": (lambda: SVC().fit(X, T), ValueError, "Unknown label type: continuous"),
    "two columns of targets": (lambda: SVR().fit(X, np.c_[T, T]), ValueError, r"\(20, 2\)"),
    "no targets": (lambda: SVR().fit(X, None), ValueError, "the target y is None"),
    "other columns": (
        lambda: SVC().fit(pd.DataFrame({"a": T}), Y).predict(pd.DataFrame({"b": T})),
        ValueError,
        "Feature names unseen at fit time:\n- b",
    ),
    "other width": (
        lambda: SVC().fit(X, Y).predict(X[:, :2]),
        ValueError,
        "X has 2 features, but SVC is expecting 3",
    ),
    "not fitted": (lambda: SVC().predict(X), NotFittedError, "not fitted yet"),
    "no linear kernel": (lambda: SVC().fit(X, Y).coef_, AttributeError, "linear kernel"),
    "rows far too large": (
        lambda: SVC().fit(1e160 * X, Y),
        ValueError,
        "gamma='scale' overflows: scale the features",
    ),
    "kernel values far too large": (
        lambda: SVC(kernel="linear").fit(1e160 * X, Y),
        ValueError,
        r"kernel values must be finite, got k\(x, x\)=inf for row 0 of X",
    ),
    "too many sparse columns": (
        lambda: SVC().fit(sparse.csr_array(([1.0], [2**31], [0, 1, 1]), (2, 2**32)), [0, 1]),
        ValueError,
        r"sparse rows may have at most 2\^31 - 1 features",
    ),
    "class weight below zero": (
        lambda: SVC(class_weight={1: -1.0}).fit(X, Y),
        ValueError,
        r"class_weight must be positive .* got \{-1: 1.0, 1: -1.0\}",
    ),
    "class weight of no class": (
        lambda: SVC(class_weight={5: 1.0}).fit(X, Y),
        ValueError,
        "are not in class_weight",
    ),
}
MATRICES: dict[str, tuple[Work, type[Exception], str]] = {
    "not square": (
        lambda: SVC(kernel="precomputed").fit(K[:, :10], Y),
        ValueError,
        "must be a square matrix. Input is a 20x10 matrix",
    ),
    "not square, as an object": (
        lambda: SVC(kernel=2.0 * Precomputed()).fit(K[:, :10], Y),
        ValueError,
        "must be a square matrix. Input is a 20x10 matrix",
    ),
    "not symmetric": (
        lambda: SVC(kernel="precomputed").fit(np.triu(K), Y),
        ValueError,
        r"must be symmetric, got entries that differ by \d",
    ),
    "sparse": (
        lambda: SVC(kernel="precomputed").fit(sparse.csr_matrix(K), Y),
        TypeError,
        "Sparse precomputed kernels are not supported",
    ),
    "not finite": (
        lambda: SVC(kernel="precomputed").fit(spoiled(K, np.nan), Y),
        ValueError,
        "Input X contains NaN",
    ),
    "other rows": (
        lambda: SVC(kernel="precomputed").fit(K, Y).predict(K[:, :10]),
        ValueError,
        "X has 10 features, but SVC is expecting 20",
    ),
}
CASES = INPUT | MATRICES


@pytest.mark.parametrize("name", CASES)
def test_refused(name: str) -> None:
    work, kind, message = CASES[name]
    with pytest.raises(kind, match=message):
        work()


VALUES: dict[str, list[Any]] = {
    "C": [0, -1.0, np.nan, "1", None],
    "epsilon": [-0.1, np.nan, np.inf],
    "quantile": [0.0, 1.0, "half"],
    "delta": [0.0, np.nan],
    "tol": [-1.0, np.nan, np.inf],
    "gamma": [-1.0, np.nan, np.inf, "wide", None],
    "degree": [-1, 2.5],
    "coef0": [np.nan, "a"],
    "kernel": ["nope", 3, None],
    "loss": ["nope", "hinge", None],
    "fit_intercept": ["yes", 2, None],
    "shrinking": ["yes", None],
    "cache_size": [0, -1, "much"],
    "max_iter": [-2, 1.5],
    "max_time": [0, -1.0, np.nan],
    "n_threads": [0, -1, 1.5],
    "precision": ["half", None],
    "warm_start": ["yes"],
    "callback": [3],
    "verbose": [-1, "yes"],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n in VALUES for v in VALUES[n]])
def test_parameters(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"'{name}' parameter of SVR must be .* Got {value!r}"):
        SVR(**{name: value}).fit(X, T)


@pytest.mark.parametrize("nu", [0.0, 1.5, -1.0, np.nan, "half"])
@pytest.mark.parametrize("machine", [NuSVC, NuSVR, OneClassSVM])
def test_shares(machine: Any, nu: Any) -> None:
    with pytest.raises(ValueError, match=f"'nu' parameter of .* Got {nu!r}"):
        machine(nu=nu).fit(X, Y)


@pytest.mark.parametrize(
    ("solver", "kind", "got"),
    [("nope", ValueError, "'nope'"), (3, TypeError, "int"), (Smo, TypeError, "the class Smo")],
)
def test_solvers(solver: Any, kind: type[Exception], got: str) -> None:
    with pytest.raises(kind, match=f"solver must be one of .*, got {got}"):
        SVC(solver=solver).fit(X, Y)


def test_a_class_is_not_a_kernel() -> None:
    with pytest.raises(ValueError, match=r"kernel must be one of .* got <class .*Gaussian"):
        SVC(kernel=Gaussian).fit(X, Y)


def test_a_kernel_for_other_features() -> None:
    with pytest.raises(ValueError, match="gamma is for 2 features, but the rows have 3"):
        SVC(kernel=Gaussian([1.0, 2.0])).fit(X, Y)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber"])
def test_losses_without_a_hard_margin(loss: str) -> None:
    for machine, y in ((SVC, Y), (SVR, T)):
        with pytest.raises(ValueError, match=f"C must be finite with loss='{loss}', got inf"):
            machine(C=np.inf, loss=loss).fit(X, y)


def test_sizes_are_counted_in_64_bits() -> None:
    """More pairs of rows than fit 32 bits, and rows that take no memory."""
    n = 70_000
    gram = Gram(Linear(), np.arange(n, dtype=float)[:, None], cache_size=4, precision="double")
    assert gram.row(n - 1)[n - 2] == (n - 1) * (n - 2)
    assert gram.block([65_537], [n - 1]).item() == 65_537 * (n - 1)
    rows = np.broadcast_to(0.0, (3_000_000_000, 1))
    assert Gram(Linear(), rows, cache_size=1e14).cache_bytes == 4 * 3_000_000_000**2
