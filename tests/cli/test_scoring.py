"""``mercer tune --scoring``: scores that ask for a positive class, probabilities, another task."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, log_loss


@pytest.fixture
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(90, 2)), columns=["u", "v"])
    found = frame.u + 0.5 * rng.normal(size=90) > 0.3
    frame["churn"] = np.where(found, "yes", "no")
    frame[:60].to_csv("train.csv", index=False)
    frame[60:].to_csv("test.csv", index=False)
    return frame


def told(mercer, *options) -> str:
    output = mercer("tune", "train.csv", "--target", "churn", "--force", *options).output
    return " ".join(output.split())


def test_f1_of_yes_and_no_ended_in_an_error_about_pos_label(mercer, table):
    output = told(mercer, "--scoring", "f1", "--test", "test.csv")
    mercer("predict", "train.csv.mercer", "test.csv", "-o", "said.csv")
    truth, said = table.churn[60:], pd.read_csv("said.csv").prediction
    assert f"f1 {f1_score(truth, said, pos_label='yes'):.4f} on test rows" in output


@pytest.mark.parametrize("options", [(), ("--proba",)])
def test_a_score_of_probabilities_ended_in_a_traceback_on_test_rows(mercer, table, options):
    output = told(mercer, "--scoring", "neg_log_loss", "--test", "test.csv", *options)
    assert "on test rows" in output
    if options:
        mercer("predict", "train.csv.mercer", "test.csv", "--proba", "-o", "said.csv")
        loss = log_loss(table.churn[60:], pd.read_csv("said.csv")[["p_no", "p_yes"]])
        assert f"neg log loss {-loss:.4f} on test rows" in output


def test_a_model_tuned_by_the_positive_class_is_saved_with_probabilities(mercer, table):
    told(mercer, "--scoring", "average_precision", "--proba")
    found = json.loads(
        mercer("predict", "train.csv.mercer", "test.csv", "--proba", "--json").stdout
    )
    assert all(0.0 <= row["p_yes"] <= 1.0 for row in found["rows"])


@pytest.mark.parametrize(
    ("target", "scoring", "message"),
    [
        ("churn", "r2", "--scoring r2 is for numbers, the target holds classes"),
        ("u", "f1", "--scoring f1 is for classes, the target holds numbers"),
        ("kind", "f1", "is for two classes, there are 3; f1_macro is for more"),
        ("kind", "roc_auc", "is for two classes, there are 3; roc_auc_ovr is for more"),
        ("churn", "roc_auk", "did you mean roc_auc?"),
    ],
)
def test_a_score_of_another_task_is_refused_in_our_words(mercer, table, target, scoring, message):
    table.assign(kind=np.resize(["a", "b", "c"], 90)).to_csv("t.csv", index=False)
    assert (
        message in mercer("tune", "t.csv", "--target", target, "--scoring", scoring, code=1).stderr
    )
