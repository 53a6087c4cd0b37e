"""Decoding: the loss by its definition, ties, and what outputs decide when they are not exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.codes import make_code, possible_loo_errors, training_error_bound
from mercer.codes.decoding import DECODINGS, decoding_named
from mercer.codes.making import CODES

LOSSES = {
    "hamming": lambda z: (1 - np.sign(z)) / 2,
    "hinge": lambda z: np.maximum(0, 1 - z),
    "squared_hinge": lambda z: np.maximum(0, 1 - z) ** 2,
    "squared_error": lambda z: (1 - z) ** 2,
    "exponential": lambda z: np.exp(-z),
}


def usual(name: str, n: int) -> object:
    return make_code(name, n, n_draws=20) if name in ("dense", "sparse") else make_code(name, n)


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("loss", DECODINGS)
def test_losses_are_those_of_the_definition(name: str, loss: str) -> None:
    code = usual(name, 6)
    f = np.random.default_rng(0).normal(scale=1.5, size=(40, code.n_columns))
    f[:5] = np.round(f[:5])
    wanted = LOSSES[loss](code.matrix[None].astype(float) * f[:, None]).sum(axis=2)
    found = decoding_named(loss).losses(code, f)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(decoding_named(loss).scores(code, f), -found)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "squared_error", "exponential"])
def test_one_vs_all_is_the_largest_output(loss: str) -> None:
    code = make_code("one-vs-all", 7)
    f = np.random.default_rng(1).normal(scale=2.0, size=(300, 7))
    # L(z) - L(-z) falls strictly
    chosen = decoding_named(loss).scores(code, f).argmax(axis=1)
    np.testing.assert_array_equal(chosen, f.argmax(axis=1))


@pytest.mark.parametrize("scale", [40.0, 120.0])
def test_small_exponential_losses_are_not_lost_beside_large_ones(scale: float) -> None:
    # by halves of sums and differences of exp(f) and exp(-f) a quarter of these rows was wrong
    code = make_code("one-vs-all", 4)
    f = np.clip(scale * np.random.default_rng(5).normal(size=(200, 4)), -490.0, 490.0)
    chosen = decoding_named("exponential").scores(code, f).argmax(axis=1)
    np.testing.assert_array_equal(chosen, f.argmax(axis=1))


def test_ties_go_to_the_first_class() -> None:
    code = make_code("one-vs-one", 4)
    scores = decoding_named("hamming").scores(code, np.zeros((1, 6)))
    assert (scores == scores[0, 0]).all()
    assert scores.argmax() == 0
    f = np.array([[1.0, -1.0, 1.0, 1.0, -1.0, 1.0]])
    scores = decoding_named("hamming").scores(code, f)
    assert scores.argmax() == np.flatnonzero(scores[0] == scores.max())[0]


def test_hamming_decoding_corrects_what_the_separation_promises() -> None:
    code = make_code("bch", 20)
    rng = np.random.default_rng(3)
    n_wrong = int((code.row_separation - 1) // 2)
    for r in range(20):
        f = code.matrix[r].astype(float) * rng.uniform(0.1, 3, code.n_columns)
        f[rng.permutation(code.n_columns)[:n_wrong]] *= -1
        assert decoding_named("hamming").scores(code, f[None]).argmax() == r


def test_a_row_has_the_same_scores_in_any_company() -> None:
    rng = np.random.default_rng(4)
    for name in ("dense", "sparse"):
        code = usual(name, 11)
        f = rng.normal(size=(50, code.n_columns))
        for decoding in DECODINGS.values():
            together = decoding.scores(code, f)
            for k in (0, 17, 49):
                np.testing.assert_array_equal(decoding.scores(code, f[[k]])[0], together[k])


def test_huge_outputs_have_finite_exponential_losses() -> None:
    code = make_code("hadamard", 5)
    f = 1e4 * np.random.default_rng(0).normal(size=(20, code.n_columns))
    assert np.isfinite(decoding_named("exponential").scores(code, f)).all()


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["one-vs-all", "one-vs-one", "dense", "sparse", "hadamard"]),
    st.sampled_from(list(DECODINGS)),
    st.integers(0, 10**6),
)
def test_what_is_certain_stays_when_outputs_change(name: str, loss: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    code, decoding = usual(name, 5), decoding_named(loss)
    f = rng.normal(size=(60, code.n_columns))
    error = 10.0 ** rng.uniform(-6, 0, 60)
    scores = decoding.scores(code, f)
    certain = decoding.is_certain(code, f, error, scores)
    for _ in range(5):
        sign = rng.choice([-1.0, 0.0, 1.0], size=f.shape)
        changed = decoding.scores(code, f + sign * error[:, None])
        np.testing.assert_array_equal(changed.argmax(1)[certain], scores.argmax(1)[certain])
    assert decoding.is_certain(code, f, np.zeros(60), scores).mean() > 0.3


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["one-vs-all", "one-vs-one", "complete", "dense", "sparse", "bch"]),
    st.sampled_from(["hinge", "squared_hinge", "squared_error", "exponential"]),
    st.integers(0, 10**6),
    st.floats(0.05, 3.0),
)
def test_training_errors_are_within_their_bound(
    name: str, loss: str, seed: int, scale: float
) -> None:
    rng = np.random.default_rng(seed)
    code = usual(name, int(rng.integers(3, 8)))
    y = rng.integers(0, code.n_classes, 80)
    f = code.matrix[y] * rng.uniform(-0.3, 1.0, (80, 1)) + scale * rng.normal(
        size=(80, code.n_columns)
    )
    own = np.arange(80), y
    for decoding, rule in (("loss", loss), ("hamming", "hamming")):
        losses = decoding_named(rule).losses(code, f)
        # ties count as errors, as in the theorem
        least = np.where(np.arange(code.n_classes) == y[:, None], np.inf, losses).min(axis=1)
        errors = int((least <= losses[own]).sum())
        assert errors <= training_error_bound(code, y, f, loss=loss, decoding=decoding) + 1e-9


def test_the_bound_with_classes_in_place_of_columns_is_violated() -> None:
    """The printed bound sums over N machines; codes have F."""
    rng = np.random.default_rng(0)
    code = make_code("complete", 6)
    broken = 0
    for _ in range(50):
        y = rng.integers(0, 6, 60)
        f = 0.05 * code.matrix[y] + 0.5 * rng.normal(size=(60, code.n_columns))
        errors = (decoding_named("hinge").scores(code, f).argmax(1) != y).sum()
        bound = training_error_bound(code, y, f)
        assert errors <= bound
        broken += errors > bound * code.n_classes / code.n_columns
    assert broken > 0


def naive_possible(code, y, f, other, loss, rng) -> np.ndarray:
    """Errors found by trying the ends of all intervals, and points between."""
    n, k = f.shape
    found = np.zeros(n, dtype=bool)
    own = code.matrix[y]
    for _ in range(400):
        share = rng.choice([0.0, 1.0, rng.uniform()], size=(n, k))
        value = np.where(own == 0, f, f + share * (other - f))
        losses = decoding_named(loss).losses(code, value)
        mine = losses[np.arange(n), y]
        losses[np.arange(n), y] = np.inf
        found |= losses.min(axis=1) <= mine - 1e-9
    return found


@pytest.mark.parametrize("loss", DECODINGS)
@pytest.mark.parametrize("name", ["one-vs-all", "one-vs-one", "sparse"])
def test_every_left_out_error_is_marked(name: str, loss: str) -> None:
    rng = np.random.default_rng(5)
    code = usual(name, 4)
    y = rng.integers(0, 4, 120)
    f = code.matrix[y] * 0.8 + 0.6 * rng.normal(size=(120, code.n_columns))
    other = f - code.matrix[y] * rng.uniform(0, 0.8, f.shape)
    marked = possible_loo_errors(code, y, f, other, decoding=loss)
    assert marked[naive_possible(code, y, f, other, loss, rng)].all()
    assert marked.mean() < 1.0


def test_wrong_arguments_are_named() -> None:
    code = make_code("one-vs-all", 3)
    f = np.zeros((4, 3))
    with pytest.raises(ValueError, match="decoding must be one of"):
        decoding_named("votes")
    with pytest.raises(ValueError, match="labels must lie in"):
        training_error_bound(code, [0, 1, 2, 3], f)
    with pytest.raises(ValueError, match="outputs must be finite"):
        training_error_bound(code, [0, 1, 2, 0], f[:, :2])
    with pytest.raises(ValueError, match="outputs must be finite"):
        training_error_bound(code, [0, 1, 2, 0], np.full((4, 3), np.nan))
    with pytest.raises(ValueError, match="got 'hamming'"):
        training_error_bound(code, [0, 1, 2, 0], f, loss="hamming")
    with pytest.raises(ValueError, match="decoding must be 'loss'"):
        training_error_bound(code, [0, 1, 2, 0], f, decoding="x")  # type: ignore[arg-type]
    for left_out in (f[:2], np.full((4, 3), np.nan)):
        with pytest.raises(ValueError, match="left_out must be finite"):
            possible_loo_errors(code, [0, 1, 2, 0], f, left_out)
    with pytest.raises(TypeError, match="code must be an OutputCode"):
        training_error_bound(code.matrix, [0, 1, 2, 0], f)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="labels must be 4 integers"):
        possible_loo_errors(code, [0.0, 1, 2, 0], f, f)
