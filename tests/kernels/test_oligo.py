"""Oligo kernels of sequences."""

from __future__ import annotations

import pickle
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest
from kernel_cases import finite_difference
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from mercer import SVC, TunedSVC
from mercer.kernels import Kernel, Normalized, Oligo, Scaled, Sum
from mercer.lab import make_tis

# Glasmachers 2008, section 13.1: a start of translation, and none
START = "ATCACACTAAACAAAGAGTACGGAACCCACTCATGGATATTCGTAAGATT"
OTHER = "TACCGCCTGTTAGCGTAAACCACCACATAACTATGGAGCATCTGCACATG"
X = [START, OTHER, "ACGT", "AC", "", "TTTTTTTACG", START[5:30]]
Z = [OTHER, "GGATATTC", "ACGTACGTACGT"]
WEIGHTS = np.exp(np.random.default_rng(0).normal(size=64))

COMBINED = reduce(add, [Normalized(Oligo(k, 0.7 + 0.3 * k)) for k in range(1, 7)])
CASES: dict[str, Kernel] = {
    "3 letters": Oligo(3, 1.27),
    "1 letter": Oligo(1, 0.4),
    "normalized": Normalized(Oligo(2, 2.5)),
    "combined": COMBINED,
    "weighted": Scaled(Normalized(Oligo(2, 1.0)), 0.7) + Scaled(Normalized(Oligo(4, 3.0)), 0.2),
    "triplets": Normalized(Oligo(3, 1.5, WEIGHTS)),
    "fixed width": Oligo(3, 1.5, WEIGHTS, sigma_bounds="fixed"),
    "fixed weights": Oligo(3, 1.5, WEIGHTS, weights_bounds="fixed"),
}
every = pytest.mark.parametrize("kernel", CASES.values(), ids=CASES.keys())


def by_definition(x: str, z: str, k: int, sigma: float, weights: Any = None) -> float:
    words = Oligo(k).words
    return sum(
        (1.0 if weights is None else weights[words.index(x[p : p + k])])
        * np.exp(-((p - q) ** 2) / (4.0 * sigma**2))
        for p in range(len(x) - k + 1)
        for q in range(len(z) - k + 1)
        if x[p : p + k] == z[q : q + k]
    )


def test_published_strings_have_the_known_value_and_slope() -> None:
    kernel = Normalized(Oligo(k=3, sigma=1.27))
    assert kernel([START], [OTHER])[0, 0] == pytest.approx(0.0940018, abs=5e-8)
    by_log = kernel.gradient([START], [OTHER], [1.0], [1.0])[0]
    assert by_log / 1.27 == pytest.approx(0.0470233, abs=5e-8)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_values_are_those_of_the_definition(weights: Any) -> None:
    kernel = Oligo(3, 1.27, weights)
    for some, others in ((X, Z), (Z, X), (X, X)):
        expected = [[by_definition(x, z, 3, 1.27, weights) for z in others] for x in some]
        np.testing.assert_allclose(kernel(some, others), expected, rtol=1e-13)
    np.testing.assert_allclose(kernel.diag(X), np.diagonal(kernel(X)), rtol=1e-13)


@every
def test_gradient_is_the_finite_difference(kernel: Kernel) -> None:
    weights = np.random.default_rng(1).normal(size=(len(X), len(Z)))
    expected = finite_difference(kernel, lambda k: np.sum(weights * k(X, Z)))
    np.testing.assert_allclose(
        kernel.gradient_weighted(X, Z, weights), expected, rtol=1e-7, atol=1e-9
    )
    np.testing.assert_allclose(
        kernel.gradient_weighted(Z, X, weights.T), expected, rtol=1e-7, atol=1e-9
    )
    expected = finite_difference(kernel, lambda k: weights[:, 0] @ k.diag(X))
    np.testing.assert_allclose(
        kernel.diag_gradient(X, weights[:, 0]), expected, rtol=1e-7, atol=1e-8
    )


@every
def test_matrices_are_symmetric_and_positive_semi_definite(kernel: Kernel) -> None:
    assert kernel.definiteness == "known"
    strings = [*X, *make_tis(30, random_state=0)[0]]
    K = kernel(strings)
    np.testing.assert_allclose(K, K.T, rtol=1e-13)
    assert np.linalg.eigvalsh(K).min() > -1e-12 * K.max()


def test_a_narrow_width_counts_equal_places_and_a_wide_one_equal_words() -> None:
    words = [[s[p : p + 2] for p in range(len(s) - 1)] for s in (START, OTHER)]
    in_place = sum(a == b for a, b in zip(*words, strict=True))
    assert Oligo(2, 1e-3)([START], [OTHER])[0, 0] == in_place
    anywhere = sum(words[0].count(w) * words[1].count(w) for w in set(words[0]))
    assert Oligo(2, 1e9)([START], [OTHER])[0, 0] == pytest.approx(anywhere, rel=1e-12)


