"""The numbers of a report are those that the library gives."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import binomtest
from sklearn.datasets import load_iris
from sklearn.metrics import (
    balanced_accuracy_score,
    brier_score_loss,
    classification_report,
    confusion_matrix,
    log_loss,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
    root_mean_squared_error,
)

from mercer import RLSC, SVC, OneClassSVM, explain, write_report
from mercer.diagnostics import compare_classifiers
from mercer.kernels import Oligo
from mercer.report.facts import data_hash
from mercer.report.judged import Judged
from mercer.report.numbers import number_verdict


def test_the_verdict_is_that_of_the_comparison_with_the_baseline(two):
    verdict = two.report.data["verdict"]
    predicted = two.machine.predict(two.X)
    labels, counts = np.unique(two.y, return_counts=True)
    usual = labels[counts.argmax()]
    said = {"baseline": np.full(len(two.y), usual), "machine": predicted}
    found = compare_classifiers(said, two.X, two.y)
    assert verdict["baseline"] == usual
    assert verdict["accuracy"] == pytest.approx(two.machine.score(two.X, two.y))
    assert verdict["gain"] == found.pairs[0].difference
    assert verdict["gain_interval"] == list(found.pairs[0].interval)
    assert verdict["p_value"] == found.pairs[0].p_value
    exact = binomtest(verdict["n_right"], len(two.y)).proportion_ci(method="exact")
    assert verdict["accuracy_interval"] == pytest.approx([exact.low, exact.high])
    assert verdict["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(two.y, predicted))
    area = roc_auc_score(two.y == "yes", two.machine.decision_function(two.X))
    assert verdict["roc_auc"] == area


@pytest.mark.parametrize("name", ["two", "three", "columns"])
def test_confusion_and_each_class(name, request):
    case = request.getfixturevalue(name)
    predicted, data = case.machine.predict(case.X), case.report.data
    assert data["confusion"]["counts"] == confusion_matrix(case.y, predicted).tolist()
    expected = classification_report(case.y, predicted, output_dict=True)
    for own in data["classes"]:
        scores = expected[str(own["class"])]
        found = [own["precision"], own["recall"], own["f1"], own["n_rows"]]
        assert found == pytest.approx([*scores.values()])
        exact = binomtest(own["n_right"], own["n_said"]).proportion_ci(method="exact")
        assert own["precision_interval"] == pytest.approx([exact.low, exact.high])


def test_thresholds_count_what_lies_above(two):
    found = two.report.data["thresholds"]
    values = two.machine.decision_function(two.X)
    for k in (0, found["own"], len(found["threshold"]) - 1):
        above = values > found["threshold"][k]
        assert found["true_second"][k] == (above & (two.y == "yes")).sum()
        assert found["false_second"][k] == (above & (two.y == "no")).sum()
    assert found["threshold"][found["own"]] == 0.0
    counts = two.report.data["confusion"]["counts"]
    assert counts[1][1] == found["true_second"][found["own"]]


def test_calibration_of_two_and_of_three_classes(two, three):
    found, shares = two.report.data["calibration"], two.machine.predict_proba(two.X)
    assert found["log_loss"] == pytest.approx(log_loss(two.y, shares))
    assert found["brier"] == pytest.approx(brier_score_loss(two.y == "yes", shares[:, 1]))
    weight = [own["n_rows"] for own in found["bins"]]
    observed = [own["observed"] for own in found["bins"]]
    assert np.average(observed, weights=weight) == pytest.approx(np.mean(two.y == "yes"))
    found, shares = three.report.data["calibration"], three.machine.predict_proba(three.X)
    assert found["of"] is None
    one_hot = np.eye(3)[three.y]
    assert found["brier"] == pytest.approx(np.square(shares - one_hot).sum(axis=1).mean())


def test_reasons_are_shapley_values(two, columns):
    found = two.report.data["reasons"]
    background = two.X[np.linspace(0, 79, 50).round().astype(int)]
    values = explain(two.machine, two.X, background).values
    sizes = {own["name"]: own["mean_size"] for own in found["features"]}
    expected = np.abs(values).mean(axis=0)
    assert sizes == pytest.approx({f"feature {j}": expected[j] for j in range(3)})
    found = columns.report.data["reasons"]
    assert {own["name"] for own in found["features"]} == {"a", "b", "c", "colour"}
    shown = {part["name"]: part["data"] for part in found["rows"][0]["parts"]}
    assert shown == columns.X.iloc[found["rows"][0]["row"]].to_dict()


@pytest.mark.parametrize("name", ["columns", "numbers"])
def test_what_features_add_leads_to_the_prediction(name, request):
    case = request.getfixturevalue(name)
    predict = case.machine.decision_function if name == "columns" else case.machine.predict
    values = predict(case.X)
    for own in case.report.data["reasons"]["rows"]:
        total = own["base"] + sum(part["value"] for part in own["parts"]) + own["rest"]
        assert total == pytest.approx(own["value"])
        assert own["value"] == pytest.approx(values[own["row"]])


def test_doubtful_rows_and_suspects(two):
    values, data = two.machine.decision_function(two.X), two.report.data
    assert data["doubtful"][0]["row"] == np.abs(values).argmin()
    contradicted = np.where(two.y == "yes", values, -values)
    assert data["suspects"]["n_found"] == (contradicted < 0).sum()
    assert data["suspects"]["rows"][0]["row"] == contradicted.argmin()
    assert data["suspects"]["rows"][0]["margin"] == pytest.approx(2 * contradicted.min())


def test_the_search_and_the_certificate(two):
    found, machine = two.report.data["search"], two.machine
    scores = machine.cv_results_["mean_test_score"]
    assert found["n_trials"] == len(scores)
    assert found["score"][0] == scores.max()
    assert found["parameters"]["C"][found["chosen_trial"]] == machine.best_params_["C"]
    proof, best = two.report.data["certificate"], machine.best_estimator_
    assert proof["violation"] == best.violation_
    assert proof["objective"] == best.objective_
    assert proof["relative_gap"] == best.dual_gap_
    assert proof["is_converged"]
    assert two.report.data["machine"]["chosen"]["C"] == machine.C_
    assert two.report.data["machine"]["n_support"] == len(best.support_)


def test_scores_of_numbers(numbers):
    verdict, predicted = numbers.report.data["verdict"], numbers.machine.predict(numbers.X)
    assert verdict["r2"] == pytest.approx(r2_score(numbers.y, predicted))
    assert verdict["rmse"] == pytest.approx(root_mean_squared_error(numbers.y, predicted))
    assert verdict["mean_absolute_error"] == mean_absolute_error(numbers.y, predicted)
    low, high = verdict["r2_interval"]
    assert low < verdict["r2"] < high < 1.0
    points = numbers.report.data["residuals"]
    assert points["predicted"] == predicted[points["rows"]].tolist()
    worst = numbers.report.data["doubtful"][0]
    assert worst["row"] == np.abs(numbers.y - predicted).argmax()
    assert worst["residual"] == numbers.y[worst["row"]] - predicted[worst["row"]]


def test_intervals_of_r2_and_rmse_cover_what_many_rows_give():
    """Of 200 samples of 100 rows nine tenths or more of the 95 % intervals hold the truth."""
    rng = np.random.default_rng(0)
    hits = []
    for _ in range(200):
        signal, noise = rng.normal(size=(2, 100))
        found = number_verdict(Judged("numbers", None, signal + noise, signal), 0.95)
        low, high = found["r2_interval"]
        hits.append((low < 0.5 < high, found["rmse_interval"][0] < 1.0 < found["rmse_interval"][1]))
    assert np.mean(hits, axis=0).min() > 0.9


def test_outliers_without_and_with_labels():
    X = np.random.default_rng(0).normal(size=(80, 2))
    machine = OneClassSVM(nu=0.2).fit(X[:40])
    data = write_report(machine, X[40:]).data
    assert data["verdict"]["n_flagged"] == (machine.predict(X[40:]) == -1).sum()
    y = np.where(np.linalg.norm(X[40:], axis=1) > 2.0, -1, 1)
    data = write_report(machine, X[40:], y).data
    assert data["verdict"]["accuracy"] == pytest.approx(np.mean(machine.predict(X[40:]) == y))


def test_rows_that_were_trained_on_are_said_to_be_no_test(columns):
    assert columns.report.data["rows"]["n_seen"] == 0
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    machine = SVC().fit(X, y)
    report = write_report(machine, X, y)
    assert report.data["rows"]["n_seen"] == len(machine.support_)
    assert "All support vectors are among these rows" in report.to_html()
    report = write_report(machine, X[:10], y[:10])
    assert f"trained on: {report.data['rows']['n_seen']} of 10." in report.to_html()


def test_a_machine_alone_tells_certificate_and_parameters():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    report = write_report(RLSC().fit(X, y), facts={"command": "mercer fit rows.csv"})
    assert report.data["verdict"] is None
    assert report.data["certificate"]["kind"] == "linear system"
    assert "mercer fit rows.csv" in report.to_html()


def test_the_hash_depends_on_the_values_and_not_on_how_they_are_kept(columns):
    X, y = np.arange(6.0).reshape(3, 2), np.array(["a", "b", "b"])
    own = data_hash(X, y)
    assert own == data_hash(np.asfortranarray(X), y) == data_hash(X.astype(np.float32), y)
    assert own != data_hash(X + 1.0, y)
    assert own != data_hash(X, y[::-1])
    again = write_report(columns.machine, columns.X, columns.y, training=columns.training)
    assert again.to_json() == columns.report.to_json()


def test_json_is_strict_and_the_same_as_the_data(three):
    assert json.loads(three.report.to_json()) == three.report.data
    assert three.report.data["schema"] == "mercer.report/1"


def test_rows_of_any_kind_are_reported():
    """Lists, sparse rows, strings, kernel values; what cannot be explained says why."""
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    expected = write_report(SVC().fit(X[::2], y[::2]), X[1::2], y[1::2]).data["verdict"]
    machine = SVC(gamma=1.0 / (4 * X[::2].var())).fit(csr_array(X[::2]), y[::2])
    for rows in (X[1::2].tolist(), csr_array(X[1::2])):
        assert write_report(machine, rows, y[1::2].tolist()).data["verdict"] == expected
    machine = SVC(kernel="precomputed").fit(X[::2] @ X[::2].T, y[::2])
    data = write_report(machine, X[1::2] @ X[::2].T, y[1::2]).data
    assert data["reasons"]["features"] is None
    assert "Precomputed" in data["reasons"]["why_not"]
    words = ["ACGTAC", "AAACCC", "GGGTTT", "TTTGGG"]
    data = write_report(SVC(kernel=Oligo()).fit(words, [0, 0, 1, 1]), ["ACGC", "GGTT"], [0, 1]).data
    assert data["verdict"]["n_rows"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, [0, 1]), "X must hold"),
        (([[0.0, 0.0]], None), "y must hold"),
        (([[0.0, 0.0]], [0, 1]), "inconsistent"),
        (([[0.0, 0.0]], [7]), r"classes of the machine, \['0', '1'\], got \[7\]"),
        (([[0.0, 0.0]], [[0, 1]]), "y must be a vector"),
    ],
)
def test_wrong_rows_are_refused_by_name(arguments, message):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    with pytest.raises(ValueError, match=message):
        write_report(SVC().fit(X, y), *arguments)
