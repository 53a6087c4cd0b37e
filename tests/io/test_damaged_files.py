"""A damaged or crafted file is refused with a ValueError, or is a model like any other."""

from __future__ import annotations

import damage
import numpy as np
import pytest
from io_cases import X, Y
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from mercer import LSSVC, LSSVR, SVC, SVR, OneClassSVM, ReducedSVC
from mercer.io import save

MODELS = {
    "classes": lambda: SVC().fit(X, Y),
    "pipeline": lambda: make_pipeline(StandardScaler(), SVR(kernel="poly")).fit(X, Y),
    "categories": lambda: make_pipeline(OneHotEncoder(), SVC()).fit(X.round(), Y),
    "stream": lambda: LSSVC(low_rank=20).partial_fit(X, Y),
    "outliers": lambda: OneClassSVM(kernel="linear").fit(X),
    "targets": lambda: LSSVR(kernel="linear").fit(X, X[:, 2:]),
    "code": lambda: SVC(multiclass="code", code="sparse").fit(X, Y),
    "all in one": lambda: SVC(multiclass="crammer-singer").fit(X, Y),
    "basis": lambda: ReducedSVC(low_rank=20).fit(X, Y),
}


@pytest.mark.parametrize("kind", ["truncated", "flipped", "resealed", "altered", "crafted"])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_file_is_refused_or_harmless(name, kind, tmp_path):
    path = tmp_path / "m.mercer"
    save(MODELS[name](), path)
    rng = np.random.default_rng(0)
    files = getattr(damage, kind)(path.read_bytes(), 25, rng)
    outcomes = [damage.opened(content, path, X.round()) for content in files]
    assert "refused" in outcomes
