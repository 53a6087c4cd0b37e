"""Parameters of one machine from the solution of another (Lopez Lazaro 2011, section 5.1.2)."""

from __future__ import annotations

import numpy as np
import pytest

from formulations.cases import Data, decision, machine, optimum, sample
from mercer import formulations as fm

DATA = sample(6, n=24)


def same_machine(one: fm.FittedParameters, other: fm.FittedParameters, data: Data = DATA) -> None:
    assert decision(other, data) == pytest.approx(decision(one, data), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("n", [1, 7, 1000])
def test_scalar_conversions_are_inverse(n: int) -> None:
    assert fm.lambda_from_C(fm.C_from_lambda(0.3, n), n) == pytest.approx(0.3)
    assert fm.C_from_alpha(fm.alpha_from_C(0.3)) == pytest.approx(0.3)
    assert fm.lambda_from_alpha(fm.alpha_from_lambda(0.3, n), n) == pytest.approx(0.3)
    assert fm.nu_from_mu(fm.mu_from_nu(0.3, n), n) == pytest.approx(0.3)
    assert fm.one_class_from_mu(fm.mu_from_one_class(0.3, n), n) == pytest.approx(0.3)


def test_lambda_form_is_the_C_form_divided_by_C_n() -> None:
    """(1/n) sum loss + lambda |w|^2 = (1/2 |w|^2 + C sum loss) / (C n)."""
    C, n, loss, norm = fm.C_from_lambda(0.05, 8), 8, 3.0, 2.0
    assert loss / n + 0.05 * norm == pytest.approx((norm / 2 + C * loss) / (C * n))


@pytest.mark.parametrize("C", [0.05, 0.5, 3.0])
def test_round_trip_svc_to_nu_svc_to_hulls(C: float) -> None:
    """Property 19: the same machine at every station, and back at the same C."""
    y, n = DATA.labels, DATA.n
    svc = machine(fm.svc(y, C), DATA)
    nu = fm.nu_from_C(svc.coef, C, n)
    nu_svc = machine(fm.nu_svc(y, nu), DATA)
    same_machine(svc, nu_svc)
    assert nu_svc.coef == pytest.approx(svc.coef, abs=1e-6)
    assert fm.C_from_nu_svc(nu_svc) == pytest.approx(C, rel=1e-6)
    mu = fm.mu_from_svc(svc.coef, C)
    assert mu == pytest.approx(fm.mu_from_nu(nu, n))
    hulls = machine(fm.nearest_points(y, mu), DATA)
    assert hulls.coef[y > 0].sum() == pytest.approx(1.0)
    assert hulls.coef[y < 0].sum() == pytest.approx(-1.0)
    assert fm.C_from_hulls(hulls, mu) == pytest.approx(C, rel=1e-6)
    assert decision(hulls, DATA) / hulls.rho == pytest.approx(decision(svc, DATA), abs=1e-5)


def test_weighted_svc_to_nu_svc() -> None:
    data = sample(6, n=24, weights=(0, 1, 3))
    svc = machine(fm.svc(data.labels, 0.5, data.weight), data)
    nu = fm.nu_from_C(svc.coef, 0.5, data.weight.sum())
    nu_svc = machine(fm.nu_svc(data.labels, nu, data.weight), data)
    same_machine(svc, nu_svc, data)
    assert fm.C_from_nu_svc(nu_svc) == pytest.approx(0.5, rel=1e-6)


def test_svr_to_nu_svr() -> None:
    svr = machine(fm.svr(DATA.targets, 0.8, 0.25), DATA)
    nu = fm.nu_from_C(svr.coef, 0.8, DATA.n)
    nu_svr = machine(fm.nu_svr(DATA.targets, 0.8, nu), DATA)
    same_machine(svr, nu_svr)
    assert nu_svr.epsilon == pytest.approx(0.25, rel=1e-5)


def test_one_class_is_minimum_norm() -> None:
    """Property 26: equal up to the scale nu n of the coefficients."""
    one = machine(fm.one_class(DATA.n, 0.4), DATA)
    mu = fm.mu_from_one_class(0.4, DATA.n)
    other = machine(fm.minimum_norm(DATA.n, mu), DATA)
    scale = 0.4 * DATA.n
    assert one.rho == pytest.approx(scale * other.rho)
    same_machine(one, fm.FittedParameters(scale * other.coef, scale * other.intercept, 0.0))


def test_soft_hulls_are_squared_svc_at_the_same_C() -> None:
    hulls = machine(fm.nearest_points(DATA.labels, 0.3, soft=True), DATA)
    svc = machine(fm.svc(DATA.labels, 0.3, loss="squared_hinge"), DATA)
    assert hulls.coef / hulls.rho == pytest.approx(svc.coef, abs=1e-6)
    assert hulls.intercept / hulls.rho == pytest.approx(svc.intercept, abs=1e-6)


def test_alpha_is_the_reciprocal_of_C() -> None:
    C = fm.C_from_alpha(0.4)
    squared_tube = fm.svr(DATA.targets, C, 0.0, loss="squared_epsilon_insensitive")
    least_squares = fm.least_squares(DATA.targets, 0.4)
    assert optimum(squared_tube, DATA) == pytest.approx(optimum(least_squares, DATA), rel=1e-8)


def test_conversion_needs_a_margin() -> None:
    flat = fm.FittedParameters(np.zeros(2), 0.0, 0.0, rho=0.0)
    with pytest.raises(ValueError, match="margin rho"):
        fm.C_from_nu_svc(flat)
    with pytest.raises(ValueError, match="C must lie"):
        fm.alpha_from_C(0.0)
