"""Kernel rows of kept examples within cache_size: what is dropped comes back, nothing changes."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from streams import board, learned, streamed, three

from mercer import OnlineSVC, OnlineSVR
from mercer.io import load, save
from mercer.kernels import Gaussian, Laplacian, Normalized, Polynomial

TWO_ROWS = 1e-6
KERNELS = {
    "gaussian": Gaussian(1.5),
    "laplacian": Laplacian(0.1),
    "poly": Polynomial(degree=3, gamma=0.1),
    "sum": Gaussian(0.2) + 0.5 * Normalized(Polynomial(degree=2, gamma=0.1)),
}
BUDGETS = (
    {},
    {"max_support_vectors": 25, "eviction": "merging"},
    {"max_support_vectors": 25, "eviction": "projection"},
    {"max_support_vectors": 25, "eviction": "removal"},
)


def noisy(n, seed=0):
    return board(n, seed, 0.2)


def rows_of(case, seed):
    X, y = three(120, seed) if case == "three" else noisy(120, seed)
    X = X[np.random.default_rng(seed).integers(0, 30, 120)] if case == "copies" else X
    X = X.astype(np.float32) if case == "single" else X
    X = (60 * X).astype(np.uint8) if case == "bytes" else X
    return (sp.csr_array(X) if case == "sparse" else X), y


@given(
    seed=st.integers(0, 10**6),
    cuts=st.lists(st.integers(0, 120), max_size=4).map(sorted),
    C=st.sampled_from([0.1, 3.0, 1000.0]),
    case=st.sampled_from(["noisy", "three", "copies", "single", "sparse", "bytes"]),
    selection=st.sampled_from(["second-order", "most-violating"]),
    budget=st.sampled_from(BUDGETS),
    megabytes=st.sampled_from([TWO_ROWS, 0.003, 0.01, 0.05]),
)
def test_a_bound_does_not_change_a_bit(seed, cuts, C, case, selection, budget, megabytes):
    X, y = rows_of(case, seed)
    gamma = 4e-4 if case == "bytes" else 1.5
    weight = np.random.default_rng(seed).integers(1, 5, 120) / 2
    machine = OnlineSVC(C=C, gamma=gamma, selection=selection, **budget)
    free = streamed(clone(machine), X, y, cuts, sample_weight=weight)
    bound, begin = machine.set_params(cache_size=megabytes), 0
    for end in (60, 67, 120):
        bound = pickle.loads(pickle.dumps(bound))
        some = slice(begin, end)
        bound.partial_fit(X[some], y[some], classes=np.unique(y), sample_weight=weight[some])
        begin = end
    assert learned(bound) == learned(free)
    assert bound.intercept_.tobytes() == free.intercept_.tobytes()
    assert free.n_recomputed_ == 0


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_bound_does_not_change_a_bit_with_any_kernel_of_the_core(kernel):
    X, y = three(200)
    machine = OnlineSVC(kernel=KERNELS[kernel], selection="second-order", n_threads=2)
    free, bound = (
        streamed(clone(machine).set_params(cache_size=size), X, y, [90]) for size in (1.0, TWO_ROWS)
    )
    assert learned(bound) == learned(free)
    assert bound.n_recomputed_ > 0


@pytest.mark.parametrize("budget", [{}, {"max_support_vectors": 30, "eviction": "projection"}])
def test_a_bound_does_not_change_a_regression(budget):
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 6, (300, 1))
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=300)
    machine = OnlineSVR(gamma=1.0, C=2.0, selection="second-order", **budget)
    free, bound = (
        clone(machine).set_params(cache_size=size).partial_fit(X, y) for size in (1.0, TWO_ROWS)
    )
    assert learned(bound) == learned(free)
    assert bound.n_recomputed_ > 0


def test_epochs_finishing_classes_and_files_go_on_within_a_bound(tmp_path):
    X, y = three(240)

    def path(size):
        machine = OnlineSVC(gamma=0.3, selection="second-order", cache_size=size)
        machine.partial_fit(X[y < 2], y[y < 2]).finish()
        machine.partial_fit(X[:50], y[:50])  # the third class comes
        machine.finish()
        save(machine, tmp_path / "m.mercer")
        machine = load(tmp_path / "m.mercer").partial_fit(X[50:150], y[50:150])
        return machine.set_params(tol=1e-4).partial_fit(X[150:], y[150:])

    free, bound = path(10.0), path(0.01)
    assert learned(bound) == learned(free)
    assert bound.n_recomputed_ > free.n_recomputed_ == 0


def test_the_bound_may_change_while_a_stream_goes_on():
    X, y = noisy(300)
    machine = OnlineSVC(gamma=2.0, selection="second-order")
    free = streamed(clone(machine), X, y, [])
    for size, begin in ((1.0, 0), (TWO_ROWS, 100), (0.02, 200)):
        some = slice(begin, begin + 100)
        machine.set_params(cache_size=size).partial_fit(X[some], y[some], classes=[-1, 1])
    assert learned(machine) == learned(free)


@pytest.mark.parametrize("megabytes", [TWO_ROWS, 0.02, 0.1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernel_rows_stay_within_their_bound(megabytes, dtype):
    X, y = noisy(600)
    machine = OnlineSVC(gamma=2.0, selection="second-order", cache_size=megabytes)
    for begin in range(0, 600, 25):
        machine.partial_fit(X[begin : begin + 25].astype(dtype), y[begin : begin + 25])
        learner = machine._learned.stream.learner
        is_kept = machine.kept_bytes_ <= 2**20 * megabytes
        assert is_kept or learner.n_held <= 2
    assert learner.n_held < machine.n_kept_
    assert machine.kept_bytes_ > 0


def test_a_saved_stream_comes_back_within_its_bound():
    X, y = noisy(600)
    machine = OnlineSVC(gamma=2.0, selection="second-order", cache_size=0.05).partial_fit(X, y)
    machine = pickle.loads(pickle.dumps(machine))
    machine.partial_fit(X[:1], y[:1])
    assert 0 < machine.kept_bytes_ <= 2**20 * 0.05


def test_the_larger_the_bound_the_fewer_rows_are_computed_again():
    X, y = noisy(600)
    counts = []
    for megabytes in (TWO_ROWS, 0.05, 0.2, 10.0):
        machine = OnlineSVC(gamma=2.0, selection="second-order", cache_size=megabytes)
        counts.append(machine.partial_fit(X, y).n_recomputed_)
    assert counts[0] > counts[1] > counts[2] > counts[3] == 0


def test_functions_in_python_are_asked_once():
    X, y = three(80)
    kernel = Gaussian(0.3)
    machine = OnlineSVC(kernel=lambda A, B: kernel(A, B), cache_size=TWO_ROWS)
    machine.partial_fit(X, y)
    assert machine.n_recomputed_ == 0
    assert machine._learned.stream.learner.n_held == machine.n_kept_
