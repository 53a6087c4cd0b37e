"""What does not fit is refused with the number and with what would."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import LSSVC, LSSVR, RLSC, Gram, LowRank, ReducedSVC
from mercer._memory import available_bytes, require_memory
from mercer.formulations import least_squares
from mercer.kernels import Gaussian
from mercer.solvers import Direct

N = 50_000
X = np.zeros((N, 2))
X[:, 0] = np.arange(N)
y = np.arange(N) % 2


@pytest.fixture(autouse=True)
def four_gigabytes(monkeypatch):
    """A machine on which 50,000 rows squared have no room."""
    monkeypatch.setattr("mercer._memory._of_system", lambda: 4 * 2**30)


def test_available_memory_is_within_all_limits(monkeypatch):
    assert 0 < available_bytes() <= 4 * 2**30
    monkeypatch.setattr("mercer._memory._of_process", lambda: 2**30)
    assert available_bytes() <= 2**30
    require_memory(2**27, "little", "nothing")


@pytest.mark.parametrize(
    ("machine", "size"),
    [
        (RLSC(solver="direct"), "37.3"),
        (LSSVC(solver="eigen"), "55.9"),
        (LSSVR(alpha="loo", solver="eigen"), "55.9"),
        (RLSC(sparse="prune"), "55.9"),
        (RLSC(sparse="l0"), "93.1"),
        (LSSVC(penalty="coefficients"), "37.3"),
        (LSSVR(robust="huber", solver="direct"), "37.3"),
        (RLSC(low_rank=20_000), "8.9"),
        (RLSC(low_rank=LowRank(4_000, method="nystrom")), "6.3"),
    ],
    ids=str,
)
def test_many_rows_ended_in_bad_alloc(machine, size):
    with pytest.raises(ValueError, match=rf"needs {size} GB of memory, but only [0-4]\.\d GB"):
        machine.fit(X, y)


def test_reduced_machines_state_the_memory_of_their_features():
    with pytest.raises(ValueError, match=r"low_rank of rank 12000 with 50000 rows needs 7\.7 GB"):
        ReducedSVC(low_rank=LowRank(6_000, n_models=2)).fit(X, y)


def test_whole_matrices_are_refused_before_they_are_made():
    gram = Gram(Gaussian(1.0), X, precision="double")
    everything = np.arange(N)
    with pytest.raises(ValueError, match=r"50000 x 50000 kernel values needs 18\.6 GB"):
        gram.block(everything, everything)
    problem = least_squares(y - 0.5, 1.0, np.ones(N)).problem
    with pytest.raises(ValueError, match=r"solver 'direct' with 50000 variables needs 37\.3 GB"):
        Direct().solve(problem, gram)
