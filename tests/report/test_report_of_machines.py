"""Every machine reports on itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mercer import (
    RLSC,
    SVC,
    SVDD,
    SVR,
    CalibratedOneClassSVM,
    CalibratedSVC,
    ChunkedEnsemble,
    CodeClassifier,
    ConformalSVC,
    ConformalSVR,
    HullClassifier,
    OneClassSVM,
    OnlineSVC,
    PathSVC,
    ThresholdSVC,
    TunedSVC,
    write_report,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
LABELS, TARGETS = np.where(X[:, 0] > 0, "yes", "no"), X[:, 0] - X[:, 1]
MACHINES = [
    SVC(), RLSC(), OnlineSVC(), PathSVC(cv=2), HullClassifier(), TunedSVC(max_evals=4),
    CalibratedSVC(SVC(), cv=2), ThresholdSVC(SVC(), cv=2), CodeClassifier(SVC()),
    ChunkedEnsemble(RLSC(), n_chunks=2), ConformalSVC(SVC(), kind="split"),
    SVR(), ConformalSVR(SVR(), kind="split"), OneClassSVM(), SVDD(), CalibratedOneClassSVM(),
]  # fmt: skip


def learned(machine: Any) -> tuple[Any, Any]:
    """The machine fitted, and what to judge it by."""
    tags = machine.__sklearn_tags__()
    y = {"classifier": LABELS, "regressor": TARGETS}.get(str(tags.estimator_type))
    return machine.fit(X[:40], None if y is None else y[:40]), None if y is None else y[40:]


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: type(machine).__name__)
def test_the_method_is_the_function(machine: Any, tmp_path: Path) -> None:
    fitted, truth = learned(machine)
    page = tmp_path / "report.html"
    found = fitted.report(X[40:], truth, page, explained=False)
    assert found.to_json() == write_report(fitted, X[40:], truth, explained=False).to_json()
    assert page.read_text(encoding="utf-8") == found.to_html()
