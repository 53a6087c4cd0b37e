"""Every formulation has the optimum of its textbook primal, and a certificate that says so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from formulations.cases import ALL, Data, optimum, sample, separable, solved
from mercer import formulations as fm
from reference import as_solution, minimize_qp, smo

DATA = sample(3, weights=(0, 1, 2))


@dataclass
class Primal:
    """min 1/2|w|^2 + r rho - least'tau + u'|xi|^p/p, t (f + s b) = q + tau - xi - z rho.

    The general primal of Lopez Lazaro 2011, equation 5.62, with one u and one least (its l) per
    variable.
    """

    t: NDArray[np.float64]
    q: NDArray[np.float64]
    u: NDArray[np.float64]
    p: int = 1
    s: int = 1
    z: int = 0
    r: float = 0.0
    least: float | NDArray[np.float64] = 0.0

    def optimum(self, features: NDArray[np.float64]) -> float:
        d, m = features.shape[1], len(self.t)
        least = np.broadcast_to(self.least, (m,))
        # w, b, rho, xi, tau
        P = np.diag(np.r_[np.ones(d), 0, 0, self.u * (self.p == 2), np.zeros(m)])
        cost = np.r_[
            np.zeros(d + 1), self.r, self.u * (self.p == 1), np.where(np.isinf(least), 0, -least)
        ]
        rows = np.tile(features, (m // len(features), 1)) * self.t[:, None]
        ones, eye, zero = np.ones((m, 1)), np.eye(m), np.zeros((m, m))
        equal = np.hstack([rows, self.s * self.t[:, None], self.z * ones, eye, -eye])
        pin = np.zeros((2, d + 2 + 2 * m))
        pin[0, d], pin[1, d + 1] = self.s == 0, self.z == 0
        tau = np.hstack([np.zeros((m, d + 2)), zero, -eye])
        xi = np.hstack([np.zeros((m, d + 2)), -eye, zero]) if self.p == 1 else tau[:0]
        A = np.vstack([equal, pin, tau[np.isinf(least)], tau[np.isfinite(least)], xi])
        b = np.r_[self.q, np.zeros(len(A) - m)]
        x = minimize_qp(P, cost, A, b, n_equal=m + 2 + np.isinf(least).sum())
        return float(x @ P @ x / 2 + cost @ x)


def twice(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.tile(values, 2)


def textbook(name: str, d: Data) -> Primal:
    """The row of Lopez Lazaro 2011, table 5.6, in LIBSVM's scale, for the parameters of cases."""
    y, t, w, W = d.labels, d.targets, d.weight, d.weight.sum()
    one, nil, sign = np.ones(d.n), np.zeros(d.n), np.repeat([1.0, -1.0], d.n)
    tube, nu_tube = np.r_[t - 0.2, -t - 0.2], np.r_[t, -t]
    return {
        "svc": Primal(y, one, 0.7 * w),
        "svc-squared": Primal(y, one, 0.7 * w, p=2),
        "svc-no-bias": Primal(y, one, 0.7 * w, s=0),
        "nu-svc": Primal(y, nil, w, z=-1, r=-d.nu * W),
        "nu-svc-squared": Primal(y, nil, w / W, p=2, z=-1, r=-0.3 * W),
        "one-sided-huber": Primal(y, one, 2.0 * w, p=2, least=-0.4 * w),
        "pinball": Primal(y, one, 0.7 * w, least=-0.21 * w),
        "huber-below": Primal(one, t, 0.9 * w, p=2, least=-0.27 * w),
        "one-class": Primal(one, nil, w, s=0, z=-1, r=-0.4 * W),
        "one-class-squared": Primal(one, nil, w / (0.4 * W), p=2, s=0, z=-1, r=-0.4 * W),
        "svr": Primal(sign, tube, twice(0.6 * w)),
        "svr-squared": Primal(sign, tube, twice(0.6 * w), p=2),
        "svr-no-bias": Primal(sign, tube, twice(0.6 * w), s=0),
        "nu-svr": Primal(sign, nu_tube, twice(0.6 * w), z=1, r=0.6 * 0.4 * W),
        "nu-svr-squared": Primal(sign, nu_tube, twice(0.6 * w), p=2, z=1, r=0.6 * 0.2 * W),
        "quantile": Primal(one, t, 0.27 * w, least=-0.63 * w),
        "absolute": Primal(one, t, 0.9 * w, least=-0.9 * w),
        "least-squares": Primal(one, t, w / 0.5, p=2, least=-np.inf),
        "least-squares-no-bias": Primal(one, t, w / 0.5, p=2, s=0, least=-np.inf),
        "nearest-reduced": Primal(y, nil, d.mu * one, z=1, r=2.0),
        "nearest": Primal(y, nil, one, z=1, r=2.0),
        "nearest-soft": Primal(y, nil, 0.3 * one, p=2, z=1, r=2.0),
        "norm-reduced": Primal(one, nil, 0.2 * one, s=0, z=-1, r=-1.0),
        "norm": Primal(one, nil, one, s=0, z=-1, r=-1.0),
    }[name]


