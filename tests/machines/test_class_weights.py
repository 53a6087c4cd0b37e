"""Classes and their weights mean the same, and are refused alike, in every classifier."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import LSSVC, RLSC, SVC, NuSVC, ReducedSVC

CLASSIFIERS = [SVC, NuSVC, RLSC, LSSVC, ReducedSVC]


def sample(n_classes=3):
    rng = np.random.default_rng(0)
    y = np.arange(60) % n_classes
    return rng.normal(size=(60, 2)) + y[:, None], y


@pytest.mark.parametrize("machine", CLASSIFIERS)
@pytest.mark.parametrize("wrong", [0, -1, np.nan, np.inf])
def test_a_class_of_no_weight_was_never_predicted(machine, wrong):
    X, y = sample()
    with pytest.raises(ValueError, match=r"^class_weight must be positive and finite"):
        machine(class_weight={0: 1, 1: wrong, 2: 1}).fit(X, y)


@pytest.mark.parametrize("machine", CLASSIFIERS)
def test_a_class_whose_rows_have_no_weight_is_refused(machine):
    X, y = sample()
    with pytest.raises(ValueError, match=r"sample_weight must be positive.* classes \[1\]"):
        machine().fit(X, y, sample_weight=(y != 1).astype(float))
    X, y = sample(2)
    with pytest.raises(ValueError, match="got 1 class with positive weight"):
        machine().fit(X, y, sample_weight=(y != 1).astype(float))


@pytest.mark.parametrize("machine", CLASSIFIERS)
def test_one_class_is_refused(machine):
    X, _ = sample()
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        machine().fit(X, np.zeros(len(X), dtype=int))


@pytest.mark.parametrize("machine", CLASSIFIERS)
def test_balanced_weights_are_those_of_scikit_learn(machine):
    X, y = sample()
    y = np.where(y == 2, 1, y)
    fitted = machine(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(fitted.class_weight_, [1.5, 0.75])


@pytest.mark.parametrize("machine", [RLSC, LSSVC])
def test_blocks_of_a_stream_name_what_is_wrong_with_their_classes(machine):
    X, y = sample()
    linear = machine(kernel="linear")
    with pytest.raises(ValueError, match="classes must name all classes at the first block"):
        linear.partial_fit(X[:1], y[:1])
    with pytest.raises(ValueError, match=r"no other classes than \[0, 1\], got \[2\]"):
        linear.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=r"^class_weight must be positive and finite"):
        machine(kernel="linear", class_weight={0: 1, 1: -1, 2: 1}).partial_fit(X, y)
    with pytest.raises(ValueError, match="class_weight='balanced' needs all rows"):
        machine(kernel="linear", class_weight="balanced").partial_fit(X, y)
