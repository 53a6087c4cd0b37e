"""Laws every distribution obeys: reproducible samples, and a Bayes rule that attains its error."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.lab import distributions

N_LARGE = 200_000
DISTRIBUTIONS = {
    "chessboard": distributions.Chessboard(noise=0.2, distortion=[[3.0, 1.0], [0.0, 0.5]]),
    "chessboard-3d": distributions.Chessboard(size=3, n_features=3, noise=0.4),
    "sparse-3": distributions.SparseCoordinates(),
    "sparse-5": distributions.SparseCoordinates(n_ones=5),
    "twonorm": distributions.Twonorm(),
    "ringnorm": distributions.Ringnorm(),
    "ringnorm-2d": distributions.Ringnorm(n_features=2),
    "waveform": distributions.Waveform(),
    "tis": distributions.TranslationStarts(),
    "tis-blurred": distributions.TranslationStarts(conservation=0.6),
}
MAKERS = [
    distributions.make_chessboard,
    distributions.make_sparse_coordinates,
    distributions.make_twonorm,
    distributions.make_ringnorm,
    distributions.make_waveform,
    distributions.make_tis,
]


@pytest.fixture(scope="module", params=DISTRIBUTIONS)
def drawn(request):
    distribution = DISTRIBUTIONS[request.param]
    return distribution, *distribution.sample(N_LARGE, random_state=20260)


def test_bayes_rule_attains_the_bayes_error(drawn):
    distribution, X, y = drawn
    error = distribution.bayes_error()
    sigma = np.sqrt(error * (1.0 - error) / len(y))
    assert abs(np.mean(distribution.bayes_rule(X) != y) - error) < 4.0 * sigma


def test_posterior_predicts_its_own_error(drawn):
    """The mean of min(P(+1|x), P(-1|x)) is the Bayes error, with less variance than counting."""
    distribution, X, _ = drawn
    risk = 1.0 / (1.0 + np.exp(np.abs(distribution.log_odds(X))))
    sigma = risk.std() / np.sqrt(len(risk))
    assert abs(risk.mean() - distribution.bayes_error()) < 4.0 * sigma + 1e-12


def test_posterior_is_calibrated(drawn):
    """Among rows of like posterior the share of +1 is that posterior."""
    distribution, X, y = drawn
    posterior = 1.0 / (1.0 + np.exp(-distribution.log_odds(X)))
    for low in np.arange(0.0, 1.0, 0.1):
        part = (posterior >= low) & (posterior <= low + 0.1)
        spread = np.sqrt((posterior[part] * (1.0 - posterior[part])).sum())
        excess = (y[part] == 1).sum() - posterior[part].sum()
        assert abs(excess) < 4.5 * spread + 1e-9


def test_label_balance(drawn):
    distribution, _, y = drawn
    share = 1.0 / 3.0 if isinstance(distribution, distributions.Waveform) else 0.5
    if isinstance(distribution, distributions.Chessboard) and distribution.size % 2:
        share = 0.5 + 0.5 * (1.0 - distribution.noise) / distribution.size**distribution.n_features
    assert abs(np.mean(y == 1) - share) < 4.0 * np.sqrt(share * (1.0 - share) / len(y))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("source", [int, np.random.RandomState, np.random.default_rng])
def test_a_seed_fixes_the_sample(make, source):
    X, y = make(50, random_state=source(3))
    X_again, y_again = make(50, random_state=source(3))
    X_other, y_other = make(50, random_state=source(4))
    np.testing.assert_array_equal(X, X_again)
    np.testing.assert_array_equal(y, y_again)
    assert not np.array_equal(X, X_other)
    assert not np.array_equal(y, y_other)


@pytest.mark.parametrize("make", MAKERS)
def test_a_shared_source_moves_on(make):
    random = np.random.default_rng(0)
    assert not np.array_equal(make(20, random_state=random)[0], make(20, random_state=random)[0])


@pytest.mark.parametrize("make", MAKERS)
def test_shapes_and_types(make):
    X, y = make(random_state=0)
    assert len(X) == 100
    assert y.shape == (100,)
    assert y.dtype == np.int_
    assert set(y) == {-1, 1}
    assert X.flags.c_contiguous
    if make is distributions.make_tis:
        assert X.dtype == np.dtype("U50")
    else:
        assert X.dtype == np.float64
        assert X.ndim == 2
        assert np.isfinite(X).all()


@pytest.mark.parametrize("make", MAKERS)
def test_one_row_is_a_sample(make):
    X, y = make(np.int64(1), random_state=0)
    assert X.shape[0] == y.shape[0] == 1


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("n_samples", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError), (True, TypeError)]
)
def test_bad_sample_size_is_named(make, n_samples, error):
    with pytest.raises(error, match=rf"n_samples must be an integer >= 1, got {n_samples}"):
        make(n_samples)


@pytest.mark.parametrize("make", MAKERS)
def test_bad_random_state_is_refused(make):
    with pytest.raises(ValueError, match="seed"):
        make(5, random_state="seed")


@pytest.mark.parametrize("name", [name for name in DISTRIBUTIONS if "tis" not in name])
def test_wrong_number_of_features_is_named(name):
    with pytest.raises(ValueError, match=r"X must have \d+ features, got 7"):
        DISTRIBUTIONS[name].bayes_rule(np.zeros((2, 7)))
