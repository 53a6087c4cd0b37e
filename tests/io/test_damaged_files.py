"""A damaged or crafted file is refused with a ValueError, or is a model like any other."""

from __future__ import annotations

import json

import damage
import numpy as np
import pytest
from io_cases import X, Y
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    OneHotEncoder,
    PowerTransformer,
    QuantileTransformer,
    StandardScaler,
)

from mercer import (
    LSSVC,
    LSSVR,
    RLSC,
    SVC,
    SVDD,
    SVR,
    CalibratedOneClassSVM,
    CalibratedSVC,
    CodeClassifier,
    OneClassSVM,
    ReducedSVC,
    TunedSVC,
)
from mercer.io import load, save

COLUMNS = make_column_transformer(
    (PowerTransformer(), [0]),
    (make_pipeline(SimpleImputer(), QuantileTransformer(n_quantiles=5)), [1]),
    (OneHotEncoder(min_frequency=9, handle_unknown="ignore"), [2]),
    (PCA(1), [2, 3]),
)
MODELS = {
    "classes": lambda: SVC().fit(X, Y),
    "pipeline": lambda: make_pipeline(StandardScaler(), SVR(kernel="poly")).fit(X, Y),
    "categories": lambda: make_pipeline(OneHotEncoder(), SVC()).fit(X.round(), Y),
    "stream": lambda: LSSVC(low_rank=20).partial_fit(X, Y),
    "outliers": lambda: OneClassSVM(kernel="linear").fit(X),
    "targets": lambda: LSSVR(kernel="linear").fit(X, X[:, 2:]),
    "code": lambda: SVC(multiclass="code", code="sparse").fit(X, Y),
    "all in one": lambda: SVC(multiclass="crammer-singer").fit(X, Y),
    "search": lambda: TunedSVC(max_evals=3, cv=2).fit(X, Y),
    "calibrated": lambda: CalibratedClassifierCV(SVC(), method="isotonic", cv=2).fit(X, Y),
    "members": lambda: CodeClassifier(RLSC(kernel="linear")).fit(X, Y),
    "columns": lambda: make_pipeline(COLUMNS, SVC()).fit(X, Y),
    "boundary": lambda: SVDD().fit(X),
    "values": lambda: CalibratedOneClassSVM().fit(X),
    "maps": lambda: CalibratedSVC(SVC(), cv=2).fit(X, Y),
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


@pytest.mark.parametrize(
    ("machine", "name", "wrong"),
    [
        (SVDD(), "radius_", []),
        (SVDD(), "_largest", "x"),
        (OneClassSVM(), "violation_", []),
        (CalibratedOneClassSVM(), "estimator_", None),
        (CalibratedSVC(SVC(), cv=2), "estimator_", None),
    ],
)
def test_a_file_without_what_a_machine_predicts_with_is_refused(machine, name, wrong, tmp_path):
    machine = machine.fit(X, Y)
    save(machine, tmp_path / "m.mercer")
    entries = damage.unpacked((tmp_path / "m.mercer").read_bytes())
    document = json.loads(entries["model.json"])
    state = document["model"]["state"]
    assert name in state
    state[name] = wrong
    if wrong is None:
        del state[name]
    (tmp_path / "m.mercer").write_bytes(
        damage.packed(entries | {"model.json": json.dumps(document).encode()})
    )
    with pytest.raises(ValueError, match="do not fit together"):
        load(tmp_path / "m.mercer")
