"""Steps before a search that have seen the labels of all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler, TargetEncoder

from mercer import SVC, TunedSVC, write_report
from mercer.diagnostics import diagnose
from mercer.diagnostics.label_steps import steps_that_see_labels

RNG = np.random.default_rng(0)
NOISE = RNG.normal(size=(80, 300))
LABELS = RNG.integers(0, 2, 80)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([StandardScaler(), PCA(), VarianceThreshold()], []),
        ([SelectKBest(), StandardScaler()], ["SelectKBest"]),
        ([make_column_transformer((TargetEncoder(), [0]), ("drop", [1]))], ["TargetEncoder"]),
        ([make_union(make_pipeline(StandardScaler(), SelectKBest()))], ["SelectKBest"]),
        (["passthrough"], []),
    ],
)
def test_supervised_steps_are_found_wherever_they_are(
    steps: list[Any], expected: list[str]
) -> None:
    assert steps_that_see_labels(make_pipeline(*steps)) == expected


def test_scores_of_features_chosen_with_all_labels_are_called_too_good() -> None:
    model = make_pipeline(SelectKBest(k=10), TunedSVC(cv=3, max_evals=9)).fit(NOISE, LABELS)
    assert model[-1].honest_score_ > 0.65  # where nothing can be learned
    assert "labels-seen" in {finding.name for finding in diagnose(model).findings}
    assert "SelectKBest" in str(diagnose(model))
    page = write_report(model, NOISE, LABELS).to_html()
    assert "These scores are too good: SelectKBest" in page


def test_steps_before_a_machine_that_searches_nothing_are_left_alone() -> None:
    model = make_pipeline(SelectKBest(k=10), SVC()).fit(NOISE, LABELS)
    assert "labels-seen" not in {finding.name for finding in diagnose(model).findings}