def test_weights_of_one_are_no_weights() -> None:
    plain, weighted = Normalized(Oligo(3, 1.3)), Normalized(Oligo(3, 1.3, np.ones(64)))
    np.testing.assert_allclose(weighted(X), plain(X), rtol=1e-14)
    scaled = Normalized(Oligo(3, 1.3, 7.0 * np.ones(64)))
    np.testing.assert_allclose(scaled(X), plain(X), rtol=1e-14)


def test_both_strings_may_begin_elsewhere() -> None:
    kernel = Oligo(3, 1.3, alphabet="ACGT.")
    # words with a dot meet only each other
    later = kernel(["....C" + START], ["....G" + OTHER])
    expected = kernel(["C" + START], ["G" + OTHER]) + kernel(["....C"], ["....G"])
    np.testing.assert_allclose(later, expected, rtol=1e-13)


def test_values_do_not_depend_on_longer_strings_beside() -> None:
    kernel = Oligo(3, 1.27)
    alone = kernel(["ACGTACG"], ["ACGTTACG", "ACG", "TACG"])
    beside = kernel(["ACGTACG"], ["ACGTTACG", "ACG", "TACG", START])
    assert np.array_equal(alone, beside[:, :3])


def test_kernels_are_values() -> None:
    kernel = Normalized(Oligo(2, 1.5, WEIGHTS[:16]))
    assert eval(repr(kernel)) == kernel == pickle.loads(pickle.dumps(kernel)) == clone(kernel)
    assert kernel.parameter_names[:2] == ["kernel__sigma", "kernel__weights[0]"]
    assert Oligo(2).words[:5] == ["AA", "AC", "AG", "AT", "CA"]
    assert isinstance(COMBINED, Sum)
    assert COMBINED.n_dims == 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "k must be a positive integer"),
        ({"k": 40}, "k must be a positive integer"),
        ({"k": 2.0}, "k must be an integer, got 2.0"),
        ({"sigma": 0.0}, "sigma must be a positive number, got 0.0"),
        ({"sigma": np.nan}, "sigma must be a finite number"),
        ({"weights": np.ones(63)}, "weights must be 64 numbers"),
        ({"weights": np.zeros(64)}, "weights must be a positive number, got 0.0"),
        ({"alphabet": "ACCT"}, "alphabet must be a string of different letters"),
        ({"sigma_bounds": (2.0, 1.0)}, "sigma_bounds"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Oligo(**arguments)


def test_wrong_strings_are_named() -> None:
    with pytest.raises(ValueError, match="letters 'ACGT' only, got 'N'"):
        Oligo()(["ACGN"])
    with pytest.raises(ValueError, match="list or a one-dimensional array of strings"):
        Oligo()(np.array([["ACGT"]]))
    with pytest.raises(ValueError, match="letters 'ACGT' only, got 'x'"):
        SVC(kernel=Oligo()).fit(["ACG", "AxG"], [0, 1])


def test_machines_learn_from_lists_of_strings() -> None:
    strings, y = make_tis(160, random_state=0)
    others, labels = make_tis(300, random_state=1)
    kernel = Normalized(Oligo(3, 2.0))
    machine = SVC(kernel=kernel, C=10.0).fit(list(strings), y)
    assert machine.score(list(others), labels) > 0.8
    again = pickle.loads(pickle.dumps(machine))
    assert np.array_equal(again.predict(others), machine.predict(list(others)))
    # one letter at each place, as a linear machine sees it
    one_hot = (strings.view("U1").reshape(160, -1, 1) == list("ACGT")).reshape(160, -1)
    linear = cross_val_score(SVC(kernel="linear"), one_hot.astype(float), y).mean()
    assert cross_val_score(SVC(kernel=kernel, C=10.0), strings, y).mean() > linear


def test_the_width_and_the_weights_of_words_are_tuned() -> None:
    strings, y = make_tis(60, random_state=0)
    machine = TunedSVC(kernel=Normalized(Oligo(3, 2.0)), cv=2, max_evals=24).fit(list(strings), y)
    assert machine.kernel_ != machine.kernel
    assert len({theta[1] for theta in machine.history_[0].thetas}) > 1
    kernel = Normalized(Oligo(2, 2.0, np.ones(16), sigma_bounds="fixed"))
    machine = TunedSVC(kernel=kernel, objective="alignment", cv=2, max_evals=24)
    assert not np.allclose(machine.fit(strings, y).kernel_.kernel.weights, 1.0)
