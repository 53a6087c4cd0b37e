"""What training rows tell in a report: every C, and whether more rows would help."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.stats import ttest_1samp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import RLSC, SVC, OneClassSVM, PathSVC, svc_path, svr_path, write_report
from mercer.report.growth import gained
from mercer.report.inside import taken_apart

pl = pytest.importorskip("polars")


def test_every_number_of_the_path_is_that_of_svc_path(flat):
    found, machine = flat.report.data["path"], flat.machine[-1]
    prepare, (X, y) = flat.machine[:-1].transform, flat.training
    path = svc_path(prepare(X), y, kernel=machine.kernel_, C_max=100.0 * machine.C)
    error = path.error(prepare(flat.X), flat.y)
    assert found["n_rows"] == len(y)
    assert found["n_events"] == len(path.events)
    assert found["error"] == pytest.approx([float(error(C)) for C in found["C"]])
    assert found["n_support"] == [np.count_nonzero(path.coef(C)) for C in found["C"]]
    assert found["least_error"] == error.minimum
    low, high = found["least_at"]
    assert error(low) == error(0.5 * (low + high)) == error.minimum
    plane = found["plane"]
    grid = [(a, b) for b in plane["y"] for a in plane["x"]]
    values = path.decision_function(prepare(pd.DataFrame(grid, columns=flat.X.columns)), found["C"])
    np.testing.assert_allclose(np.array(plane["values"]).T, values, rtol=6e-4, atol=1e-9)
    assert plane["points"] == flat.X.iloc[plane["rows"]].to_numpy().tolist()
    assert plane["is_second"] == (flat.y[plane["rows"]] == "oak").tolist()


@pytest.mark.parametrize("name", ["two", "three", "columns", "flat"])
def test_at_its_own_C_the_path_is_the_machine(name, request):
    data, case = request.getfixturevalue(name).report.data, request.getfixturevalue(name)
    found, machine = data["path"], taken_apart(case.machine).machine
    assert found["C"][found["own"]] == machine.C
    assert found["same"] == 1.0
    assert found["n_support"][found["own"]] == data["machine"]["n_support"] == len(machine.support_)
    if name != "three":  # whose predictions go by probabilities
        wrong = 1.0 - data["verdict"]["accuracy"]
        assert found["error"][found["own"]] == pytest.approx(wrong)


def test_the_path_of_numbers_is_in_units_of_the_target(numbers):
    found, (X, y) = numbers.report.data["path"], numbers.training
    scale, pipeline = numbers.machine.transformer_, numbers.machine.regressor_
    targets = scale.transform(y[:, None]).ravel()
    path = svr_path(pipeline[:-1].transform(X), targets, kernel=pipeline[-1].kernel_, C_max=100.0)
    for k in (0, found["own"], -1):
        said = path.predict(pipeline[:-1].transform(numbers.X), found["C"][k])
        error = numbers.y - scale.inverse_transform(said[:, None]).ravel()
        assert found["error"][k] == pytest.approx(np.sqrt(np.mean(np.square(error))))
    assert found["error"][found["own"]] == pytest.approx(
        numbers.report.data["verdict"]["rmse"], rel=1e-3
    )
    assert found["least_error"] <= min(found["error"]) + 1e-12
    assert found["plane"] is None


def test_the_learning_curve_is_that_of_machines_on_parts(columns):
    found, (X, y) = columns.report.data["growth"], columns.training
    assert found["n_rows"][-1] == len(y) == 2 * found["n_rows"][-2]
    assert found["error"][-1] == pytest.approx(1 - columns.report.data["verdict"]["accuracy"])
    assert all(
        low <= mean <= high
        for low, mean, high in zip(found["lowest"], found["error"], found["highest"], strict=True)
    )
    # the parts have classes in equal shares: one of half of the rows, trained by hand, is as good
    machine = clone(columns.machine[-1]).set_params(kernel=columns.machine[-1].kernel_)
    machine.fit(columns.machine[:-1].transform(X)[::2], y[::2])
    error = 1 - machine.score(columns.machine[:-1].transform(columns.X), columns.y)
    assert abs(error - found["error"][-2]) < 0.15


def test_what_a_doubling_gained_has_the_interval_of_a_t_test():
    before, after = np.random.default_rng(0).random((2, 3, 50))
    found = gained([before, after[:1]], 0.9)
    expected = ttest_1samp(before.mean(axis=0) - after[0], 0.0)
    assert found["mean"] == pytest.approx(np.mean(before.mean(axis=0) - after[0]))
    assert found["interval"] == pytest.approx(expected.confidence_interval(0.9))
    assert found["more_rows_help"] == "not shown"
    assert gained([before + 1, after], 0.9)["more_rows_help"] == "yes"
    assert gained([before - 1, after], 0.9)["more_rows_help"] == "no"


def test_many_more_rows_are_seen_to_help_and_the_page_says_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 8))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)  # needs many rows
    machine = SVC(C=10.0).fit(X[:300], y[:300])
    report = write_report(machine, X[300:], y[300:], training=(X[:300], y[:300]))
    assert report.data["growth"]["gain"]["more_rows_help"] == "yes"
    assert "More rows are likely to help." in report.to_html()


def test_of_many_rows_a_part_is_doubled_and_the_machine_stands_behind_it(monkeypatch):
    monkeypatch.setattr("mercer.report.growth.MOST_ROWS", 80)
    X, y = np.random.default_rng(0).normal(size=(300, 3)), np.arange(300) // 2 % 2
    training = (X[:200], y[:200])
    report = write_report(SVC().fit(*training), X[200:], y[200:], training=training)
    found = report.data["growth"]
    assert found["n_rows"] == [10, 20, 40, 80, 200]
    assert (found["gain"]["from"], found["gain"]["to"]) == (40, 80)
    assert found["error"][-1] == pytest.approx(1 - report.data["verdict"]["accuracy"])
    assert "From 40 to 80 training rows" in report.to_html()


def test_of_many_rows_a_part_is_followed_and_said(monkeypatch):
    monkeypatch.setattr("mercer.report.over_c.MOST_ROWS", 30)
    X, y = np.random.default_rng(0).normal(size=(120, 3)), np.arange(120) % 2
    report = write_report(SVC().fit(X[:80], y[:80]), X[80:], y[80:], training=(X[:80], y[:80]))
    assert report.data["path"]["n_rows"] == 30
    assert "30 of 80 training rows, drawn with classes in equal shares" in report.to_html()


@pytest.mark.parametrize(
    ("machine", "why_not"),
    [
        (RLSC(), "RLSC has no path over C"),
        (SVC(loss="squared_hinge"), "the exact path is that of the loss 'hinge'"),
        (SVC(multiclass="one-vs-all"), "the exact path is that of pairs of classes"),
        (SVC(C=np.inf, gamma=10.0), "C is infinite"),
        (SVC(kernel="sigmoid"), "positive semi-definite"),
    ],
)
def test_machines_without_a_path_say_so_and_have_a_learning_curve(machine, why_not):
    X, y = load_iris(return_X_y=True)
    training = (X[::2], y[::2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the sigmoid kernel, once
        machine.fit(*training)
    report = write_report(machine, X[1::2], y[1::2], training=training)
    assert why_not in report.data["path"]["why_not"]
    assert report.data["growth"]["why_not"] is None
    assert "Not followed: " in report.to_html()


@pytest.mark.parametrize("make", [csr_array, np.asarray, list, pl.DataFrame])
def test_training_rows_of_any_kind(make):
    X, y = np.random.default_rng(0).normal(size=(80, 2)), np.arange(80) // 2 % 2
    expected = write_report(SVC().fit(X[:40], y[:40]), X[40:], y[40:], training=(X[:40], y[:40]))
    training = (make(X[:40]), y[:40].tolist())
    report = write_report(SVC().fit(*training), make(X[40:]), y[40:], training=training)
    assert report.data["growth"] == expected.data["growth"]
    assert report.data["path"]["error"] == pytest.approx(expected.data["path"]["error"])


def test_a_chosen_C_of_a_path_and_kernel_values():
    X, y = np.random.default_rng(0).normal(size=(80, 3)), np.arange(80) // 2 % 2
    training = (X[::2], y[::2])
    machine = PathSVC(cv=2).fit(*training)
    found = write_report(machine, X[1::2], y[1::2], training=training).data["path"]
    assert found["C"][found["own"]] == machine.C_
    given = (X[::2] @ X[::2].T, y[::2])
    machine = SVC(kernel="precomputed").fit(*given)
    found = write_report(machine, X[1::2] @ X[::2].T, y[1::2], training=given).data
    assert "kernel values" in found["path"]["why_not"]
    assert "kernel values" in found["growth"]["why_not"]


def test_other_rows_than_those_of_the_training_are_noticed(flat):
    report = write_report(flat.machine, flat.X, flat.y, training=(flat.X[:40], flat.y[:40]))
    assert "0 are among the rows given as those of the training" in report.to_html()
    assert "given as those of the training" not in flat.report.to_html()


def test_wrong_training_rows_are_refused_by_name():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    machine = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    with pytest.raises(TypeError, match="training must be a pair of rows and labels"):
        write_report(machine, X, y, training=X)
    with pytest.raises(ValueError, match="X must hold rows to judge by"):
        write_report(machine, training=(X, y))
    with pytest.raises(ValueError, match="inconsistent"):
        write_report(machine, X, y, training=(X, y[:5]))
    data = write_report(OneClassSVM().fit(X), X, training=(X, y)).data
    assert "no labels" in data["growth"]["why_not"]
