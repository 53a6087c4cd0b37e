"""Curves of errors and scores along C count what the machines do."""

from __future__ import annotations

import numpy as np

from mercer import PathSVC


def test_a_score_on_a_trivial_path_has_no_zip_error() -> None:
    y = np.array([0, 0, 1, 1, 0, 1, 0, 1])
    machine = PathSVC(kernel="linear", cv=2, scoring="accuracy").fit(np.ones((8, 1)), y)
    assert machine.cv_score_.value.tolist() == [0.5]
    assert machine.cv_error_.value.tolist() == [0.5]
