"""Least squares, reduced and low-rank machines come back from a file as they were."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from io_cases import LABELS, X, Y, assert_same
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import LSSVC, LSSVR, RLSC, SVC, LowRank, NuSVC, ReducedSVC
from mercer.codes import make_code
from mercer.io import load, save
from mercer.kernels import Gaussian
from mercer.solvers.linear_system import ConjugateGradient

TWO = Y > 0
NUMBERS = X[:, 3]
SEVERAL = np.c_[Y > 0, Y > 1, X[:, 0] > 5.5].astype(int)
OWN = [[1, 1], [-1, 1], [0, -1]]
BASIS = LowRank(20, basis="incomplete-cholesky", random_state=0)
CASES = {
    "RLSC": (RLSC(alpha="loo"), X, LABELS["str"]),
    "RLSC of two classes": (RLSC(class_weight="balanced"), X, TWO),
    "RLSC, linear": (RLSC(kernel="linear", fit_intercept=True), X, Y),
    "RLSC, sparse rows": (RLSC(), sp.csr_matrix(X), Y),
    "RLSC, precomputed": (RLSC(kernel="precomputed"), X @ X.T, Y),
    "LSSVC": (LSSVC(alpha=[0.1, 1.0], kernel=Gaussian([0.1, 0.2, 0.3, 0.4])), X, Y),
    "LSSVC, float32": (LSSVC(), X.astype(np.float32), Y),
    "LSSVC by conjugate gradients": (LSSVC(solver=ConjugateGradient()), X, TWO),
    "LSSVC, pruned": (LSSVC(sparse="prune"), X, TWO),
    "LSSVC of low rank": (LSSVC(low_rank=30), X, Y),
    "LSSVC by Nystrom": (LSSVC(low_rank=LowRank(30, method="nystrom", random_state=1)), X, Y),
    "LSSVC of the subset": (LSSVC(low_rank=LowRank(30, method="subset", random_state=1)), X, Y),
    "RLSC of several labels": (RLSC(alpha="loo", scoring="f1_macro"), X, SEVERAL),
    "LSSVC of two labels": (LSSVC(low_rank=20), X, SEVERAL[:, :2]),
    "LSSVC of several labels, linear": (LSSVC(kernel="linear", loo=False), X, SEVERAL),
    "RLSC of a code": (RLSC(multiclass="code", code="complete"), X, LABELS["str"]),
    "LSSVC of a code with zeros": (LSSVC(multiclass="code", code="sparse"), X, Y),
    "RLSC of pairs": (RLSC(multiclass="one-vs-one", kernel="linear"), X, Y),
    "SVC, one-vs-all": (SVC(multiclass="one-vs-all"), X, LABELS["str"]),
    "SVC of a code": (SVC(multiclass="code", code=make_code("sparse", 3)), sp.csr_matrix(X), Y),
    "NuSVC of a given code": (NuSVC(nu=0.1, multiclass="code", code=OWN), X, Y),
    "SVC, Weston-Watkins": (SVC(multiclass="weston-watkins"), X, LABELS["str"]),
    "SVC, Crammer-Singer": (SVC(multiclass="crammer-singer"), sp.csr_matrix(X), Y),
    "LSSVR": (LSSVR(), X[:, :3], NUMBERS),
    "LSSVR of two targets": (LSSVR(low_rank=BASIS), X[:, :3], X[:, 2:]),
    "LSSVR, robust": (LSSVR(robust="huber"), X[:, :3], NUMBERS),
    "LSSVR of several models": (LSSVR(low_rank=LowRank(9, n_models=3)), X[:, :3], NUMBERS),
    "ReducedSVC": (ReducedSVC(low_rank=25), X, LABELS["object"]),
    "ReducedSVC, precomputed": (ReducedSVC(kernel="precomputed", low_rank=25), X @ X.T, Y),
    "ReducedSVC by Nystrom": (ReducedSVC(low_rank=LowRank(25, method="nystrom")), X, TWO),
}
METHODS = ("predict", "decision_function", "predict_proba", "predict_log_proba")


def answers(machine, rows):
    return {name: getattr(machine, name)(rows) for name in METHODS if hasattr(machine, name)}


@pytest.mark.parametrize("name", CASES)
def test_every_answer_and_attribute_is_the_same(name, tmp_path):
    machine, rows, targets = CASES[name]
    machine.fit(rows, targets)
    path = tmp_path / "m.mercer"
    save(machine, path)
    loaded = load(path)
    assert_same(answers(machine, rows), answers(loaded, rows))
    fitted = [key for key in vars(machine) if key.endswith("_")]
    assert sorted(fitted) == sorted(key for key in vars(loaded) if key.endswith("_"))
    for key in fitted:
        if key != "low_rank_":
            assert_same(getattr(machine, key), getattr(loaded, key))
    if "low_rank_" in fitted and machine.low_rank_.method != "subset":
        assert_same(machine.low_rank_.transform(rows), loaded.low_rank_.transform(rows))
    save(loaded, tmp_path / "again")
    assert path.read_bytes() == (tmp_path / "again").read_bytes()
    refitted = loaded.fit(rows, targets)
    assert_same(refitted.predict(rows).shape, machine.predict(rows).shape)


STREAMS = {
    "linear": (RLSC(kernel="linear"), Y),
    "low rank": (LSSVC(low_rank=20), LABELS["str"]),
    "several models": (LSSVR(low_rank=LowRank(10, n_models=2, random_state=0)), X[:, 2:]),
    "penalized": (LSSVR(kernel="linear", fit_intercept="penalized"), NUMBERS),
}


@pytest.mark.parametrize("is_solved", [False, True])
@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_goes_on_where_it_was(name, is_solved, tmp_path):
    machine, targets = STREAMS[name]
    rng = np.random.default_rng(0)
    order = rng.permutation(len(X))
    blocks = np.array_split(order, 3)
    machine.__dict__.pop("_stream", None)
    machine.partial_fit(X[blocks[0]], targets[blocks[0]])
    if is_solved:
        machine.predict(X)
    save(machine, tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert_same(answers(machine, X), answers(loaded, X))
    for block in blocks[1:]:
        machine.partial_fit(X[block], targets[block])
        loaded.partial_fit(X[block], targets[block])
    assert loaded.n_samples_seen_ == len(X)
    assert_same(answers(machine, X), answers(loaded, X))
    assert machine.gcv_ == loaded.gcv_


def test_a_loaded_stream_knows_what_centring_cost(tmp_path):
    """The grid of alphas after loading reached further down than before."""
    machine = LSSVR(kernel="linear", alpha="gcv").partial_fit(X + 1e8, NUMBERS)
    save(machine, tmp_path / "m")
    loaded = load(tmp_path / "m").partial_fit(X + 1e8, NUMBERS)
    machine.partial_fit(X + 1e8, NUMBERS)
    assert_same(loaded.alphas_, machine.alphas_)
    assert loaded._stream.moments[0].rounding == machine._stream.moments[0].rounding > 0


@pytest.mark.parametrize("machine", [RLSC(low_rank=BASIS), ReducedSVC(low_rank=BASIS), LSSVC()])
def test_pipelines_and_unfitted_machines(machine, tmp_path):
    save(machine, tmp_path / "m")
    assert repr(load(tmp_path / "m")) == repr(machine)
    pipeline = make_pipeline(StandardScaler(), machine).fit(X, Y)
    save(pipeline, tmp_path / "m")
    assert_same(answers(load(tmp_path / "m"), X), answers(pipeline, X))


@pytest.mark.parametrize("name", ["dual_coef_", "intercept_", "support_vectors_"])
def test_what_does_not_fit_together_is_refused(name, tmp_path):
    machine = LSSVC(low_rank=20).fit(X, Y)
    value = getattr(machine, name)
    for wrong in (value[:-1], value * np.nan, value.astype("U5"), np.stack([value, value])):
        setattr(machine, name, wrong)
        save(machine, tmp_path / "m")
        with pytest.raises(ValueError, match="do not fit together"):
            load(tmp_path / "m")


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("multilabel_", False), ("multilabel_", "yes"), ("probability_slope_", np.nan)],
)
def test_labels_that_do_not_fit_the_values_are_refused(name, wrong, tmp_path):
    machine = LSSVC().fit(X, SEVERAL[:, :2])
    setattr(machine, name, wrong)
    save(machine, tmp_path / "m")
    with pytest.raises(ValueError, match="do not fit together"):
        load(tmp_path / "m")
