"""What is refused is named as the user gave it, with advice that can be followed."""

from __future__ import annotations

import numpy as np
import pytest

import mercer._memory
from mercer import LSSVC, LSSVR, RLSC

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))


@pytest.mark.parametrize(
    ("parameters", "advice"),
    [
        ({"sparse": "prune"}, "with sparse=None low_rank works"),
        ({"sparse": "l0"}, "with sparse=None low_rank works"),
        (
            {"penalty": "coefficients"},
            "low_rank, with method='rectangle', works in blocks of rows$",
        ),
    ],
)
def test_without_memory_the_advice_is_not_refused_itself(parameters, advice, monkeypatch):
    monkeypatch.setattr(mercer._memory, "LITTLE", 0)
    monkeypatch.setattr(mercer._memory, "available_bytes", lambda: 1000)
    with pytest.raises(ValueError, match=advice):
        LSSVR(**parameters).fit(X, X[:, 0])


def test_a_score_of_two_classes_is_named_when_there_are_three():
    with pytest.raises(ValueError, match=r"scoring must work on .*'roc_auc'.*multi_class"):
        RLSC(alpha="loo", scoring="roc_auc").fit(X, np.arange(60) % 3)


def negated(A, B):
    return -np.asarray(A) @ np.asarray(B).T


@pytest.mark.parametrize("kernel", [negated, "sigmoid"])
def test_cg_on_an_indefinite_kernel_names_the_solver(kernel):
    y = X[:, 0] > 0
    with pytest.raises(ValueError, match=r"solver='cg' needs a positive semi-definite kernel"):
        LSSVC(solver="cg", kernel=kernel, coef0=-1.0).fit(X, y)
