"""The hyperplane that bisects the segment between nearest points."""

from __future__ import annotations

import numpy as np
import pytest

from formulations.cases import Data, sample, separable, solved
from mercer import formulations as fm

FORMS = {
    "svc": lambda d: fm.svc(d.labels, 0.5, d.weight),
    "nu-svc": lambda d: fm.nu_svc(d.labels, d.nu, d.weight),
    "reduced hulls": lambda d: fm.nearest_points(d.labels, d.mu),
    "soft hulls": lambda d: fm.nearest_points(d.labels, 0.3, soft=True),
}


def nearest(coef: np.ndarray, data: Data, sign: float) -> np.ndarray:
    """The nearest point of a class: the mean of its rows with the sizes of its coefficients."""
    size = np.where(np.sign(coef) == sign, np.abs(coef), 0.0)
    return size @ data.features / size.sum()


@pytest.mark.parametrize("name", FORMS)
def test_it_vanishes_midway_and_has_opposite_values_at_the_ends(name: str) -> None:
    data = sample(3, n=40)
    formulation = FORMS[name](data)
    found = formulation.fitted_parameters(solved(formulation, data), bias="bisecting")
    w = found.coef @ data.features
    ends = [w @ nearest(found.coef, data, sign) + found.intercept for sign in (1.0, -1.0)]
    assert sum(ends) == pytest.approx(0.0, abs=1e-9)
    assert ends[0] > 0


def test_it_is_the_optimal_bias_of_hulls_that_are_not_reduced() -> None:
    data = separable(1, n=30)
    formulation = fm.nearest_points(data.labels)
    solution = solved(formulation, data)
    optimal, bisecting = (
        formulation.fitted_parameters(solution, bias=bias).intercept
        for bias in ("multiplier", "bisecting")
    )
    assert bisecting == pytest.approx(optimal, abs=1e-6)


def test_with_errors_the_two_differ_and_all_else_is_the_same() -> None:
    data = sample(3, n=40)
    formulation = fm.nearest_points(data.labels, data.mu)
    solution = solved(formulation, data)
    one, other = (
        formulation.fitted_parameters(solution),
        formulation.fitted_parameters(solution, bias="bisecting"),
    )
    assert abs(one.intercept - other.intercept) > 1e-3
    np.testing.assert_array_equal(one.coef, other.coef)
    assert (one.rho, one.scale) == (other.rho, other.scale)


def test_what_has_no_nearest_points_is_refused() -> None:
    data = sample()
    for formulation in (fm.one_class(data.n, 0.4), fm.nu_svr(data.targets, 1.0, 0.3)):
        solution = solved(formulation, data)
        with pytest.raises(ValueError, match="'bisecting' for SVC, nu-SVC and nearest points"):
            formulation.fitted_parameters(solution, bias="bisecting")
    formulation = fm.svc(data.labels, 1.0)
    with pytest.raises(ValueError, match="bias must be"):
        formulation.fitted_parameters(solved(formulation, data), bias="kkt")
