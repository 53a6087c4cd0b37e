"""Comparisons of solvers: what they count, where runs begin, and which names they take."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import SVC, Gram, Smo, certify
from mercer.formulations import svc
from mercer.kernels import Linear
from mercer.lab import Platt, compare, resolve_solver


def rows(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 2)), 1)
    X[: n // 4] = X[n // 4 : 2 * (n // 4)]
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)


def test_comparison_counts_rows_and_steps():
    X, y = rows(80)
    result = compare(
        svc(y, 10.0).problem,
        Gram(Linear(), X),
        [
            Smo(selection="second-order", refine=False),
            Smo(selection="most-violating", refine=False),
        ],
        permutations=3,
    )
    assert "second-order" in str(result)


def test_comparisons_may_begin_with_one_pair_whatever_the_order():
    X, y = rows(60)
    problem, gram = svc(y, 10.0).problem, Gram(Linear(), X)
    pair = int(np.argmax(y)), int(np.argmin(y))
    starts = []

    class Recorded(Smo):
        def solve(self, problem, gram, *, start=None, **limits):
            starts.append((problem, gram, start))
            return super().solve(problem, gram, start=start, **limits)

    compare(problem, gram, {"smo": Recorded()}, permutations=3, first_pair=pair)
    for permuted, own, start in starts:
        moved = np.flatnonzero(start)
        assert len(moved) == 2
        assert sorted(permuted.linear[moved]) == [-1.0, 1.0]
        found = certify(permuted, own, start)
        assert found.objective == pytest.approx(certify(problem, gram, starts[0][2]).objective)
        assert found.objective > 0.0
    for wrong in ((0, 0), (0, 99), pair[::-1]):
        with pytest.raises(ValueError, match="first_pair"):
            compare(problem, gram, ["smo"], permutations=1, first_pair=wrong)


def test_solvers_of_the_literature_have_names_here_and_are_objects_elsewhere():
    X, y = rows()
    assert resolve_solver("platt") == Platt()
    assert resolve_solver("smo") == Smo()
    assert SVC(solver=Platt()).fit(X, y).solver_ == "platt"
    with pytest.raises(ValueError, match=r"got 'platt' \(mercer.lab has solvers"):
        SVC(solver="platt").fit(X, y)
    with pytest.raises(ValueError, match=r"'mdm', .*'smo', .* or a solver object, got 'nothing'"):
        resolve_solver("nothing")
