"""MDM and SMO are one algorithm: in exact rational arithmetic, step for step."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hull.hull_reference import MdmRun, mdm
from mercer import Gram, solve
from mercer import formulations as fm
from mercer.kernels import Linear
from mercer.lab import Mdm
from mercer.solvers import Smo
from reference import Point, smo

SEEDS = range(8)


def integers(seed: int) -> tuple[Any, list[int]]:
    """A kernel matrix of integers with ties and repeated rows, and labels."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 11))
    X = rng.integers(-3, 4, (n, 3))
    y = [1, -1] * (n // 2) + [1] * (n % 2)
    X[:, 0] += 3 * np.array(y)
    K = [[Fraction(int(v)) for v in row] for row in X @ X.T]
    return K, y


def hull_problem(y: list[int], mu: Fraction) -> Any:
    """Nearest points in rational numbers: the fields of a Problem."""
    n = len(y)
    return SimpleNamespace(
        linear=[Fraction(0)] * n,
        lower=[Fraction(0) if c > 0 else -mu for c in y],
        upper=[mu if c > 0 else Fraction(0) for c in y],
        index=list(range(n)),
        ridge=[Fraction(0)] * n,
        group=[0 if c > 0 else 1 for c in y],
        group_sum=[Fraction(1), Fraction(-1)],
    )


def barycentres(y: list[int]) -> list[Fraction]:
    return [Fraction(1, y.count(c)) for c in y]


def exact_smo(problem: Any, K: Any, start: list[Fraction], steps: int) -> Point:
    return smo(problem, K, order=1, tol=0, max_iter=steps, start=start, number=Fraction)


def as_smo_pairs(run: MdmRun, y: list[int]) -> list[tuple[int, int]]:
    """In the negative class a coefficient that MDM raises is a signed one that falls."""
    return [(up, down) if y[up] > 0 else (down, up) for up, down in run.pairs]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("share", [Fraction(1), Fraction(2, 5), Fraction(1, 3)])
def test_mdm_takes_the_steps_of_smo(seed: int, share: Fraction) -> None:
    K, y = integers(seed)
    mu = max(share, Fraction(1, y.count(-1)))
    start = barycentres(y)
    run = mdm(K, y, mu, start, max_iter=30)
    signed = [c * a for c, a in zip(y, start, strict=True)]
    point = exact_smo(hull_problem(y, mu), K, signed, 30)
    assert point.pairs == as_smo_pairs(run, y)
    assert list(point.coef) == [c * a for c, a in zip(y, run.coef, strict=True)]


@pytest.mark.parametrize("seed", SEEDS)
def test_smo_of_nu_svc_is_mdm_in_another_unit(seed: int) -> None:
    """Coefficients nu n / 2 times as large (LIBSVM's scale), mu = 2 / (nu n)."""
    K, y = integers(seed)
    n, nu = len(y), Fraction(2 * y.count(-1) * 3, len(y) * 4)
    unit = nu * n / 2
    mu = 1 / unit
    start = barycentres(y)
    run = mdm(K, y, mu, start, max_iter=25)
    problem = hull_problem(y, Fraction(1))
    problem.group_sum = [unit, -unit]
    point = exact_smo(problem, K, [c * a * unit for c, a in zip(y, start, strict=True)], 25)
    assert point.pairs == as_smo_pairs(run, y)
    assert list(point.coef) == [c * a * unit for c, a in zip(y, run.coef, strict=True)]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_pair_moves_as_far_in_svc_and_in_reduced_hulls(seed: int) -> None:
    """Property 21: with equal coefficients of sum 2, C = mu and a pair of one class."""
    K, y = integers(seed)
    mu = Fraction(1, 2)
    start = barycentres(y)
    run = mdm(K, y, mu, start, max_iter=1)
    if not run.pairs:
        return
    up, down = as_smo_pairs(run, y)[0]
    signed = [c * a for c, a in zip(y, start, strict=True)]
    # the gradient of svc is that of the hulls plus y, the same within a class
    gradient = [c - sum(K[i][j] * signed[j] for j in range(len(y))) for i, c in enumerate(y)]
    slope = gradient[up] - gradient[down]
    curvature = K[up][up] + K[down][down] - 2 * K[up][down]
    rooms = [
        (mu if y[up] > 0 else 0) - signed[up],
        signed[down] - (0 if y[down] > 0 else -mu),
    ]
    step = min([slope / curvature, *rooms] if curvature > 0 else rooms)
    assert step == run.steps[0]


@pytest.mark.parametrize("mu", [1.0, 0.3])
def test_the_compiled_mdm_begins_as_the_printed_one(mu: float) -> None:
    """Up to the first tie, which rounding breaks."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 4)), np.resize([1, -1], 30)
    X[:, 0] += 2.0 * y
    formulation = fm.nearest_points(y.astype(float), mu)
    solution = solve(formulation.problem, Gram(Linear(), X), Mdm(trace=True), max_iter=8, tol=1e-12)
    points = solution.trace["points"][:8]
    printed = mdm((X @ X.T).tolist(), list(y), mu, [1 / 15] * 30, max_iter=8)
    assert [(p["up"], p["down"]) for p in points] == as_smo_pairs(printed, list(y))
    np.testing.assert_allclose([p["length"] for p in points], printed.steps, rtol=1e-9)


def test_mdm_is_smo_by_the_most_violating_pair() -> None:
    """The same bits, from the same start."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(40, 3)), np.resize([1.0, -1.0], 40)
    problem, gram = fm.nearest_points(y, 0.2).problem, Gram(Linear(), X)
    first = solve(problem, gram, Mdm(begin="barycentres"), tol=1e-6)
    smo_object = Smo(selection="most-violating", step="newton", shrinking=False, refine=False)
    second = solve(problem, gram, smo_object, start=y / 20, tol=1e-6)
    np.testing.assert_array_equal(first.coef, second.coef)
    assert (first.solver, first.n_iter) == ("mdm", second.n_iter)
