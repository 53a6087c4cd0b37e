"""Every convergent working-set and step policy, next to LIBSVM."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn.svm
from libsvm_points import libsvm_point
from test_libsvm import TOLERANCE, Setting, data, name_of, settings

from mercer import Gram, Smo, certify, solve
from mercer.kernels import Gaussian
from policies import POLICIES

GAMMA = {"crowded": 0.5, "digits": 0.02, "cancer": 0.05}


@pytest.mark.parametrize("setting", settings((1.0,)), ids=name_of)
@pytest.mark.parametrize("name", GAMMA)
def test_no_policy_is_worse(name: str, setting: Setting) -> None:
    """Pair steps alone: the value is LIBSVM's or better, the values of all policies agree.

    Each set takes a third of the policies, so that each policy meets every setting once.
    """
    rows, gamma = data(name), GAMMA[name]
    y = setting.targets(rows)
    theirs: Any = setting.fit(sklearn.svm, rows.X, y, gamma=gamma, max_iter=100_000)
    problem = setting.formulate(y).problem
    gram = Gram(Gaussian(gamma), rows.X, precision="double", n_threads=1)
    point = certify(problem, gram, libsvm_point(theirs, problem, len(y)))
    best = solve(problem, gram, Smo(), tol=1e-9)
    reach = np.abs(best.coef).sum() ** 2
    unit = max(abs(best.objective), 0.0 if problem.linear.any() else 1e-6 * reach)
    for selection, step in POLICIES[list(GAMMA).index(name) :: len(GAMMA)]:
        solver = Smo(selection=selection, step=step, refine=False)
        found = solve(problem, gram, solver, tol=TOLERANCE)
        assert (found.status, selection, step) == ("converged", selection, step)
        assert found.objective >= point.objective - TOLERANCE * unit, (selection, step)
        assert abs(found.objective - best.objective) <= TOLERANCE * unit, (selection, step)
