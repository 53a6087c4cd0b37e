"""Codes of least squares machines: sums of the machines of the classes, and what follows."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from mercer import LSSVC, RLSC, SVC, LowRank
from mercer.codes import make_code, possible_loo_errors
from mercer.codes.decoding import decoding_named
from mercer.diagnostics import rlsc_multiclass_bound
from mercer.least_squares import choice

OWN = np.array([[1, 0, 1, -1], [-1, 1, 1, 1], [0, -1, -1, 1], [1, 1, -1, -1]])
EQUIDISTANT = ("one-vs-all", "complete", "hadamard", "bch")


def drawn(n: int, classes: int, seed: int, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=1.5, size=(classes, 3))
    y = np.r_[np.arange(classes), rng.integers(0, classes, n - classes)]
    return centres[y] + spread * rng.normal(size=(n, 3)), y


def column_outputs(kind: type, matrix: np.ndarray, X: Any, y: Any, Z: Any, **options: Any) -> Any:
    """Outputs of machines that are each fitted to the signs of a column."""
    out = np.empty((len(Z), matrix.shape[1]))
    weight = options.pop("sample_weight", np.ones(len(y)))
    for k, column in enumerate(matrix.T):
        rows = column[y] != 0
        machine = kind(**options).fit(X[rows], column[y[rows]], sample_weight=weight[rows])
        out[:, k] = machine.decision_function(Z)
    return out


@pytest.mark.parametrize("kind", [RLSC, LSSVC])
@pytest.mark.parametrize("code", ["complete", "dense", "bch", "sparse", "one-vs-one"])
@pytest.mark.parametrize("weighted", [False, True])
def test_machines_are_those_of_each_column_alone(kind: type, code: str, weighted: bool) -> None:
    X, y = drawn(80, 4, 0)
    Z = np.random.default_rng(1).normal(scale=2.0, size=(50, 3))
    weight = np.random.default_rng(2).uniform(0.2, 3.0, 80) if weighted else np.ones(80)
    options = {"alpha": 0.3, "gamma": 0.4}
    machine = kind(multiclass="code", code=code, **options).fit(X, y, sample_weight=weight)
    wanted = column_outputs(kind, machine.code_.matrix, X, y, Z, sample_weight=weight, **options)
    np.testing.assert_allclose(machine.machine_decisions(Z), wanted, atol=1e-8)
    scores = decoding_named("squared_error").scores(machine.code_, wanted)
    np.testing.assert_allclose(machine.decision_function(Z), scores, atol=1e-7, rtol=1e-9)
    chosen = machine.decision_function(Z).argmax(axis=1)
    np.testing.assert_array_equal(machine.predict(Z), machine.classes_[chosen])


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from([RLSC, LSSVC]),
    st.sampled_from(EQUIDISTANT),
    st.integers(3, 9),
    st.integers(0, 10**6),
    st.floats(0.01, 10.0),
)
def test_codes_of_equidistant_rows_predict_as_one_vs_all(
    kind: type, code: str, n_classes: int, seed: int, alpha: float
) -> None:
    X, y = drawn(60, n_classes, seed)
    Z = np.random.default_rng(seed).normal(scale=2.0, size=(200, 3))
    plain = kind(alpha=alpha, gamma=0.5, loo=False).fit(X, y)
    machine = kind(alpha=alpha, gamma=0.5, loo=False, multiclass="code", code=code).fit(X, y)
    values = plain.decision_function(Z)
    # twice the class value, less what all classes share, times the separation
    step = 2.0 * machine.code_.row_separation
    found = machine.decision_function(Z)
    centred = found - found.mean(axis=1, keepdims=True)
    wanted = step * (values - values.mean(axis=1, keepdims=True))
    np.testing.assert_allclose(centred, wanted, atol=1e-8 * step)
    best = np.sort(values, axis=1)
    clear = best[:, -1] - best[:, -2] > 1e-8
    np.testing.assert_array_equal(machine.predict(Z)[clear], plain.predict(Z)[clear])


@pytest.mark.parametrize("kind", [RLSC, LSSVC])
@pytest.mark.parametrize("code", ["dense", "own"])
def test_any_code_without_zeros_is_a_product_with_the_class_machines(kind: type, code: str) -> None:
    X, y = drawn(90, 6, 3)
    rng = np.random.default_rng(4)
    given_code: Any = code
    if code == "own":
        given_code = np.array([[1, 1, -1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1], [1, 1, 1],
                               [-1, 1, 1]])  # fmt: skip
    machine = kind(alpha=0.2, multiclass="code", code=given_code).fit(X, y)
    Z = rng.normal(scale=2.0, size=(400, 3))
    plain = kind(alpha=0.2).fit(X, y)
    signed = plain.decision_function(Z)
    # labels -1 and 1 are 2 f - g, g the machine of ones
    ones = signed.sum(axis=1, keepdims=True) / (2 - 6)
    f = 0.5 * (signed + ones)
    matrix = machine.code_.matrix.astype(float)
    np.testing.assert_allclose(machine.machine_decisions(Z), f @ matrix, atol=1e-8)
    wanted = (f @ matrix @ matrix.T).argmax(axis=1)
    np.testing.assert_array_equal(machine.predict(Z), machine.classes_[wanted])
    # the same by differences: argmin_r sum_j (F - C_rj) f_j
    distance = matrix.shape[1] - matrix @ matrix.T
    np.testing.assert_array_equal((f @ distance).argmin(axis=1), wanted)


def test_swapping_two_classes_brings_the_winner_of_one_vs_all_back() -> None:
    """If a code prefers j to the winner i of one-vs-all, it prefers i once they are swapped."""
    rng = np.random.default_rng(5)
    n_seen = 0
    for seed in range(40):
        code = make_code("dense", 6, n_columns=6, n_draws=1, random_state=seed)
        distance = code.n_columns - code.matrix.astype(float) @ code.matrix.T
        for f in rng.normal(size=(200, 6)):
            i, j = int(f.argmax()), int((distance @ f).argmin())
            if i == j:
                continue
            n_seen += 1
            swapped = f.copy()
            swapped[[i, j]] = f[[j, i]]  # class i has the word of j now, and class j that of i
            assert int((distance @ swapped).argmin()) == j
    assert n_seen > 100


@pytest.mark.parametrize("kind", [RLSC, LSSVC])
@pytest.mark.parametrize("code", ["one-vs-all", "complete", "own", "one-vs-one"])
def test_leave_one_out_is_exact_and_within_its_bound(kind: type, code: str) -> None:
    n = 24
    X, y = drawn(n, 4, 6)
    given_code = OWN if code == "own" else code
    options = {"alpha": 0.5, "gamma": 0.4, "multiclass": "code", "code": given_code}
    machine = kind(**options).fit(X, y)
    exact = np.empty((n, 4))
    for i in range(n):
        rest = np.arange(n) != i
        fitted = kind(loo=False, **options).fit(X[rest], y[rest])
        # all classes must be left
        assert len(fitted.classes_) == 4
        exact[i] = fitted.decision_function(X[[i]])[0]
    np.testing.assert_allclose(machine.loo_values_, exact, atol=1e-8)
    wrong = exact.argmax(axis=1) != y
    assert machine.loo_error_ == pytest.approx(wrong.mean())
    if kind is RLSC:
        outputs = machine.machine_decisions(X)
        t = machine.code_.matrix[y].astype(float)
        left_out = outputs - (t - outputs) / 0.5  # k(x, x) = 1
        marked = possible_loo_errors(machine.code_, y, outputs, left_out, decoding="squared_error")
        assert marked[wrong].all()
        if code == "one-vs-all":
            short = rlsc_multiclass_bound(y, outputs, 0.5, np.ones(n))
            np.testing.assert_array_equal(short, marked)


def test_all_codes_without_zeros_take_one_factorization(monkeypatch: Any) -> None:
    calls = []
    original = choice.fit_direct
    monkeypatch.setattr(
        choice, "fit_direct", lambda job, **o: calls.append(job) or original(job, **o)
    )
    X, y = drawn(60, 7, 7)
    RLSC(multiclass="code", code="complete").fit(X, y)
    assert len(calls) == 1
    assert calls[0].system.targets.shape == (60, 7)  # 63 machines


@pytest.mark.parametrize("code", ["dense", "sparse"])
@pytest.mark.parametrize("alpha", ["loo", "gcv", [0.01, 0.1, 1.0, 10.0]])
def test_alpha_is_chosen_for_the_classes(code: str, alpha: Any) -> None:
    X, y = drawn(60, 4, 8)
    machine = RLSC(alpha=alpha, multiclass="code", code=code).fit(X, y)
    assert machine.alpha_ in machine.alphas_
    best = RLSC(alpha=machine.alpha_, multiclass="code", code=code).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), best.decision_function(X), atol=1e-6)
    assert machine.loo_error_ == pytest.approx(best.loo_error_)
    if alpha != "gcv" and code == "dense":
        assert machine.loo_error_ == machine.loo_errors_.min()


@pytest.mark.parametrize("code", ["hadamard", "sparse"])
@pytest.mark.parametrize("options", [{"kernel": "linear"}, {"kernel": "rbf"}])
def test_rows_without_weight_take_no_part(code: str, options: dict[str, Any]) -> None:
    X, y = drawn(70, 4, 9)
    weight = np.ones(70)
    weight[40:] = 0.0
    for kind in (RLSC, LSSVC):
        machine = kind(multiclass="code", code=code, gamma=0.5, **options)
        machine.fit(X, y, sample_weight=weight)
        alone = kind(multiclass="code", code=code, gamma=0.5, **options).fit(X[:40], y[:40])
        np.testing.assert_allclose(
            machine.decision_function(X), alone.decision_function(X), atol=1e-8
        )
        assert machine.loo_values_.shape == (70, 4)
        assert machine.loo_error_ == pytest.approx(alone.loo_error_)


def test_probabilities_agree_with_predictions() -> None:
    X, y = load_iris(return_X_y=True)
    for code in ("complete", "sparse", "one-vs-one"):
        machine = LSSVC(multiclass="code", code=code).fit(X, y)
        proba = machine.predict_proba(X)
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)
        np.testing.assert_array_equal(machine.classes_[proba.argmax(axis=1)], machine.predict(X))


def test_pairs_vote_as_those_of_the_support_vector_machine() -> None:
    X, y = drawn(90, 4, 10)
    machine = LSSVC(alpha=0.5, gamma=0.5, multiclass="one-vs-one").fit(X, y)
    other = SVC(C=2.0, gamma=0.5, loss="squared_error", tol=1e-9).fit(X, y)
    np.testing.assert_allclose(machine.machine_decisions(X), other.machine_decisions(X), atol=1e-5)
    np.testing.assert_array_equal(machine.predict(X), other.predict(X))
    assert machine.decision_function(X).shape == (90, 4)


def test_low_rank_and_streams_have_codes_without_zeros() -> None:
    X, y = drawn(120, 5, 11)
    low_rank = LowRank(rank=20, random_state=0)
    whole = RLSC(low_rank=low_rank, multiclass="code", code="dense").fit(X, y)
    wanted = column_outputs(RLSC, whole.code_.matrix, X, y, X, low_rank=low_rank)
    np.testing.assert_allclose(whole.machine_decisions(X), wanted, atol=1e-6)
    stream = RLSC(kernel="linear", multiclass="code", code="dense")
    for part in (slice(0, 60), slice(60, 120)):
        stream.partial_fit(X[part], y[part], classes=np.arange(5))
    plain = RLSC(kernel="linear", multiclass="code", code="dense").fit(X, y)
    np.testing.assert_allclose(stream.decision_function(X), plain.decision_function(X), atol=1e-8)


def test_two_classes_are_one_machine() -> None:
    X, y = drawn(40, 2, 12)
    for scheme in ({"multiclass": "one-vs-one"}, {"multiclass": "code", "code": "bch"}):
        machine = RLSC(**scheme).fit(X, y)
        np.testing.assert_array_equal(
            machine.decision_function(X), RLSC().fit(X, y).decision_function(X)
        )


def test_copies() -> None:
    X, y = load_iris(return_X_y=True)
    machine = RLSC(multiclass="code", code="sparse").fit(X, y)
    again = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(again.decision_function(X), machine.decision_function(X))
    assert again.set_params(multiclass="one-vs-all").fit(X, y).multiclass_ == "one-vs-all"
    assert not hasattr(again, "code_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"multiclass": "code", "code": "sparse", "low_rank": 5}, "low_rank must be None"),
        ({"multiclass": "one-vs-one", "sparse": "l0"}, "sparse must be None"),
        ({"multiclass": "one-vs-one", "scoring": "accuracy"}, "scoring must be None"),
        ({"multiclass": "code", "code": [[1], [-1]]}, "got 2 rows"),
    ],
)
def test_wrong_schemes_are_named(parameters: dict[str, Any], message: str) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        RLSC(**parameters).fit(X, y)


def test_schemes_that_do_not_suit_the_labels_or_a_stream() -> None:
    X, y = load_iris(return_X_y=True)
    labels = np.eye(3, dtype=int)[y]
    with pytest.raises(ValueError, match="for several labels"):
        RLSC(multiclass="one-vs-one").fit(X, labels)
    with pytest.raises(ValueError, match="without zeros in partial_fit"):
        RLSC(kernel="linear", multiclass="one-vs-one").partial_fit(X, y)
