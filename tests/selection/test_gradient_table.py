"""The table of criteria, machines and kernels: no cell is empty (studies/gradient_table.py)."""

from __future__ import annotations

import re

import numpy as np
import pytest
from gradient_table import CRITERIA, KERNELS, LABELS, MACHINES, ROWS, STRINGS, cell
from sklearn.gaussian_process.kernels import RBF

from mercer import SVC
from mercer.kernels import Gaussian
from mercer.selection import make_objective
from mercer.selection.objectives import OBJECTIVES


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_cell_has_a_gradient_or_a_value_or_an_error_that_says_what_to_use(
    criterion: str, machine: str
) -> None:
    # one direction through all parameters: the study has each of them
    for seed, kernel in enumerate(KERNELS):
        found = cell(criterion, machine, kernel, seed)
        if found.refused:
            assert re.search(r"needs .* use '\w+'", found.refused), found.refused
            continue
        assert np.isfinite(found.value)
        if found.gradient is not None:
            assert found.error < 1e-5, (kernel, found)


def test_all_criteria_are_in_the_table() -> None:
    assert {name for name, _ in CRITERIA.values()} == set(OBJECTIVES)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_refused_criterion_names_exactly_those_that_are_not(machine: str) -> None:
    estimator, y = MACHINES[machine]
    taken, named = set(), set()
    for name in OBJECTIVES:
        try:
            make_objective(name, estimator, ROWS, y)
        except ValueError as error:
            named.add(frozenset(re.findall(r"'(\w+)'", str(error).partition(": use ")[2])))
        else:
            taken.add(name)
    assert named == {frozenset(taken)}


def test_rows_given_twice_are_in_the_table() -> None:
    assert len(np.unique(ROWS, axis=0)) == len(np.unique(STRINGS)) == len(ROWS) - 2


def test_a_posterior_of_sequences_asks_for_a_prior() -> None:
    machine = SVC(kernel=KERNELS["oligo"])
    with pytest.raises(ValueError, match=r"posterior' needs rows of numbers.*give prior="):
        make_objective("posterior", machine, STRINGS, LABELS)


def test_the_prior_of_a_width_does_not_depend_on_how_the_kernel_writes_it() -> None:
    length = 1.7
    made = [
        make_objective("posterior", SVC(kernel=kernel, tol=1e-10), ROWS, LABELS, cv=2)
        for kernel in (RBF(length), Gaussian(0.5 / length**2))
    ]
    one, other = (objective(objective.space.start) for objective in made)
    assert one[0] == pytest.approx(other[0], rel=1e-8)
    # log gamma = const - 2 log length
    assert one[1][1] == pytest.approx(-2.0 * other[1][1], rel=1e-6)
