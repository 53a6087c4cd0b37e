"""Laws of LASVM: what holds after every example of every stream."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from streams import board, learned, streamed, three

from mercer import SVC, Problem, certify
from mercer.gram import Gram
from mercer.kernels import Gaussian
from mercer.online import OnlineSVC

SELECTIONS = ("second-order", "most-violating")


def problem_of(machine: OnlineSVC, f: int = 0) -> tuple[Problem, Gram, np.ndarray]:
    """The problem of one function on the kept examples, and its present point."""
    state = machine._learned.stream.state()
    n = len(state["ids"])
    linear, lower, upper = state["terms"].reshape(n, -1, 3)[:, f].T
    gram = Gram(machine.kernel_, machine._learned.stream.rows(), precision="double")
    return Problem(linear, lower, upper), gram, state["beta"][:, f]


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("data", [board(300), three(300)], ids=["board", "three"])
def test_the_dual_never_falls_and_gradients_are_those_of_the_point(selection, data):
    X, y = data
    machine = OnlineSVC(C=10.0, gamma=1.0, selection=selection)
    last = np.zeros(1)
    for i in range(0, len(y), 7):
        machine.partial_fit(X[i : i + 7], y[i : i + 7], classes=np.unique(y))
        state, duals = machine._learned.stream.state(), machine._learned.reading.objective
        assert (duals >= last * (1 - 1e-12) - 1e-12).all()
        last = duals
        for f in range(machine._learned.task.n_functions):
            problem, gram, beta = problem_of(machine, f)
            certificate = certify(problem, gram, beta)
            assert certificate.infeasibility < 1e-9
            assert certificate.objective == pytest.approx(duals[f], rel=1e-9, abs=1e-12)
            np.testing.assert_allclose(certificate.gradient, state["gradient"][:, f], atol=1e-9)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_kept_examples_have_a_coefficient_or_may_get_one(selection):
    X, y = board(600, noise=0.05)
    machine = streamed(OnlineSVC(C=5.0, gamma=2.0, selection=selection), X, y, [100, 350])
    before = machine._learned.stream.state()
    up, down = machine._learned.reading._ends
    is_zero = before["beta"][:, 0] == 0.0
    gradient, positive = before["gradient"][is_zero, 0], before["terms"][is_zero, 0] > 0
    # those that were there when a pair last moved; the last examples may not have met one
    useless = np.where(positive, gradient <= down[0], gradient >= up[0])
    assert useless.sum() <= 2
    assert machine.n_kept_ < 300


@given(
    seed=st.integers(0, 10**6),
    cuts=st.lists(st.integers(0, 120), max_size=8).map(sorted),
    C=st.sampled_from([0.1, 3.0, 1000.0]),
    case=st.sampled_from(["board", "noisy", "three", "copies", "single", "sparse"]),
    selection=st.sampled_from(SELECTIONS),
)
def test_chunks_do_not_change_a_bit(seed, cuts, C, case, selection):
    X, y = three(120, seed) if case == "three" else board(120, seed, 0.1 * (case != "board"))
    X = X[np.random.default_rng(seed).integers(0, 30, 120)] if case == "copies" else X
    X = X.astype(np.float32) if case == "single" else X
    X = sp.csr_array(X) if case == "sparse" else X
    one = streamed(OnlineSVC(C=C, gamma=1.5, selection=selection), X, y, [])
    other = streamed(OnlineSVC(C=C, gamma=1.5, selection=selection), X, y, cuts)
    assert learned(one) == learned(other)
    assert one.n_seen_ == other.n_seen_ == 120


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_threads_do_not_change_a_bit(n_threads):
    X, y = three(700)
    one = streamed(OnlineSVC(selection="second-order", gamma=0.2, n_threads=1), X, y, [])
    assert learned(one) == learned(
        streamed(OnlineSVC(selection="second-order", gamma=0.2, n_threads=n_threads), X, y, [])
    )


def test_sparse_rows_give_the_machine_of_dense_ones():
    X, y = three(300)
    X[np.abs(X) < 0.7] = 0.0
    dense = streamed(OnlineSVC(selection="second-order", gamma=0.3), X, y, [77])
    sparse = streamed(OnlineSVC(selection="second-order", gamma=0.3), sp.csr_matrix(X), y, [200])
    assert learned(dense) == learned(sparse)
    assert sp.issparse(sparse.support_vectors_)
    np.testing.assert_allclose(dense.decision_function(X), sparse.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("keep_rows", [False, True])
def test_dense_and_sparse_chunks_may_follow_each_other(keep_rows):
    X, y = three(200)
    plain = streamed(
        OnlineSVC(selection="second-order", gamma=0.3, keep_rows=keep_rows), X, y, [90]
    )
    for first, second in ((X, sp.csr_array(X)), (sp.csr_matrix(X), X)):
        machine = OnlineSVC(selection="second-order", gamma=0.3, keep_rows=keep_rows)
        machine.partial_fit(first[:90], y[:90]).partial_fit(second[90:], y[90:])
        assert learned(machine) == learned(plain)
        machine.finish()


@pytest.mark.filterwarnings("ignore:the kernel Sigmoid")
@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid", "laplacian"])
def test_every_kernel_can_be_streamed(kernel):
    X, y = three(300)
    machine = streamed(OnlineSVC(kernel=kernel, gamma=0.1, coef0=0.5, C=0.5), X, y, [50])
    assert machine.score(X, y) > 0.75


def test_kernels_of_several_parts_and_functions_can_be_streamed():
    X, y = three(200)
    composite = Gaussian(0.2) + 0.5 * Gaussian(1.0)
    function = lambda A, B: composite(np.asarray(A), np.asarray(B))  # noqa: E731
    duals = [
        streamed(OnlineSVC(kernel=kernel, keep_rows=True), X, y, [90]).finish().objective_
        for kernel in (composite, function)
    ]
    assert duals[0] == pytest.approx(duals[1], rel=1e-6)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_many_epochs_reach_the_batch_optimum(selection):
    X, y = board(400, noise=0.03)
    batch = SVC(C=10.0, gamma=2.0, tol=1e-5).fit(X, y)
    machine = OnlineSVC(
        C=10.0, gamma=2.0, selection=selection, n_epochs=40, finishing="kept", random_state=0
    ).fit(X, y)
    assert machine.objective_ >= (1 - 1e-3) * batch.objective_
    assert machine.objective_ <= (1 + 1e-6) * batch.objective_


def test_examples_that_left_may_come_back_in_a_later_epoch():
    X, y = board(600, seed=1)
    machine = OnlineSVC(C=1000.0, gamma=2.0, n_epochs=8, finishing="none", random_state=0)
    machine.fit(X, y)
    state = machine._learned.stream.state()
    np.testing.assert_array_equal(machine._learned.stream.rows(), X[state["ids"]])
    assert machine.score(X, y) > 0.97


def test_second_order_needs_fewer_support_vectors_and_climbs_higher():
    X, y = board(2000, seed=3)
    second, first = (
        streamed(OnlineSVC(C=1000.0, gamma=2.0, selection=selection), X, y, [])
        for selection in SELECTIONS
    )
    assert 1.5 * len(second.support_ids_) < len(first.support_ids_)
    assert second.objective_ > 1.5 * first.objective_


def test_a_stream_of_one_class_keeps_few_and_predicts_it():
    X, _ = board(500)
    machine = OnlineSVC(gamma=1.0).partial_fit(X, np.ones(500), classes=[-1, 1])
    assert machine.n_kept_ <= 5
    assert (machine.predict(X) == 1).all()
    machine.partial_fit(X[:1] + 0.01, [-1])
    assert 500 in machine.support_ids_


def test_a_class_that_never_comes_does_not_fill_the_memory():
    X, y = three(400)
    machine = OnlineSVC(gamma=0.2).partial_fit(X, y, classes=[0, 1, 2, 3])
    without = OnlineSVC(gamma=0.2).partial_fit(X, y, classes=[0, 1, 2])
    assert machine.n_kept_ <= 1.1 * without.n_kept_ + 5
    assert (machine.predict(X) != 3).all()


def test_weights_are_factors_of_the_box_and_zero_is_absence():
    X, y = board(300, noise=0.1)
    weight = np.random.default_rng(0).integers(0, 3, 300).astype(float)
    machine = streamed(
        OnlineSVC(selection="second-order", C=2.0, gamma=2.0), X, y, [99], sample_weight=weight
    )
    assert machine.n_seen_ == 300
    assert (weight[machine.support_ids_] > 0).all()
    assert (np.abs(machine.dual_coef_[0]) <= 2.0 * weight[machine.support_ids_]).all()
    present = np.flatnonzero(weight)
    some = {"sample_weight": weight[present]}
    other = OnlineSVC(selection="second-order", C=2.0, gamma=2.0)
    other = streamed(other, X[present], y[present], [], **some)
    np.testing.assert_array_equal(machine.dual_coef_, other.dual_coef_)
    np.testing.assert_array_equal(machine.support_ids_, present[other.support_ids_])


def test_class_weights_are_factors_of_the_box():
    X, y = board(300, noise=0.1)
    weight = np.where(y > 0, 3.0, 1.0)
    one = streamed(
        OnlineSVC(selection="second-order", class_weight={1: 3.0, -1: 1.0}, gamma=2.0), X, y, []
    )
    other = streamed(OnlineSVC(selection="second-order", gamma=2.0), X, y, [], sample_weight=weight)
    assert learned(one) == learned(other)


def test_far_rows_switch_to_double_precision_and_differences():
    X, y = board(200)
    far = (X + 3000.0).astype(np.float32)
    machine = streamed(OnlineSVC(selection="second-order", gamma=2.0, C=10.0), far, y, [50])
    assert machine._learned.stream.packing.precision == "double"
    assert machine._learned.stream.packing.by_differences
    near = streamed(
        OnlineSVC(selection="second-order", gamma=2.0, C=10.0),
        (far - np.float32(3000.0)).astype(float),
        y,
        [50],
    )
    assert machine.objective_ == pytest.approx(near.objective_, rel=1e-6)
