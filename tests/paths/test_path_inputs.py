"""Everything that takes rows, labels or weights checks them as the machines do."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mercer import (
    SVC,
    Gram,
    PathSVC,
    StepFunction,
    kernel_path,
    one_class_path,
    svc_grid,
    svc_path,
    svr_path,
)
from mercer.kernels import FunctionKernel, Linear, Precomputed, Scaled

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
y = np.where(X[:, 0] + 0.5 * RNG.normal(size=30) > 0, 1, 0)
Z = RNG.normal(size=(12, 3))
z = (Z[:, 0] > 0).astype(int)
NAMES = ["a", "b", "c"]

PATH = svc_path(X, y, gamma=0.3, C_max=20.0)
LOW = svc_path(X, y, gamma=0.3, C_max=20.0, low_rank=8)
REGRESSION = svr_path(X, X[:, 0], gamma=0.3, C_max=20.0)
NU = one_class_path(X, gamma=0.3)
WIDTHS = kernel_path(X, y, gamma_min=0.1, gamma_max=1.0, accuracy=0.1)
GRID = svc_grid(X, y, Cs=[0.5, 5.0], gammas=[0.1, 1.0])
MACHINE = PathSVC(gamma=0.3, C_max=20.0).fit(X, y)

# What takes rows alone.
ROWS: dict[str, Callable[[Any], Any]] = {
    "Path.decision_function": lambda A: PATH.decision_function(A, 2.0),
    "Path.decision_function, several C": lambda A: PATH.decision_function(A, [0.5, 2.0]),
    "Path.predict": lambda A: PATH.predict(A, 2.0),
    "Path.error": lambda A: PATH.error(A, z).value,
    "low-rank Path.decision_function": lambda A: LOW.decision_function(A, 2.0),
    "low-rank Path.error": lambda A: LOW.error(A, z).value,
    "regression Path.predict": lambda A: REGRESSION.predict(A, 2.0),
    "one-class Path.decision_function": lambda A: NU.decision_function(A, 0.3),
    "one-class Path.predict": lambda A: NU.predict(A, 0.3),
    "Path over gamma.decision_function": lambda A: WIDTHS.decision_function(A, 0.4),
    "Path over gamma.predict": lambda A: WIDTHS.predict(A, 0.4),
    "Path over gamma.score": lambda A: WIDTHS.score(A, z),
    "Grid.decision_function": lambda A: GRID.decision_function(A, 1, 0),
    "Grid.predict": lambda A: GRID.predict(A, 1, 0),
    "Grid.score": lambda A: GRID.score(A, z),
    "PathSVC.decision_function": MACHINE.decision_function,
    "PathSVC.decision_function, other C": lambda A: MACHINE.decision_function(A, 2.0),
    "PathSVC.predict": MACHINE.predict,
    "PathSVC.score": lambda A: MACHINE.score(A, z),
    "the path of PathSVC": lambda A: MACHINE.path_.predict(A, 2.0),
}


def same(a: Any, b: Any) -> bool:
    return a == b if isinstance(a, str) else np.allclose(a, b, atol=1e-6)


@pytest.mark.parametrize("name", ROWS)
def test_rows_of_every_kind_give_the_same_answer(name: str) -> None:
    ask = ROWS[name]
    wanted = ask(Z)
    for rows in (Z.tolist(), np.asfortranarray(Z), sp.csr_matrix(Z), sp.csc_array(Z)):
        assert same(ask(rows), wanted)
    assert same(ask(Z.astype(np.float32)), ask(Z.astype(np.float32).astype(float)))
    with warnings.catch_warnings():
        # a machine that was fitted without names says that it cannot use them
        warnings.filterwarnings("ignore", "X has feature names")
        assert same(ask(pd.DataFrame(Z, columns=NAMES)), wanted)


def broken(value: float) -> np.ndarray:
    out = Z.copy()
    out[3, 1] = value
    return out


BAD_ROWS: dict[str, tuple[Any, str]] = {
    "NaN": (broken(np.nan), "NaN"),
    "infinity": (broken(np.inf), "infinity"),
    "sparse NaN": (sp.csr_matrix(broken(np.nan)), "NaN"),
    "NaN in a table": (pd.DataFrame(broken(np.nan), columns=NAMES), "NaN"),
    "narrow": (Z[:, :2], "2 features"),
    "wide": (np.c_[Z, Z], "6 features"),
    "one row alone": (Z[0], "[Rr]eshape|2D"),
    "empty": (Z[:0], "0 sample"),
    "words": ([["a", "b", "c"]] * 12, "X must hold numbers"),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("kind", BAD_ROWS)
@pytest.mark.filterwarnings("ignore:X has feature names")
def test_bad_rows_are_refused(name: str, kind: str) -> None:
    rows, message = BAD_ROWS[kind]
    with pytest.raises((ValueError, TypeError), match=message):
        ROWS[name](rows)


def test_a_nan_cell_no_longer_flattens_an_error_curve() -> None:
    with pytest.raises(ValueError, match="Input X contains NaN"):
        PATH.error(broken(np.nan), z)


# What takes labels and weights too.
LABELLED: dict[str, Callable[..., Any]] = {
    "Path.error": PATH.error,
    "Path over gamma.score": WIDTHS.score,
    "Grid.score": GRID.score,
}
BAD_LABELS: list[tuple[Any, str]] = [
    (z[:5], r"y must have shape \(12,\), got \(5,\)"),
    (np.c_[z, z], r"y must have shape \(12,\)"),
    (np.full(12, 7), r"y must hold the classes \[0, 1\], got 7"),
    (np.where(z, np.nan, 0.0), r"y must hold the classes \[0, 1\], got nan"),
    (["yes"] * 12, r"y must hold the classes \[0, 1\], got 'yes'"),
]
BAD_WEIGHTS: list[tuple[Any, str]] = [
    (np.ones(5), "[Ss]ample_weight"),
    (np.zeros(12), "[Ss]ample.weight"),
    (-np.ones(12), "sample_weight must not be negative"),
    (np.full(12, np.nan), "sample_weight contains NaN"),
    (["much"] * 12, "sample_weight must hold numbers"),
]


@pytest.mark.parametrize("name", LABELLED)
def test_bad_labels_and_weights_are_named(name: str) -> None:
    ask = LABELLED[name]
    for labels, message in BAD_LABELS:
        with pytest.raises((ValueError, TypeError), match=message):
            ask(Z, labels)
    for weight, message in BAD_WEIGHTS:
        with pytest.raises((ValueError, TypeError), match=message):
            ask(Z, z, weight)


def test_weights_of_left_out_rows_are_checked() -> None:
    for weight, message in BAD_WEIGHTS:
        weight = weight if len(weight) == 5 else np.resize(weight, 30)
        with pytest.raises((ValueError, TypeError), match=message):
            PATH.leave_one_out(sample_weight=weight)
    with pytest.raises(ValueError, match=r"C_max must be positive, got -1\.0"):
        PATH.leave_one_out(C_max=np.float64(-1.0))


def test_a_path_of_regression_has_no_share_of_errors() -> None:
    with pytest.raises(ValueError, match="classifiers"):
        REGRESSION.leave_one_out()


# Names of features.


@pytest.mark.parametrize(
    "make",
    [
        lambda A: svc_path(A, y, gamma=0.3).predict,
        lambda A: svc_path(A, y, gamma=0.3, low_rank=5).predict,
        lambda A: one_class_path(A, gamma=0.3).predict,
        lambda A: kernel_path(A, y, gamma_min=0.1, gamma_max=2.0, accuracy=0.5).predict,
        lambda A: PathSVC(gamma=0.3).fit(A, y).path_.predict,
    ],
)
def test_names_of_features_are_compared(make: Callable[[Any], Any]) -> None:
    table = pd.DataFrame(X, columns=NAMES)
    predict = make(table)
    assert np.array_equal(predict(table, 0.9), make(X)(X, 0.9))
    with pytest.raises(ValueError, match="feature names should match"):
        predict(table[["b", "a", "c"]], 0.9)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        predict(X, 0.9)


# Training.
TRAIN: dict[str, Callable[..., Any]] = {
    "svc_path": lambda A, b, w=None: svc_path(A, b, sample_weight=w),
    "svr_path": lambda A, b, w=None: svr_path(A, b, sample_weight=w),
    "one_class_path": lambda A, b, w=None: one_class_path(A, sample_weight=w),
    "kernel_path": lambda A, b, w=None: kernel_path(A, b, sample_weight=w),
    "svc_grid": lambda A, b, w=None: svc_grid(A, b, Cs=[1.0], sample_weight=w),
    "PathSVC": lambda A, b, w=None: PathSVC().fit(A, b, sample_weight=w),
}


@pytest.mark.parametrize("name", TRAIN)
def test_bad_training_input_is_named(name: str) -> None:
    train = TRAIN[name]
    for kind in ("NaN", "infinity", "sparse NaN", "NaN in a table", "one row alone", "words"):
        rows, message = BAD_ROWS[kind]
        with pytest.raises((ValueError, TypeError), match=message):
            train(rows, z)
    for weight, message in BAD_WEIGHTS:
        with pytest.raises((ValueError, TypeError), match=message):
            train(Z, z, weight)
    if name != "one_class_path":
        for labels in (None, z[:5], np.c_[z, z], np.where(z, np.nan, 0.0)):
            with pytest.raises((ValueError, TypeError), match=r"y|inconsistent|NaN"):
                train(Z, labels)


@pytest.mark.parametrize("name", ["svc_path", "kernel_path", "svc_grid", "PathSVC"])
def test_a_class_without_weight_is_named(name: str) -> None:
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        TRAIN[name](Z, z, z.astype(float))
    with pytest.raises(ValueError, match="class"):
        TRAIN[name](Z, np.zeros(12, int))


def test_labels_of_several_kinds_are_named() -> None:
    with pytest.raises(TypeError, match="y must hold labels of one kind"):
        svc_path(Z, np.array(["a" if code else 1 for code in z], dtype=object))


def test_targets_that_are_no_numbers_are_named() -> None:
    with pytest.raises(ValueError, match="y must hold numbers"):
        svr_path(Z, ["a"] * 12)


# Kernels that read stored values or objects.


def test_a_scaled_precomputed_kernel_predicts() -> None:
    kernel = Scaled(Precomputed(), 2.0)
    path = svc_path(X @ X.T, y, kernel=kernel, C_max=5.0)
    wanted = svc_path(X, y, kernel=Scaled(Linear(), 2.0), C_max=5.0)
    values = wanted.decision_function(Z, 2.0)
    assert path.decision_function(Z @ X.T, 2.0) == pytest.approx(values)
    assert path.error(Z @ X.T, z).minimum == wanted.error(Z, z).minimum


def test_rows_of_any_kind_reach_a_function() -> None:
    words = ["a", "ab", "abc", "abcd", "abcde", "b"]

    def common(left: Any, right: Any) -> np.ndarray:
        return np.array([[len(set(s) & set(t)) for t in right] for s in left], float)

    labels = [0, 0, 1, 1, 1, 0]
    path = svc_path(words, labels, kernel=FunctionKernel(common), C_max=5.0)
    machine = SVC(C=2.0, kernel=FunctionKernel(common), solver="active-set").fit(words, labels)
    assert np.array_equal(path.predict(["abc", "c"], 2.0), machine.predict(["abc", "c"]))
    assert 0 <= path.error(["abc", "c"], [1, 0]).minimum <= 1
    with pytest.raises(ValueError, match="at least one row"):
        path.predict([], 2.0)


def test_a_precomputed_matrix_of_the_wrong_width_is_refused() -> None:
    path = svc_path(X @ X.T, y, kernel="precomputed", C_max=5.0)
    with pytest.raises(ValueError, match="30 features"):
        path.predict(Z @ X[:20].T, 2.0)
    with pytest.raises(ValueError, match="square"):
        svc_path(X, y, kernel="precomputed")
    with pytest.raises(ValueError, match="symmetric"):
        svc_path(np.triu(X @ X.T), y, kernel="precomputed")


# Kernel values that are not finite.


@pytest.mark.parametrize("name", [name for name in TRAIN if name != "kernel_path"])
@pytest.mark.filterwarnings("ignore:overflow")
def test_kernel_values_that_are_not_finite_are_refused(name: str) -> None:
    options: dict[str, Any] = {"kernel": "poly", "degree": 20, "gamma": 1.0, "coef0": 1.0}
    rows = 1e20 * X
    calls: dict[str, Callable[[], Any]] = {
        "svc_path": lambda: svc_path(rows, y, **options),
        "svr_path": lambda: svr_path(rows, X[:, 0], **options),
        "one_class_path": lambda: one_class_path(rows, **options),
        "svc_grid": lambda: svc_grid(rows, y, Cs=[1.0], gammas=[1.0], kernel="poly", degree=20),
        "PathSVC": lambda: PathSVC(**options).fit(rows, y),
    }
    with pytest.raises(ValueError, match="kernel values must be finite"):
        calls[name]()


def test_a_gram_whose_values_are_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="kernel values must be finite"):
        svc_path(Gram(Linear(), 1e200 * X), y)


# Arguments.


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PathSVC(C_min=10, C_max=1).fit(X, y), "C_min must be below C_max=1, got 10"),
        (
            lambda: PathSVC(class_weight={0: -1}).fit(X, y),
            r"class_weight must be positive and finite for every class, got \{0: -1\.0, 1: 1\.0\}",
        ),
        (lambda: svc_path(X, y, class_weight={1: -1.0}), "class_weight must be positive"),
        (lambda: svc_path(X, y, class_weight="equal"), "class_weight must be a dict"),
        (lambda: svc_path(X, y, C_min=np.float64(-1)), r"C_min must be positive, got -1\.0"),
        (
            lambda: svc_path(X, y, C_min=np.float64(5), C_max=np.float64(2)),
            r"C_min must be below C_max=2\.0, got 5\.0",
        ),
        (lambda: svc_path(X, y, C_max="large"), "C_max must be a number, got 'large'"),
        (lambda: svc_path(X, y, accuracy=np.nan), "accuracy must not be negative.*got nan"),
        (lambda: svc_path(X, y, max_events=2.5), r"max_events must be -1 or.*got 2\.5"),
        (lambda: svc_path(X, y, callback=3), "callback must be a function or None, got 3"),
        (lambda: svc_path(X, y, low_rank=np.int64(-2)), "low_rank must be.*got -2"),
        (lambda: one_class_path(X, nu_min=np.float64(2)), r"nu_min must lie in \(0, 1\), got 2\.0"),
        (lambda: kernel_path(X, y, C=np.float64(0)), r"C must be positive and finite, got 0\.0"),
        (
            lambda: kernel_path(X, y, gamma_min=2.0, gamma_max=np.float64(1)),
            r"gamma_max must be above gamma_min=2\.0 and finite, got 1\.0",
        ),
        (
            lambda: svc_grid(X, y, Cs=[np.float64(-1)]),
            r"Cs must be positive numbers, all finite, got \[-1\.0\]",
        ),
        (lambda: svc_grid(X, y, Cs="few"), "Cs must be positive numbers, got 'few'"),
        (lambda: svc_grid(X, y, Cs=[1.0], tol=-1), "tol must not be negative, and finite, got -1"),
        (lambda: PATH.coef("1"), "C must be a number, got '1'"),
        (lambda: PATH.coef(np.float64(99)), "C must be positive and lie in .*got 99"),
        (lambda: PATH.coef([1.0, 2.0]), "C must be a number"),
        (lambda: PATH.decision_function(Z, []), r"C must be a number or a vector.*\(0,\)"),
        (lambda: PATH.decision_function(Z, [[1.0]]), "C must be a number or a vector"),
        (lambda: NU.coef(np.float64(7)), r"nu must lie in \[0\.01, 1\], got 7"),
        (lambda: WIDTHS.coef("wide"), "gamma must be a number, got 'wide'"),
        (lambda: WIDTHS.coef(np.float64(9)), r"gamma must lie in \[0\.1, 1\], got 9"),
        (lambda: GRID.decision_function(Z, 5, 0), r"i must lie in 0\.\.1, got 5"),
    ],
)
def test_messages_name_the_argument_and_its_value(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        call()
    assert "np." not in str(caught.value)


def test_bad_step_functions_are_refused() -> None:
    step = StepFunction(np.array([0.0, 1.0]), np.array([0.5, 0.2]))
    for x in (np.nan, -1.0, "one"):
        with pytest.raises((ValueError, TypeError), match="x must"):
            step(x)
    with pytest.raises(ValueError, match="x must ascend"):
        StepFunction(np.array([0.0, np.nan]), np.ones(2))
    with pytest.raises(ValueError, match="value must be numbers"):
        StepFunction(np.array([0.0]), np.array([np.nan]))
    with pytest.raises(ValueError, match="functions must hold at least one"):
        StepFunction.mean([])
    for weights in ([0.0], [1.0, 1.0], [-1.0], [np.nan]):
        with pytest.raises(ValueError, match="weights must be 1 numbers"):
            StepFunction.mean([step], weights)


@pytest.mark.parametrize("C", [5e-324, 1e-310, 1e-308, 1e-300])
def test_the_smallest_C_there_are_give_no_nan(C: float) -> None:
    for path in (PATH, svc_path(X, y, kernel="linear"), REGRESSION):
        limit = np.full(5, path.solutions.start_rate)
        np.testing.assert_allclose(path.decision_function(X[:5], C), limit, atol=1e-200)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_several_C_at_once_are_refused_by_name(n_classes: int) -> None:
    labels = np.arange(30) % n_classes
    machine = PathSVC(gamma=0.3, C_max=20.0, cv=2).fit(X, labels)
    askers = [machine.decision_function, machine.predict]
    if n_classes == 3:
        askers += [machine.path_.decision_function, machine.path_.predict]
    for ask in askers:
        with pytest.raises(TypeError, match=r"C must be a number, got \[1.0, 2.0\]"):
            ask(X, C=[1.0, 2.0])


@pytest.mark.parametrize("position", ["a", 0.5, None, True])
def test_a_position_in_a_grid_that_is_no_integer_is_refused_by_name(position: Any) -> None:
    with pytest.raises(TypeError, match=f"i must be an integer, got {position!r}"):
        GRID.predict(X, position, 0)
    with pytest.raises(TypeError, match=f"j must be an integer, got {position!r}"):
        GRID.decision_function(X, 0, position)


def test_complex_targets_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="y must be real numbers, got complex128"):
        REGRESSION.error(X, X[:, 0] + 1j)


def test_rows_of_another_width_are_told_of_without_names_of_ours() -> None:
    path = svc_path(np.random.default_rng(0).normal(size=(20, 5)), np.arange(20) % 2)
    with pytest.raises(ValueError, match="3 features, but the path is expecting 5"):
        path.error(np.zeros((2, 3)), [0, 1])


def test_no_C_of_zero_is_promised() -> None:
    path = svc_path(np.random.default_rng(0).normal(size=(20, 5)), np.arange(20) % 2)
    with pytest.raises(ValueError, match=r"C must be positive and lie in \(0, "):
        path.coef(0.0)
