"""A family of problems is what its formulation makes for each parameter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mercer import formulations
from mercer.formulations import Formulation
from mercer.problem import Problem
from mercer.problem.family import Family, Powers

RNG = np.random.default_rng(0)
SIGN = np.where(np.arange(12) % 3 == 0, 1.0, -1.0)
TARGET, WEIGHT = RNG.normal(size=12), RNG.uniform(0.2, 2.0, 12)
OF_NU = Powers(box=0.0, ridge=0.0)
FAMILIES: dict[str, tuple[Callable[[float], Formulation], Powers]] = {
    "hinge": (lambda C: formulations.svc(SIGN, C, WEIGHT), Powers()),
    "squared hinge": (
        lambda C: formulations.svc(SIGN, C, WEIGHT, loss="squared_hinge"),
        Powers(),
    ),
    "svr": (lambda C: formulations.svr(TARGET, C, 0.1, WEIGHT), Powers()),
    "quantile": (lambda C: formulations.quantile(TARGET, C, 0.3, WEIGHT), Powers()),
    "nu-svr": (lambda C: formulations.nu_svr(TARGET, C, 0.3, WEIGHT), Powers()),
    "nu-svc": (lambda C: formulations.nu_svc(SIGN, 0.1 * C, WEIGHT), OF_NU),
    "one class": (lambda C: formulations.one_class(12, 0.1 * C, WEIGHT), OF_NU),
    "squared one class": (
        lambda C: formulations.one_class(12, 0.1 * C, WEIGHT, squared=True),
        Powers(box=0.0, ridge=1.0),
    ),
    "least squares": (lambda C: formulations.least_squares(TARGET, 1.0 / C, WEIGHT), Powers()),
}


def same(a: Problem, b: Problem) -> None:
    for name in ("linear", "lower", "upper", "ridge", "group_sum"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-14, err_msg=name)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("C", [0.3, 1.0, 3.7])
def test_the_problem_at_another_parameter_is_the_formulation_there(name: str, C: float) -> None:
    make, powers = FAMILIES[name]
    family = Family(make(1.0).problem, powers)
    same(family.at(C), make(C).problem)
    same(family.at_inverse(1.0 / C), make(C).problem)


def test_a_problem_that_was_looked_at_moves_all_the_same() -> None:
    unit = formulations.svc(SIGN, 1.0, WEIGHT).problem
    assert unit.linear_size == 1.0
    moved = Family.line(unit, offset=3.0 * unit.linear).at(1.0)
    assert moved.linear_size == 4.0
    assert Family(unit).at(2.0)._native is not unit._native


def test_factors_of_many_parameters_are_those_of_each() -> None:
    many = np.array([0.1, 1.0, 30.0])
    for factor, power in zip(Powers().at(many), (1.0, 1.0, -1.0), strict=True):
        np.testing.assert_allclose(factor, many**power, rtol=1e-15)
