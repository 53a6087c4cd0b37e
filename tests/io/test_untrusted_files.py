"""Files that are damaged or hostile: a ValueError, and nothing else happens."""

from __future__ import annotations

import contextlib
import io
import json
import pickle
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from io_cases import X, Y, assert_same_outputs
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC
from mercer.io import load, read_metadata, save
from mercer.kernels import Gaussian


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "m.mercer"
    save(SVC().fit(X, Y), path)
    return path


def entries(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewritten(model, path, change=None, compression=zipfile.ZIP_STORED, **replaced):
    """The model with its document changed, and entries replaced or (None) left out."""
    content = entries(model)
    document = json.loads(content["model.json"])
    if change is not None:
        change(document)
    content["model.json"] = json.dumps(document).encode()
    content |= {name.replace("__", "/"): value for name, value in replaced.items()}
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, value in content.items():
            if value is not None:
                archive.writestr(name, value)
    return path


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("the pickle was executed",))


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def test_the_helper_keeps_a_model_whole(model, tmp_path):
    assert_same_outputs(load(model), load(rewritten(model, tmp_path / "m")), X)


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", pickle.dumps(SVC()), pickle.dumps(Bomb()), b"PK\x03\x04" + bytes(100)],
)
def test_other_files(content, tmp_path):
    path = tmp_path / "m.mercer"
    path.write_bytes(content)
    for read in (load, read_metadata):
        with pytest.raises(ValueError, match=r"m\.mercer is not a mercer model file"):
            read(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "m.mercer")


def test_other_archives(tmp_path):
    np.savez(tmp_path / "m.npz", a=np.arange(3))
    with pytest.raises(ValueError, match=r"it has no model\.json"):
        load(tmp_path / "m.npz")


def test_truncated_files(model, tmp_path):
    content = model.read_bytes()
    path = tmp_path / "m.mercer"
    for length in range(0, len(content), max(1, len(content) // 60)):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match="mercer model file"):
            load(path)


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_a_damaged_byte_is_noticed_or_harmless(data, model, tmp_path_factory):
    content = bytearray(model.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.mercer"
    path.write_bytes(content)
    loaded = None
    with contextlib.suppress(ValueError):
        loaded = load(path)
    if loaded is not None:
        assert_same_outputs(load(model), loaded, X)


def test_a_pickled_array_is_not_opened(model, tmp_path):
    hostile = npy(np.array([Bomb()], dtype=object), allow_pickle=True)
    path = rewritten(model, tmp_path / "m", arrays__0_npy=None, **{"arrays/0.npy": hostile})
    with pytest.raises(ValueError, match=r"arrays/0\.npy holds object"):
        load(path)


def test_compressed_entries_are_refused(model, tmp_path):
    path = rewritten(model, tmp_path / "m", compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match="is compressed"):
        load(path)


def test_an_array_that_claims_more_than_it_has(model, tmp_path):
    header = npy(np.zeros(3)).replace(b"(3,)", b"(9223372036854775807,)")
    short = header.replace(b" " * 18 + b"\n", b"\n")
    path = rewritten(model, tmp_path / "m", **{"arrays/0.npy": short})
    with pytest.raises(ValueError, match=r"arrays/0\.npy has shape"):
        load(path)


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_unknown_versions(model, tmp_path, version):
    path = rewritten(model, tmp_path / "m", lambda document: document.update(version=version))
    with pytest.raises(ValueError, match=f"format version is {version!r}, this mercer reads 1"):
        load(path)


def changed_model(**changes):
    return lambda document: document["model"].update(**changes)


def changed_state(**changes):
    return lambda document: document["model"]["state"].update(**changes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed_model(**{"class": "os.system"}), "unknown class 'os.system'"),
        (changed_model(**{"class": ["SVC"]}), "unknown class"),
        (changed_model(type="code"), "its model is not an estimator"),
        (changed_state(C={"type": "pickle"}), "unknown type 'pickle'"),
        (changed_state(C={"type": "array", "array": 999}), "there is no array 999"),
        (changed_state(predict=1), r"no parameters or fitted attributes \['predict'\]"),
        (changed_state(coef_=1), r"no parameters or fitted attributes \['coef_'\]"),
        (changed_state(__class__="int"), "no parameters or fitted attributes"),
        (changed_state(support_=3), "support_ must be an array"),
        (changed_state(kernel_="rbf"), "kernel_ is not a kernel"),
        (changed_state(shape_fit_=[3, 4]), "shape_fit_ is"),
        (changed_state(solutions_=None), "solutions_ is not a tuple"),
        (changed_state(intercept_={"type": "objects", "shape": [1], "items": ["a"]}), "intercept_"),
        (changed_state(kernel_={"type": "object", "class": "Sum", "state": {}}), "TypeError"),
        (lambda document: document.pop("model"), "KeyError: 'model'"),
    ],
)
def test_hostile_documents(model, tmp_path, change, message):
    path = rewritten(model, tmp_path / "m", change)
    with pytest.raises(ValueError, match=message):
        load(path)


@pytest.mark.parametrize("attribute", ["support_", "support_vectors_", "dual_coef_", "_n_support"])
def test_arrays_that_do_not_fit_together(model, tmp_path, attribute):
    machine = load(model)
    value = getattr(machine, attribute)
    wrongs = [value[:-1], value[..., :-1], value.astype("U5"), value.ravel()[None, None]]
    if value.dtype.kind == "i":
        wrongs += [value + 10**6, value - 10**6]
    for wrong in wrongs:
        setattr(machine, attribute, wrong)
        save(machine, tmp_path / "m")
        with pytest.raises(ValueError, match="do not fit together"):
            load(tmp_path / "m")


def test_sparse_indices_beyond_the_shape(tmp_path):
    machine = SVC().fit(sp.csr_matrix(X), Y)
    machine.support_vectors_.indices[3] = 10**6
    save(machine, tmp_path / "m")
    with pytest.raises(ValueError, match="does not hold a valid model"):
        load(tmp_path / "m")


def test_preprocessing_of_another_version_is_told(tmp_path):
    save(make_pipeline(StandardScaler(), SVC()).fit(X, Y), tmp_path / "a")
    path = rewritten(
        tmp_path / "a", tmp_path / "m", lambda d: d["written_by"].update({"scikit-learn": "1.2.0"})
    )
    with pytest.warns(InconsistentVersionWarning, match=r"1\.2\.0"):
        load(path)


def test_a_kernel_for_rows_of_another_width(model, tmp_path):
    machine = load(model)
    machine.kernel_ = Gaussian(gamma=[0.1, 0.2])
    save(machine, tmp_path / "m")
    with pytest.raises(ValueError, match="does not hold a valid model"):
        load(tmp_path / "m")
