"""What the machines offer beyond scikit-learn's: attributes, budgets, warm starts, progress."""

from __future__ import annotations

import importlib.util
import inspect
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
import sklearn.svm
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils._param_validation import validate_parameter_constraints

import mercer
from machines.machine_cases import CASES, sample
from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM, Smo, Solution
from mercer.solvers import Progress

MACHINES = [SVC(), NuSVC(nu=0.2), SVR(), NuSVR(), OneClassSVM()]
NAMES = [type(machine).__name__ for machine in MACHINES]


def fitted(machine: Any, n: int = 40, **parameters: Any) -> Any:
    data = sample(0, n)
    y = data.numbers if isinstance(machine, (SVR, NuSVR)) else data.labels
    return clone(machine).set_params(**parameters).fit(data.X, y)


def noisy(n: int = 2000) -> tuple[Any, Any]:
    """Rows that keep a solver busy."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)), rng.integers(0, 2, n)


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_and_attribute_of_scikit_learn(name: str) -> None:
    ours, theirs = getattr(mercer, name), getattr(sklearn.svm, name)
    own = inspect.signature(ours).parameters
    assert set(inspect.signature(theirs).parameters) <= set(own)
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in own.values())
    data = sample()
    y = data.numbers if name.endswith("SVR") else data.labels
    options = {"nu": 0.7} if name.startswith("Nu") else {}
    machines = [kind(kernel="linear", **options).fit(data.X, y) for kind in (ours, theirs)]
    public = [{a for a in dir(m) if a.endswith("_") and not a.startswith("_")} for m in machines]
    assert public[1] - public[0] <= {"probA_", "probB_"}
    for attribute in ("coef_", "intercept_", "n_support_", "shape_fit_", "class_weight_"):
        if attribute in public[1]:
            mine, other = (np.asarray(getattr(m, attribute)) for m in machines)
            assert mine.shape == other.shape, attribute


@pytest.mark.parametrize("machine", MACHINES, ids=NAMES)
def test_what_is_known_of_a_fit(machine: Any) -> None:
    fit = fitted(machine)
    assert isinstance(fit.solutions_, tuple)
    assert all(isinstance(solution, Solution) for solution in fit.solutions_)
    assert fit.objective_ == pytest.approx(sum(s.objective for s in fit.solutions_))
    assert fit.violation_ == max(s.violation for s in fit.solutions_)
    assert fit.dual_gap_ == max(s.relative_gap for s in fit.solutions_)
    assert 0 <= fit.violation_ <= fit.tol
    assert 0 <= fit.dual_gap_ <= 1e-9
    assert fit.solver_ == "smo"
    assert fit.fit_status_ == 0
    assert fit.shape_fit_ == (40, 3)
    assert fit.kernel_.gamma > 0
    assert fit.n_features_in_ == 3
    assert fit.n_support_.sum() == len(fit.support_) == fit.dual_coef_.shape[1]


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_shapes_of_several_classes(n_classes: int, shape: str) -> None:
    data = sample(0, 80)
    y = np.arange(80) % n_classes
    machine = SVC(decision_function_shape=shape).fit(data.X, y)
    pairs = n_classes * (n_classes - 1) // 2
    assert len(machine.solutions_) == len(machine.intercept_) == len(machine.n_iter_) == pairs
    assert machine.dual_coef_.shape == (n_classes - 1, len(machine.support_))
    assert machine.n_support_.shape == (n_classes,)
    columns = pairs if shape == "ovo" else n_classes
    expected = (80,) if n_classes == 2 else (80, columns)
    assert machine.decision_function(data.X).shape == expected
    # support vectors are sorted by class
    assert (np.diff(y[machine.support_]) >= 0).all()


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_weights_of_the_features(n_classes: int, store: Any) -> None:
    data = sample(0, 60)
    y = np.arange(60) % n_classes
    machine = SVC(kernel="linear", decision_function_shape="ovo").fit(store(data.X), y)
    coef = machine.coef_.toarray() if sparse.issparse(machine.coef_) else machine.coef_
    expected = data.X @ coef.T + machine.intercept_
    decisions = machine.decision_function(store(data.X)).reshape(60, -1)
    np.testing.assert_allclose(decisions, expected, atol=1e-9)


@pytest.mark.parametrize("machine", [SVR(), NuSVR(), OneClassSVM()], ids=str)
def test_weights_of_the_features_of_one_function(machine: Any) -> None:
    fit, X = fitted(machine, kernel="linear"), sample().X
    values = getattr(fit, "decision_function", fit.predict)(X)
    np.testing.assert_allclose(values, X @ fit.coef_[0] + fit.intercept_, atol=1e-9)


@pytest.mark.parametrize("machine", MACHINES, ids=NAMES)
def test_a_warm_start_takes_fewer_steps_to_the_same_value(machine: Any) -> None:
    cold = fitted(machine, 200)
    again = clone(machine).set_params(warm_start=True)
    data = sample(0, 200)
    y = data.numbers if isinstance(machine, (SVR, NuSVR)) else data.labels
    again.fit(data.X, y)
    again.fit(data.X, y)
    assert np.sum(again.n_iter_) < np.sum(cold.n_iter_) / 4
    assert again.objective_ == pytest.approx(cold.objective_, rel=1e-9)


def test_a_warm_start_along_C() -> None:
    """Each from the last, and onto other data, where there is nothing to start from."""
    data = sample(0, 200)
    machine = SVC(warm_start=True)
    for C in (0.5, 1.0, 2.0):
        machine.set_params(C=C).fit(data.X, data.labels)
        cold = SVC(C=C).fit(data.X, data.labels)
        assert machine.objective_ == pytest.approx(cold.objective_, rel=1e-9)
    machine.fit(data.X[:50], data.labels[:50])
    assert machine.violation_ <= machine.tol
    machine.fit(data.X, np.digitize(data.numbers, [-0.3, 0.3]))
    assert len(machine.solutions_) == 3


def test_a_fit_is_resumed_after_its_steps_are_used_up() -> None:
    data = sample(0, 200)
    machine = SVC(warm_start=True, max_iter=10, C=100.0)
    objectives = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for _ in range(3):
            objectives.append(machine.fit(data.X, data.labels).objective_)
    assert objectives == sorted(objectives)
    machine.set_params(max_iter=-1).fit(data.X, data.labels)
    whole = SVC(C=100.0).fit(data.X, data.labels)
    assert machine.objective_ == pytest.approx(whole.objective_, rel=1e-9)


def test_the_warning_says_how_far_the_fit_came() -> None:
    data = sample(0, 200)
    message = (
        r"max_iter=5.*status max-iter, KKT violation \d\.?\d*(e-?\d+)? \(tol=0.001\), "
        r"relative duality gap \d\.\d+"
    )
    with pytest.warns(ConvergenceWarning, match=message):
        machine = SVC(max_iter=5, C=100.0).fit(data.X, data.labels)
    assert machine.fit_status_ == 1
    assert machine.n_iter_ == 5


def test_a_budget_of_time() -> None:
    X, y = noisy()
    with pytest.warns(ConvergenceWarning, match="status max-time"):
        machine = SVC(kernel="linear", C=1e9, max_time=0.01).fit(X, y)
    assert machine.predict(X).shape == (len(X),)


def test_a_budget_of_time_is_for_all_pairs_of_classes() -> None:
    """Pairs whose turn did not come are left at their start."""
    X, _ = noisy()
    with pytest.warns(ConvergenceWarning, match="status max-time"):
        machine = SVC(kernel="linear", C=1e9, max_time=0.01).fit(X, np.arange(len(X)) % 4)
    assert [s.status for s in machine.solutions_] == ["max-time"] * 6
    assert sum(s.seconds for s in machine.solutions_) < 10.0


def test_a_callback_is_told_and_may_end_a_fit() -> None:
    X, y = noisy()
    seen: list[Progress] = []

    def third(progress: Progress) -> bool:
        seen.append(progress)
        return len(seen) == 3

    with pytest.warns(ConvergenceWarning, match="status callback"):
        # the first half of a planned double step may lose for a moment
        SVC(kernel="linear", C=1e9, callback=third, solver=Smo(step="newton")).fit(X, y)
    assert len(seen) == 3
    assert all(isinstance(progress, Progress) for progress in seen)
    iterations = [progress.iteration for progress in seen]
    assert iterations == sorted(iterations)
    objectives = np.array([progress.objective for progress in seen])
    assert (np.diff(objectives) >= -1e-6 * np.abs(objectives[1:])).all()  # rounding of C = 1e9


def test_an_error_in_a_callback_ends_the_fit() -> None:
    def broken(progress: Progress) -> None:
        raise RuntimeError("broken callback")

    data = sample()
    with pytest.raises(RuntimeError, match="broken callback"):
        SVC(callback=broken).fit(data.X, data.labels)


@pytest.mark.parametrize("rich", [True, False], ids=["rich", "plain"])
def test_verbose_is_seen_by_python(rich: bool, monkeypatch: Any, capsys: Any) -> None:
    if not rich:
        find = importlib.util.find_spec
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name: None if name == "rich" else find(name)
        )
    X, y = noisy()
    with pytest.warns(ConvergenceWarning):
        SVC(kernel="linear", C=1e9, max_iter=100, verbose=True).fit(X, y)
    shown = capsys.readouterr().out
    assert "SVC" in shown
    assert "violation" in shown
    assert "objective" in shown


@pytest.mark.parametrize("machine", MACHINES, ids=NAMES)
def test_nothing_is_printed_otherwise(machine: Any, capfd: Any) -> None:
    fitted(machine)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", CASES)
def test_precisions_agree(name: str) -> None:
    case, data = CASES[name], sample(0, 80)
    y = data.targets(case)
    single, double = (case.fit(data.X, y, precision=p) for p in ("single", "double"))
    assert single.objective_ == pytest.approx(double.objective_, rel=1e-5)
    assert single.violation_ <= single.tol
    values = case.values(double, data.X)
    tolerance = 5e-3 * np.abs(values).max()
    np.testing.assert_allclose(case.values(single, data.X), values, atol=tolerance)


@pytest.mark.parametrize("selection", ["second-order", "most-violating"])
def test_solver_objects(selection: Any) -> None:
    data = sample()
    machine = SVC(solver=Smo(selection=selection)).fit(data.X, data.labels)
    assert machine.objective_ == pytest.approx(SVC().fit(data.X, data.labels).objective_)
    assert machine.solver_ == "smo"
    assert "selection" in repr(machine.solver)


def test_balanced_classes_count_in_nu_machines() -> None:
    """Four to one; with equal weights of the classes a larger nu is feasible."""
    data = sample(0, 100)
    y = np.where(np.arange(100) % 5, 1, 0)
    with pytest.raises(ValueError, match=r"nu must lie in \(0.0, 0.4\], got 0.6"):
        NuSVC(nu=0.6).fit(data.X, y)
    machine = NuSVC(nu=0.6, class_weight="balanced").fit(data.X, y)
    assert machine.class_weight_.tolist() == [2.5, 0.625]
    share = [np.abs(machine.solutions_[0].coef[y == c]).sum() for c in (0, 1)]
    assert share == pytest.approx([30.0, 30.0])


def test_names_of_the_features() -> None:
    data = sample()
    table = pd.DataFrame(data.X, columns=["length", "width", "height"])
    machine = SVC().fit(table, data.labels)
    assert machine.feature_names_in_.tolist() == ["length", "width", "height"]
    assert (machine.predict(table) == SVC().fit(data.X, data.labels).predict(data.X)).all()
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        machine.predict(table[["width", "length", "height"]])


def test_in_pipelines_searches_and_pandas_output() -> None:
    data = sample(0, 100)
    table = pd.DataFrame(data.X, columns=list("abc"), index=np.arange(100) + 7)
    pipeline = make_pipeline(StandardScaler(), SVC()).set_output(transform="pandas")
    search = GridSearchCV(pipeline, {"svc__C": [0.1, 1.0], "svc__gamma": ["scale", 0.1]}, cv=3)
    search.fit(table, pd.Series(data.labels, index=table.index))
    assert search.best_estimator_[-1].feature_names_in_.tolist() == ["a", "b", "c"]
    scores = cross_val_score(SVC(kernel="precomputed"), data.X @ data.X.T, data.labels, cv=3)
    assert scores.shape == (3,)


@pytest.mark.parametrize("machine", [SVC(), SVR()], ids=["SVC", "SVR"])
def test_weights_are_routed(machine: Any) -> None:
    data = sample(0, 100)
    y = data.labels if isinstance(machine, SVC) else data.numbers
    weight = np.where(np.arange(100) < 50, 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        machine = clone(machine).set_fit_request(sample_weight=True)
        machine.set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), machine)
        routed = pipeline.fit(data.X, y, sample_weight=weight)[-1]
    assert (routed.support_ < 50).all()


def test_changing_the_shape_of_decisions_needs_no_new_fit() -> None:
    data = sample()
    machine = SVC().fit(data.X, np.arange(40) % 4)
    assert machine.decision_function(data.X).shape == (40, 4)
    machine.decision_function_shape = "ovo"
    assert machine.decision_function(data.X).shape == (40, 6)


def test_plain_arrays_and_lists_are_the_same_to_a_machine() -> None:
    """Plain arrays skip a validation: what that would have found and kept must be there."""
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.arange(30) % 2
    named = SVC().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]
    again = named.fit(X, y)
    assert not hasattr(again, "feature_names_in_")
    assert again.n_features_in_ == 3
    other = SVC().fit(X.tolist(), y.tolist())
    np.testing.assert_array_equal(again.dual_coef_, other.dual_coef_)
    for wrong_X, wrong_y, message in (
        (np.where(X.mean() < X, np.nan, X), y, "NaN"),
        (X, np.where(y == 1, np.inf, 0.0), "infinity"),
        (X, y[1:], "inconsistent numbers of samples"),
        (X[:0], y[:0], "minimum of 1 is required"),
        (X[:, :0], y, "minimum of 1 is required"),
        (X[0], y, "2D array"),
    ):
        with pytest.raises(ValueError, match=message):
            SVC().fit(wrong_X, wrong_y)


@pytest.mark.parametrize("machine", [SVC, NuSVC, SVR, NuSVR, OneClassSVM])
def test_defaults_are_valid(machine: Any) -> None:
    """A fit checks the parameters that are not their defaults."""
    validate_parameter_constraints(
        machine._parameter_constraints, machine().get_params(deep=False), machine.__name__
    )
    with pytest.raises(ValueError, match="The 'tol' parameter"):
        machine(tol=-1.0).fit(np.eye(4), [0, 1, 0, 1])
