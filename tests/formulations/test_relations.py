"""Machines that must coincide, bound or follow one another (Lopez Lazaro 2011, section 5.1.2)."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formulations.cases import (
    ALL,
    SQUARED_TUBE,
    Data,
    decision,
    machine,
    optimum,
    sample,
    separable,
    solved,
)
from mercer import formulations as fm
from mercer.problem import certify
from reference import DenseGram, smo

DATA = sample(7, n=24)
SEPARABLE = separable(7)


@pytest.mark.parametrize("name", sorted(ALL))
def test_random_feasible_starts_reach_the_same_optimum(name: str) -> None:
    """Property 10."""
    data = separable(1) if name in ("nearest", "norm") else DATA
    problem = ALL[name](data).problem
    rng = np.random.default_rng(0)
    elsewhere = smo(problem, data.K @ data.K + np.diag(rng.uniform(1, 9, data.n)), max_iter=30).coef
    here = smo(problem, data.K, start=list(elsewhere), tol=1e-8).coef
    value = certify(problem, data.gram, here).objective
    assert value == pytest.approx(optimum(ALL[name](data), data), rel=1e-8)


@pytest.mark.parametrize("name", ["svr", "svr-squared", "nu-svr-squared"])
def test_variables_above_and_below_the_tube_exclude_each_other(name: str) -> None:
    """Property 13, though every row starts with both."""
    problem = ALL[name](DATA).problem
    each = problem.group_sum[0] / DATA.n if name.startswith("nu") else 0.1
    point = smo(problem, DATA.K, start=list(np.repeat([each, -each], DATA.n)))
    coef = np.array(point.coef)
    assert np.abs(coef[: DATA.n] * coef[DATA.n :]).max() == 0


def test_squared_hinge_is_the_hard_margin_of_a_ridged_kernel() -> None:
    """Property 15."""
    squared = fm.svc(DATA.labels, 0.7, loss="squared_hinge")
    hard = fm.svc(DATA.labels, np.inf)
    ridged = DATA.K + np.eye(DATA.n) / 0.7
    coef = smo(hard.problem, ridged).coef
    assert coef == pytest.approx(solved(squared, DATA).coef, abs=1e-8)
    certificate = certify(hard.problem, DenseGram(ridged), coef)
    assert certificate.objective == pytest.approx(optimum(squared, DATA), rel=1e-8)
    assert certificate.gap == pytest.approx(0.0, abs=1e-7)


def test_nearest_points_of_hulls_are_the_hard_margin() -> None:
    """Property 16: w_svm = 2 w / |w|^2."""
    hulls = machine(fm.nearest_points(SEPARABLE.labels), SEPARABLE)
    hard = machine(fm.svc(SEPARABLE.labels, np.inf), SEPARABLE)
    scale = 2 / hulls.norm_squared
    assert scale * hulls.coef @ SEPARABLE.features == pytest.approx(
        hard.coef @ SEPARABLE.features, abs=1e-6
    )
    assert scale * hulls.intercept == pytest.approx(hard.intercept, abs=1e-6)
    assert 1 / hulls.rho == pytest.approx(scale)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_soft_margins_tend_to_the_hard_margin(loss: str) -> None:
    limit = optimum(fm.svc(SEPARABLE.labels, np.inf), SEPARABLE)
    values = [optimum(fm.svc(SEPARABLE.labels, C, loss=loss), SEPARABLE) for C in (1, 1e2, 1e5)]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(limit, rel=1e-3)


@pytest.mark.parametrize("intercept", [True, False])
def test_least_squares_is_its_linear_system(intercept: bool) -> None:
    """Property 17."""
    data = sample(8, weights=(1, 2, 3))
    read = machine(fm.least_squares(data.targets, 0.5, data.weight, fit_intercept=intercept), data)
    border = np.ones((data.n, 1)) if intercept else np.zeros((data.n, 0))
    corner = np.zeros((border.shape[1],) * 2)
    system = np.block([[data.K + np.diag(0.5 / data.weight), border], [border.T, corner]])
    exact = np.linalg.solve(system, np.r_[data.targets, np.zeros(len(corner))])
    assert read.coef == pytest.approx(exact[: data.n], abs=1e-7)
    assert read.intercept == pytest.approx(exact[data.n :].sum(), abs=1e-7)


def test_least_squares_on_labels_by_both_routes() -> None:
    """Property 17: as regression on labels, and as a classifier whose surplus costs as much."""
    regression = solved(fm.least_squares(DATA.labels, 0.5), DATA)
    classifier = solved(fm.one_sided_huber(DATA.labels, 2.0, np.inf), DATA)
    np.testing.assert_array_equal(regression.coef, classifier.coef)


def test_regression_without_a_tube() -> None:
    """Property 18."""
    t = DATA.targets
    squared = fm.svr(t, 2.0, 0.0, loss=SQUARED_TUBE)
    assert optimum(squared, DATA) == pytest.approx(
        optimum(fm.least_squares(t, 0.5), DATA), rel=1e-8
    )
    absolute = optimum(fm.absolute(t, 0.8), DATA)
    assert optimum(fm.svr(t, 0.8, 0.0), DATA) == pytest.approx(absolute, rel=1e-8)
    assert optimum(fm.quantile(t, 1.6, 0.5), DATA) == pytest.approx(absolute, rel=1e-8)


def test_huber_lies_between_absolute_and_least_squares() -> None:
    t = DATA.targets
    wide, narrow = fm.huber(t, 2.0, np.inf), fm.huber(t, 0.8 / 1e-7, 1e-7)
    assert optimum(wide, DATA) == pytest.approx(optimum(fm.least_squares(t, 0.5), DATA), rel=1e-8)
    assert optimum(narrow, DATA) == pytest.approx(optimum(fm.absolute(t, 0.8), DATA), rel=1e-5)


def test_hulls_reduced_by_one_or_more_are_convex_hulls() -> None:
    """Property 22."""
    whole = fm.nearest_points(DATA.labels).problem
    for mu in (1.0, 2.0, np.inf):
        np.testing.assert_array_equal(fm.nearest_points(DATA.labels, mu).problem.upper, whole.upper)


def test_most_reduced_hulls_are_the_barycentres() -> None:
    """Property 22: optimal without a step."""
    labels = np.repeat([1.0, -1.0], 7)
    formulation = fm.nearest_points(labels, 1 / 7)
    data = Data(DATA.features[:14], labels, DATA.targets[:14], np.ones(14))
    point = smo(formulation.problem, data.K, tol=1e-12)
    assert not point.pairs
    certificate = certify(formulation.problem, data.gram, point.coef)
    assert certificate.gap == pytest.approx(0.0, abs=1e-12)
    means = data.features[:7].mean(0) - data.features[7:].mean(0)
    assert formulation.fitted_parameters(certificate, point.coef).norm_squared == pytest.approx(
        means @ means
    )


def test_hull_distance_shrinks_as_hulls_grow() -> None:
    """Property 23."""
    smaller = min((DATA.labels > 0).sum(), (DATA.labels < 0).sum())
    mus = np.geomspace(1 / smaller, 1.0, 8)
    distance = [-optimum(fm.nearest_points(DATA.labels, mu), DATA) for mu in mus]
    assert np.diff(distance).max() <= 1e-9


@given(seed=st.integers(0, 1000), nu=st.floats(0.05, 1.0), weighted=st.booleans())
@settings(deadline=None, max_examples=15)
def test_nu_bounds_fractions(seed: int, nu: float, weighted: bool) -> None:
    """Property 26: bounded <= nu <= support vectors, as shares of the weight."""
    data = sample(seed, n=12, weights=(1, 2) if weighted else (1,))
    total = data.weight.sum()
    cases = [
        (fm.one_class(data.n, nu, data.weight), nu, 1.0),
        (fm.nu_svc(data.labels, nu * data.nu, data.weight), nu * data.nu, 1.0),
        (fm.nu_svr(data.targets, 0.5, nu, data.weight), nu, 0.5),
    ]
    for formulation, share, size in cases:
        coef = np.abs(smo(formulation.problem, data.K, tol=1e-6).coef)
        rows = data.weight[formulation.problem.index]
        assert rows[coef > 0].sum() / total >= share - 1e-9
        assert rows[coef == size * rows].sum() / total <= share + 1e-9


def test_nu_has_no_effect_on_the_squared_hinge() -> None:
    """Property 27: the coefficients are proportional to nu, the machine is svc at C = 1/W."""
    data = sample(7, weights=(1, 2))
    with pytest.warns(UserWarning, match="nu has no effect"):
        one = fm.nu_svc(data.labels, 0.1, data.weight, loss="squared_hinge")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        other = fm.nu_svc(data.labels, 0.9, data.weight, loss="squared_hinge")
    assert solved(one, data).coef / 0.1 == pytest.approx(solved(other, data).coef / 0.9, abs=1e-7)
    C = 1 / data.weight.sum()
    svc = machine(fm.svc(data.labels, C, data.weight, loss="squared_hinge"), data)
    assert machine(one, data).coef == pytest.approx(svc.coef, abs=1e-7)
    assert machine(one, data).intercept == pytest.approx(svc.intercept, abs=1e-7)


@pytest.mark.parametrize("nu", [0.02, 0.2, 0.5, 1.5])
def test_squared_nu_svr_never_ends_with_a_negative_tube(nu: float) -> None:
    """Beyond the mean residual it is least squares (docs/theory/problem.md#a-negative-tube)."""
    data = sample(7, weights=(0, 1, 2))
    C, t, w = 1.0, data.targets, data.weight
    formulation = fm.nu_svr(t, C, nu, w, loss=SQUARED_TUBE)
    read = machine(formulation, data)
    least_squares = machine(fm.least_squares(t, 1 / C, w), data)
    limit = fm.nu_from_C(least_squares.coef, C, w.sum())
    other = formulation.correction(read)
    assert (other is not None) == (nu > limit)
    if other is None:
        assert read.epsilon >= 0
        fixed = machine(fm.svr(t, C, read.epsilon, w, loss=SQUARED_TUBE), data)
        assert decision(read, data) == pytest.approx(decision(fixed, data), abs=1e-6)
    else:
        again = machine(other, data)
        assert again.epsilon == 0
        assert other.correction(again) is None
        assert decision(again, data) == pytest.approx(decision(least_squares, data), abs=1e-7)


@given(seed=st.integers(0, 1000), tau=st.floats(0.05, 0.95))
@settings(deadline=None, max_examples=15)
def test_quantile_splits_the_targets(seed: int, tau: float) -> None:
    """Property 29."""
    data = sample(seed, n=16)
    fit = decision(machine(fm.quantile(data.targets, 0.7, tau), data), data)
    below = (data.targets < fit - 1e-7).sum()
    not_above = (data.targets <= fit + 1e-7).sum()
    assert below <= tau * data.n + 1e-9
    assert not_above >= tau * data.n - 1e-9


def test_optimum_grows_from_squared_hinge_to_least_squares() -> None:
    """Property 30, in the sign of a maximum: a wider box can only gain."""
    slopes = (0.0, 0.05, 0.2, 1.0, np.inf)
    values = [optimum(fm.one_sided_huber(DATA.labels, 2.0, slope), DATA) for slope in slopes]
    assert np.diff(values).min() >= -1e-9
    squared = fm.svc(DATA.labels, 2.0, loss="squared_hinge")
    assert values[0] == pytest.approx(optimum(squared, DATA), rel=1e-8)
    assert values[-1] == pytest.approx(optimum(fm.least_squares(DATA.labels, 0.5), DATA), rel=1e-8)


def test_contradictory_duplicates_end_at_the_bound() -> None:
    """Property 34."""
    features = np.repeat(DATA.features[:5], 2, axis=0)
    data = Data(features, np.tile([1.0, -1.0], 5), np.zeros(10), np.ones(10))
    solution = solved(fm.svc(data.labels, 1.7), data)
    np.testing.assert_array_equal(np.abs(solution.coef), 1.7)
    assert solution.gap == pytest.approx(0.0, abs=1e-9)
