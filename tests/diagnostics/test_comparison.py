"""Comparisons of classifiers: laws of their tables, McNemar's test, and bounds of codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, multinomial
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import RLSC, SVC, CodeClassifier
from mercer.diagnostics import compare_classifiers, loo_bound
from mercer.diagnostics.comparison import mcnemar
from mercer.diagnostics.error_profile import error_profile
from mercer.diagnostics.intervals import difference_interval, error_interval, holm


def drawn(n: int, classes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=1.3, size=(classes, 3))
    y = np.r_[np.arange(classes), rng.integers(0, classes, n - classes)]
    return centres[y] + rng.normal(size=(n, 3)), y


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 4), st.integers(1, 60), st.integers(2, 5), st.integers(0, 10**6))
def test_laws_of_the_tables(k: int, n: int, n_classes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    given_labels = {
        f"c{i}": np.where(rng.random(n) < 0.6, y, rng.integers(0, n_classes, n)) for i in range(k)
    }
    found = compare_classifiers(given_labels, None, y)
    np.testing.assert_array_equal(found.overlap, found.overlap.T)
    np.testing.assert_array_equal(np.diag(found.overlap), 1.0)
    assert found.all_agree <= found.overlap.min()
    low, high = found.intervals.T
    assert (low <= found.errors + 1e-12).all()
    assert (found.errors <= high + 1e-12).all()
    assert len(found.pairs) == k * (k - 1) // 2
    for test in found.pairs:
        a, b = found.names.index(test.first), found.names.index(test.second)
        assert test.difference == pytest.approx(found.errors[a] - found.errors[b])
        alone = test.only_first_wrong - test.only_second_wrong
        assert n * test.difference == pytest.approx(alone, abs=1e-9)
        assert test.interval[0] - 1e-12 <= test.difference <= test.interval[1] + 1e-12
        assert 0.0 < test.p_value <= test.adjusted <= 1.0
        r = found.error_correlation[a, b]
        assert np.isnan(r) or -1.0 <= r <= 1.0
    assert found.profiles == {}
    assert str(n) in repr(found).replace(",", "")


@pytest.mark.parametrize(("a", "b"), [(0, 0), (3, 9), (12, 12), (0, 24), (1, 20)])
def test_few_discordant_rows_take_the_exact_test(a: int, b: int) -> None:
    wanted = binomtest(a, a + b, 0.5).pvalue if a + b else 1.0
    assert mcnemar(a, b) == pytest.approx(wanted)


def test_many_discordant_rows_take_chi_square() -> None:
    # 1 - F(3.2033) of one degree of freedom, (|36 - 54| - 1)^2 / 90 = 3.2111
    assert mcnemar(36, 54) == pytest.approx(0.07314, abs=1e-4)
    assert mcnemar(30, 30) == 1.0
    assert mcnemar(100, 40) < 1e-6


def test_adjusted_probabilities() -> None:
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03])), [0.03, 0.06, 0.06])


@pytest.mark.parametrize("n", [1, 7, 30])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_a_nominal_95_percent_interval_covered_82_percent_at_30_rows(
    n: int, confidence: float
) -> None:
    """Coverage by enumeration of all counts, for every true error."""
    counts = np.arange(n + 1)
    low, high = error_interval(counts, n, confidence).T
    p = np.linspace(0.0, 1.0, 501)[:, None]
    covered = (low <= p) & (p <= high)
    assert (covered * binom.pmf(counts, n, p)).sum(axis=1).min() >= confidence - 1e-12


def test_a_perfect_classifier_got_an_interval_of_0_to_0() -> None:
    y = np.resize([0, 1], 30)
    found = compare_classifiers({"a": y, "b": y, "never": 1 - y}, None, y)
    # 1 - (0.05 / 2)^(1/30) is the largest error that leaves 30 rows without one so often
    np.testing.assert_allclose(found.intervals[0], [0.0, 1 - 0.025 ** (1 / 30)])
    np.testing.assert_allclose(found.intervals[2], 1 - found.intervals[0][::-1])
    low, high = found.pairs[0].interval
    assert -0.2 < low < 0.0 < high < 0.2
    np.testing.assert_allclose((low, high), (-high, -low))


def test_intervals_of_differences_cover_what_they_say() -> None:
    """By enumeration of all counts of 20 rows: in the mean as often as nominal, and never far off.

    Of three kinds of rows, wrong by one, by the other, and all others.
    """
    n = 20
    b, c = (k.ravel() for k in np.meshgrid(np.arange(n + 1), np.arange(n + 1)))
    b, c = b[b + c <= n], c[b + c <= n]
    ends = np.array([difference_interval(i, j, n, 0.95) for i, j in zip(b, c, strict=True)])
    counts = np.column_stack([b, c, n - b - c])
    share = np.array(
        [
            multinomial.pmf(counts, n, [p, q, 1 - p - q])
            @ ((ends[:, 0] <= p - q) & (p - q <= ends[:, 1]))
            for p in np.arange(0.025, 1.0, 0.05)
            for q in np.arange(0.025, 0.999 - p, 0.05)
        ]
    )
    assert 0.94 <= share.mean() <= 0.97
    assert share.min() >= 0.93


def test_schemes_on_iris_with_profiles() -> None:
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(1)
    X = X + rng.normal(scale=0.6, size=X.shape)
    half = rng.permutation(150)
    train, test = half[:75], half[75:]
    machines: dict[str, Any] = {
        "one-vs-all": SVC(multiclass="one-vs-all"),
        "one-vs-one": SVC(),
        "sparse": SVC(multiclass="code", code="sparse"),
        "rlsc": RLSC(),
        "pairs": RLSC(multiclass="one-vs-one"),
        "around": CodeClassifier(LogisticRegression()),
        "plain": LogisticRegression(),
    }
    for machine in machines.values():
        machine.fit(X[train], y[train])
    found = compare_classifiers(machines, X[test], y[test])
    assert set(found.profiles) == set(machines) - {"plain"}
    n_wrong = round(found.errors[0] * 75)
    assert n_wrong > 0
    at = np.linspace(0, 1, 11)
    for name, shares in found.profiles.items():
        assert len(shares) == n_wrong
        curve = found.reverse_cdf(name, at)
        assert curve[0] == 1.0
        assert (np.diff(curve) <= 0).all()
    for name in machines:
        assert name in repr(found)


def test_a_profile_by_hand() -> None:
    class Three:
        classes_ = np.array(["a", "b", "c"])
        multiclass_ = "one-vs-one"

        def machine_decisions(self, X: Any) -> np.ndarray:
            return np.asarray(X)

    values = np.array([[1.0, -1, 1], [-1.0, -1, 1], [-1.0, 1, -1]])
    true, wrong = np.array(["a", "a", "b"]), np.array(["c", "b", "c"])
    # a or c: the second machine, wrong; a or b: the first, wrong; b or c: the third, wrong
    found = error_profile(Three(), values, np.arange(3), true, wrong)
    np.testing.assert_array_equal(found, [1.0, 1.0, 1.0])
    found = error_profile(Three(), -values, np.arange(3), true, wrong)
    np.testing.assert_array_equal(found, [0.0, 0.0, 0.0])


def test_a_picture() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    X, y = load_iris(return_X_y=True)
    machines = {
        name: SVC(multiclass=name, C=0.01).fit(X, y) for name in ("one-vs-all", "one-vs-one")
    }
    found = compare_classifiers(machines, X, y)
    axes = found.plot()
    assert len(axes) == 3
    assert axes[2].get_legend() is not None
    with pytest.raises(ValueError, match="three"):
        found.plot(axes=axes[:2])


@pytest.mark.parametrize("bias", [False, "penalized"])
@pytest.mark.parametrize("code", ["one-vs-all", "complete", "sparse"])
def test_bounds_of_codes_hold(code: str, bias: Any) -> None:
    X, y = drawn(24, 3, 2)
    options: dict[str, Any] = {"multiclass": "code", "code": code, "gamma": 0.5}
    for machine in (
        SVC(C=1.0, fit_intercept=bias, tol=1e-9, **options),
        RLSC(alpha=1.0, fit_intercept=bias, **options),
    ):
        bound = loo_bound(machine.fit(X, y), X, y)
        wrong = np.empty(24, dtype=bool)
        for i in range(24):
            rest = np.arange(24) != i
            wrong[i] = machine.fit(X[rest], y[rest]).predict(X[[i]])[0] != y[i]
        assert bound.possible[wrong].all()
        assert wrong.sum() <= bound.n_errors < 24


def test_bounds_that_do_not_exist_are_refused() -> None:
    X, y = drawn(40, 3, 3)
    with pytest.raises(ValueError, match="without a free bias"):
        loo_bound(SVC(multiclass="one-vs-all").fit(X, y), X, y)
    with pytest.raises(ValueError, match="without a free bias"):
        loo_bound(SVC(fit_intercept=False).fit(X, y), X, y)
    with pytest.raises(ValueError, match="votes"):
        loo_bound(RLSC(multiclass="one-vs-one").fit(X, y), X, y)


def test_wrong_arguments_are_named() -> None:
    y = np.arange(4)
    with pytest.raises(ValueError, match="must not be empty"):
        compare_classifiers({}, None, y)
    with pytest.raises(ValueError, match="'a' must have the shape"):
        compare_classifiers({"a": y[:2]}, None, y)
    with pytest.raises(ValueError, match="reference must be one of"):
        compare_classifiers({"a": y}, None, y, reference="b")
    with pytest.raises(ValueError, match="confidence"):
        compare_classifiers({"a": y}, None, y, confidence=1.5)
    with pytest.raises(TypeError, match="classifiers must map names"):
        compare_classifiers([y], None, y)  # type: ignore[arg-type]
    found = compare_classifiers({"a": y}, None, y)
    with pytest.raises(ValueError, match="name must be"):
        found.reverse_cdf("a", 0.5)


def test_missing_classes_and_classes_of_another_type_are_no_errors_of_a_classifier() -> None:
    y, holes = np.arange(4.0), np.array([0.0, 1.0, np.nan, 3.0])
    with pytest.raises(ValueError, match="y must not have missing classes"):
        compare_classifiers({"a": y}, None, holes)
    with pytest.raises(ValueError, match=r"predictions of 'a' must not have missing classes"):
        compare_classifiers({"a": holes}, None, y)
    with pytest.raises(
        ValueError, match=r"'a' must be classes as those of y, text .<U1., got numbers"
    ):
        compare_classifiers({"a": np.arange(4)}, None, np.array(list("0123")))
    names = np.array(list("abcd"))
    found = compare_classifiers({"a": names.astype(object), "b": names}, None, names)
    np.testing.assert_array_equal(found.errors, 0.0)


def test_the_profile_of_a_pipeline_is_that_of_its_last_step() -> None:
    X, y = drawn(150, 4, 3)
    scaler = StandardScaler().fit(X)
    machine = SVC(multiclass="code").fit(scaler.transform(X), y)
    wrong = np.where(y == 0, 1, 0)
    rows = np.arange(len(y))
    wanted = error_profile(machine, scaler.transform(X), rows, y, wrong)
    assert wanted is not None
    piped = make_pipeline(StandardScaler(), SVC(multiclass="code")).fit(X, y)
    for pipeline in (piped, make_pipeline(piped)):
        np.testing.assert_array_equal(error_profile(pipeline, X, rows, y, wrong), wanted)


def test_objects_against_integers_gave_an_error_of_1_in_silence() -> None:
    y = np.arange(4)
    given = {"objects": y.astype(object), "floats": y.astype(float)}
    np.testing.assert_array_equal(compare_classifiers(given, None, y).errors, 0.0)
    np.testing.assert_array_equal(compare_classifiers(given, None, y.astype(object)).errors, 0.0)
    for other in (list("0123"), [b"0", b"1", b"2", b"3"], [0, 1, "2", 3], [(0,), (1,), (2,), (3,)]):
        predicted = np.empty(4, dtype=object)
        predicted[:] = other
        with pytest.raises(ValueError, match=r"'a' must be classes as those of y, numbers .int64"):
            compare_classifiers({"a": predicted}, None, y)
    for missing in (None, np.nan):
        with pytest.raises(ValueError, match="'a' must not have missing classes"):
            compare_classifiers({"a": np.array([0, 1, missing, 3], dtype=object)}, None, y)
