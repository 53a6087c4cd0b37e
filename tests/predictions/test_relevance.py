"""How much features count, for kernels with one width or none."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mercer import RLSC, SVC, SVR, TunedRLSC, TunedSVC
from mercer.kernels import Gaussian, Laplacian, Linear, Polynomial
from mercer.predictions import sensitivity

X = np.random.default_rng(0).normal(size=(120, 4))


@pytest.mark.parametrize("kernel", [Gaussian(0.1), Laplacian(0.1), Linear()], ids=repr)
def test_relevance_knows_the_features_that_decide(kernel: Any) -> None:
    """``relevance_`` was None for kernels with one width."""
    y = X[:, 0] + 0.7 * X[:, 1] > 0
    tuned = TunedSVC(kernel=kernel, max_evals=2, cv=2).fit(X, y)
    assert tuned.relevance_.max() == 1.0
    assert tuned.relevance_.argmax() == 0
    assert tuned.relevance_[:2].min() > tuned.relevance_[2:].max()


def test_sensitivity_of_a_linear_machine_is_its_weights() -> None:
    machine = SVR(kernel="linear").fit(X, X[:, 0] - 2 * X[:, 3])
    np.testing.assert_allclose(sensitivity(machine, X), np.abs(machine.coef_[0]), rtol=1e-8)
    weights = RLSC(kernel="linear").fit(X, X[:, 0] > 0)
    np.testing.assert_allclose(sensitivity(weights, X), np.abs(weights.coef_[0]), rtol=1e-8)


def test_sensitivity_is_the_mean_square_of_slopes() -> None:
    machine = SVC(kernel=Polynomial(2, 0.1, 1.0)).fit(X, X[:, 0] > 0)
    found = []
    for step in 1e-5 * np.eye(4):
        up, down = machine.decision_function(X + step), machine.decision_function(X - step)
        found.append(np.sqrt(np.mean(((up - down) / 2e-5) ** 2)))
    np.testing.assert_allclose(sensitivity(machine, X), found, rtol=1e-6)


def test_a_function_has_no_sensitivity() -> None:
    machine = SVC(kernel=lambda A, B: np.asarray(A) @ np.asarray(B).T).fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match="differentiable kernel"):
        sensitivity(machine, X)


def test_a_search_on_a_data_frame_does_not_warn_of_names() -> None:
    """ "X does not have valid feature names" at every fit on a table."""
    frame = pd.DataFrame(X, columns=list("abcd"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = TunedRLSC().fit(frame, frame["a"] > 0)
    assert machine.relevance_.argmax() == 0


def test_noise_is_not_relevant_where_a_search_kept_one_width() -> None:
    """Equal widths gave noise the relevance 1 of the features that decide."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 4))
    y = X[:, 0] * X[:, 1] + 0.8 * rng.normal(size=400) > 0.6
    machine = TunedSVC(kernel="ard", cv=3).fit(X, y)
    assert len(set(machine.kernel_.gamma)) == 1
    assert machine.relevance_[:2].min() > 2 * machine.relevance_[2:].max()
