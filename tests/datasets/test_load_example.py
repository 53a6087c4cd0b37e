"""The example data set."""

from __future__ import annotations

import numpy as np

from mercer.datasets import load_example


def test_example_is_a_labelled_table():
    X, y, feature_names = load_example()
    assert X.shape == (569, 30)
    assert np.isfinite(X).all()
    assert (np.sum(y == -1), np.sum(y == 1)) == (212, 357)
    assert len(feature_names) == 30
    assert all(type(name) is str for name in feature_names)