@pytest.mark.parametrize("name", sorted(set(ALL) - {"huber", "ball"}))
def test_dual_optimum_is_primal_optimum(name: str) -> None:
    data = separable(1) if name in ("nearest", "norm") else DATA
    dual, primal = optimum(ALL[name](data), data), textbook(name, data).optimum(data.features)
    assert dual == pytest.approx(primal, rel=1e-8, abs=1e-9)


def test_huber_is_the_infimal_convolution_of_square_and_absolute_value() -> None:
    d, m, C, delta = DATA.features.shape[1], DATA.n, 0.9, 0.3
    # y - f - b = square part + positive part - negative part
    P = np.diag(np.r_[np.ones(d), 0, C * DATA.weight, np.zeros(2 * m)])
    cost = np.r_[np.zeros(d + 1 + m), np.tile(C * delta * DATA.weight, 2)]
    eye, nil = np.eye(m), np.zeros((2 * m, d + 1 + m))
    equal = np.hstack([DATA.features, np.ones((m, 1)), eye, eye, -eye])
    A = np.vstack([equal, np.hstack([nil, -np.eye(2 * m)])])
    x = minimize_qp(P, cost, A, np.r_[DATA.targets, np.zeros(2 * m)], n_equal=m)
    primal = x @ P @ x / 2 + cost @ x
    assert optimum(ALL["huber"](DATA), DATA) == pytest.approx(primal, rel=1e-8)


def test_enclosing_ball_encloses_and_cannot_shrink() -> None:
    solution = solved(ALL["ball"](DATA), DATA)
    ball = ALL["ball"](DATA).fitted_parameters(solution)
    centre = ball.coef @ DATA.features
    distance = np.linalg.norm(DATA.features - centre, axis=1)
    assert distance.max() == pytest.approx(ball.radius, rel=1e-6)
    assert 2 * solution.objective == pytest.approx(ball.radius**2, rel=1e-6)
    assert 2 * solution.primal == pytest.approx(ball.radius**2, rel=1e-6)
    # the centre is a mixture of the rows on the sphere
    assert distance[ball.coef > 1e-6] == pytest.approx(ball.radius, rel=1e-6)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", sorted(ALL))
def test_smo_meets_interior_point_optimum_with_a_zero_gap(name: str, order: int) -> None:
    data = separable(1) if name in ("nearest", "norm") else DATA
    formulation = ALL[name](data)
    point = smo(formulation.problem, data.K, tol=1e-7, order=order, max_iter=20_000)
    solution = as_solution(formulation.problem, data.gram, point.coef)
    assert solution.objective == pytest.approx(optimum(formulation, data), rel=1e-8, abs=1e-9)
    assert solution.violation <= 1.1e-7
    assert solution.infeasibility <= 1e-12
    assert 0 <= solution.gap <= 1e-5
    assert solution.primal - solution.objective == pytest.approx(solution.gap, abs=1e-12)


@pytest.mark.parametrize("name", sorted(ALL))
@given(seed=st.integers(0, 10_000), steps=st.integers(0, 12))
@settings(deadline=None, max_examples=6)
def test_gap_bounds_the_distance_to_the_optimum_on_the_way(
    name: str, seed: int, steps: int
) -> None:
    data = sample(seed, n=10, weights=(0, 1, 2))
    formulation = ALL[name](data)
    point = smo(formulation.problem, data.K, max_iter=steps)
    solution = as_solution(formulation.problem, data.gram, point.coef)
    assert solution.gap >= optimum(formulation, data) - solution.objective - 1e-8


@pytest.mark.parametrize("intercept", [True, False, "penalized"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_hard_margin_certificate_finds_a_primal_point(loss: str, intercept: bool | str) -> None:
    data = separable(2)
    formulation = fm.svc(data.labels, np.inf, loss=loss, fit_intercept=intercept)
    loose = smo(formulation.problem, data.K, tol=1e-2)
    tight = smo(formulation.problem, data.K, tol=1e-9)
    best = as_solution(formulation.problem, data.gram, tight.coef)
    rough = as_solution(formulation.problem, data.gram, loose.coef)
    assert rough.gap >= best.objective - rough.objective
    assert rough.gap <= 0.2 * best.objective
    assert best.gap <= 1e-6


@pytest.mark.parametrize("C", [1e4, 1e9])
def test_gap_is_not_spoiled_by_a_box_far_beyond_the_coefficients(C: float) -> None:
    """A slope of 1e-3 times a bound of 1e9 used to make the gap as large as the objective."""
    data = separable(2)
    formulation = fm.svc(data.labels, C)
    point = smo(formulation.problem, data.K, tol=1e-3)
    solution = as_solution(formulation.problem, data.gram, point.coef)
    best = optimum(fm.svc(data.labels, np.inf), data)
    assert best - solution.objective <= solution.gap <= 1e-2 * best


def test_hard_margin_of_inseparable_data_has_an_infinite_gap() -> None:
    data = sample(0, n=30, noise=3.0)
    formulation = fm.svc(data.labels, np.inf)
    point = smo(formulation.problem, data.K, max_iter=50)
    solution = as_solution(formulation.problem, data.gram, point.coef)
    assert solution.gap == np.inf
    assert solution.primal == np.inf
    assert solution.relative_gap == np.inf
