"""Streams come back from a model file as they were, or damaged files are refused."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from streams import learned, streamed, three

from mercer import OnlineSVC, OnlineSVR
from mercer.io import load, save

sys.path.insert(0, str(Path(__file__).parent.parent / "io"))
import damage

X, Y = three(160)
CASES = {
    "classes": (OnlineSVC(gamma=0.3), X, Y),
    "two classes": (OnlineSVC(gamma=0.3), X, Y > 0),
    "names": (OnlineSVC(gamma=0.3), X.astype(np.float32), np.array(["a", "b", "c"])[Y]),
    "sparse": (OnlineSVC(kernel="linear", keep_rows=True), sp.csr_matrix(X), Y),
    "budget": (OnlineSVC(gamma=0.3, max_support_vectors=30, eviction="merging"), X, Y),
    "targets": (OnlineSVR(gamma=0.3, keep_rows=True), X, X[:, 0]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_stream_goes_on_from_a_file(name, tmp_path):
    prototype, rows, labels = CASES[name]
    machine = streamed(prototype, rows, labels, [50, 60])
    save(machine, tmp_path / "m.mercer")
    loaded = load(tmp_path / "m.mercer")
    assert learned(loaded) == learned(machine)
    np.testing.assert_array_equal(loaded.predict(rows), machine.predict(rows))
    for one in (machine, loaded):
        one.partial_fit(rows[:40], labels[:40])
    assert learned(loaded) == learned(machine)
    machine.finish()
    save(machine, tmp_path / "m.mercer")
    loaded = load(tmp_path / "m.mercer")
    assert loaded.violation_ == machine.violation_
    assert learned(loaded) == learned(machine)


@pytest.mark.parametrize("name", ["classes", "sparse", "targets"])
@pytest.mark.parametrize("value", [None, True, False, 1, "x"])
def test_rows_are_of_the_kind_that_a_file_says(name, value, tmp_path):
    prototype, rows, labels = CASES[name]
    path = tmp_path / "m.mercer"
    save(streamed(prototype, rows, labels, []), path)
    entries = damage.unpacked(path.read_bytes())
    document = json.loads(entries["model.json"])
    is_true = document["model"]["state"]["_has_sparse_rows"] is value
    document["model"]["state"]["_has_sparse_rows"] = value
    path.write_bytes(damage.packed(entries | {"model.json": json.dumps(document).encode()}))
    if is_true:
        load(path).partial_fit(rows[:20], labels[:20])
    else:
        # it ended in a segmentation fault when the next chunk came
        with pytest.raises(ValueError, match="rows"):
            load(path)


@pytest.mark.parametrize("kind", ["altered", "crafted"])
@pytest.mark.parametrize("name", ["classes", "sparse", "targets"])
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_stream_is_refused_or_harmless(name, kind, tmp_path):
    prototype, rows, labels = CASES[name]
    path = tmp_path / "m.mercer"
    save(streamed(prototype, rows, labels, []), path)
    files = getattr(damage, kind)(path.read_bytes(), 25, np.random.default_rng(0))
    outcomes = [damage.opened(content, path, X) for content in files]
    assert "refused" in outcomes
