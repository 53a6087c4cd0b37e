"""Maps from values to probabilities, against their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression

from mercer.calibration import Calibration
from mercer.calibration.coupling import coupled
from mercer.calibration.joined import METHODS
from mercer.calibration.layout import Layout
from mercer.calibration.sigmoid import fit_beta, fit_sigmoid, smoothed
from mercer.calibration.steps import fit_steps, fit_venn_abers

RNG = np.random.default_rng(1)
VALUES = np.round(RNG.normal(size=80), 1)  # with ties
POSITIVE = VALUES + RNG.normal(size=80) > 0
WEIGHT = RNG.integers(1, 4, size=80).astype(float)
NEW = np.concatenate([np.round(np.linspace(-4.0, 4.0, 41), 2), VALUES[:5]])


@pytest.mark.parametrize("fit", [fit_sigmoid, fit_beta])
def test_smooth_maps_have_the_greatest_likelihood(fit: Any) -> None:
    found = fit(VALUES, POSITIVE, WEIGHT)
    target = smoothed(POSITIVE, WEIGHT)

    def loss(parameters: Any) -> float:
        if min(parameters[:-1]) < 0:  # maps do not fall
            return np.inf
        p = type(found)(*parameters)(VALUES)
        return float(-WEIGHT @ (target * np.log(p) + (1 - target) * np.log(1 - p)))

    own = np.array(list(vars(found).values()))
    best = minimize(loss, own, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    assert loss(own) <= best.fun + 1e-7


@pytest.mark.parametrize("fit", [fit_sigmoid, fit_beta, fit_steps, fit_venn_abers])
def test_weights_are_repetitions(fit: Any) -> None:
    times = WEIGHT.astype(int)
    copies = fit(np.repeat(VALUES, times), np.repeat(POSITIVE, times), np.ones(times.sum()))
    np.testing.assert_allclose(fit(VALUES, POSITIVE, WEIGHT)(NEW), copies(NEW), atol=1e-6)


@pytest.mark.parametrize("weight", [np.ones(80), WEIGHT])
def test_venn_abers_is_two_isotonic_maps_a_value(weight: Any) -> None:
    found = fit_venn_abers(VALUES, POSITIVE, weight).interval(NEW)
    for value, own in zip(NEW, found, strict=True):
        for label in (0, 1):
            curve = IsotonicRegression(out_of_bounds="clip").fit(
                np.append(VALUES, value), np.append(POSITIVE, label), np.append(weight, 1.0)
            )
            assert own[label] == pytest.approx(curve.predict([value])[0], abs=1e-12)
    assert (found[:, 0] <= found[:, 1]).all()


@pytest.mark.parametrize("fit", [fit_sigmoid, fit_beta, fit_steps, fit_venn_abers])
def test_constant_and_separable_values_have_a_map(fit: Any) -> None:
    ones = np.ones(80)
    constant = fit(0.3 * ones, POSITIVE, ones)(np.array([0.3]))
    assert constant[0] == pytest.approx(POSITIVE.mean(), abs=0.03)
    apart = fit(np.where(POSITIVE, 1.0, -1.0), POSITIVE, ones)(np.array([-1.0, 1.0]))
    assert apart[0] < 0.1
    assert apart[1] > 0.9


def test_pairs_of_consistent_probabilities_are_coupled_exactly() -> None:
    p = RNG.dirichlet(np.ones(5), size=20)
    i, j = np.triu_indices(5, 1)
    np.testing.assert_allclose(coupled(p[:, i] / (p[:, i] + p[:, j]), 5), p, atol=1e-9)


def test_coupled_probabilities_minimize_what_they_should() -> None:
    first = RNG.uniform(0.05, 0.95, size=6)
    i, j = np.triu_indices(4, 1)
    r = np.zeros((4, 4))
    r[i, j], r[j, i] = first, 1.0 - first

    def loss(p: Any) -> float:
        return float(np.square(r.T * p[:, None] - r * p[None, :])[~np.eye(4, dtype=bool)].sum())

    found = coupled(first[None], 4)[0]
    for other in RNG.dirichlet(50 * found + 0.1, size=200):
        assert loss(found) <= loss(other) + 1e-12


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["two", "pairs", "classes"])
def test_probabilities_are_probabilities(method: str, kind: Any) -> None:
    k = 2 if kind == "two" else 4
    labels = RNG.integers(0, k, size=60)
    columns = {"two": 1, "pairs": 6, "classes": 4}[kind]
    values = RNG.normal(size=(60, columns))
    values = values[:, 0] if kind == "two" else values
    found = Calibration.fitted(Layout(k, kind), values, labels, np.ones(60), method)
    p = found.probabilities(10.0 * values)
    assert p.shape == (60, k)
    assert (p >= 0).all()
    assert (p <= 1).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
