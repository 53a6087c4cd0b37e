"""Files that are damaged or hostile: a ValueError, and nothing else happens."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from io_cases import X, Y, assert_same_outputs
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from mercer import SVC
from mercer.io import archive as archive_module
from mercer.io import load, load_libsvm, read_metadata, save, save_libsvm
from mercer.kernels import Gaussian, Polynomial


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
    with pytest.raises(ValueError, match=r"arrays/0\.npy must hold numbers or strings"):
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


def test_sparse_offsets_that_fall_back_to_zero_do_not_crash(tmp_path):
    machine = SVC().fit(sp.csr_matrix(X), Y)
    machine.dual_coef_.indptr[-1] = 0
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


def test_a_link_to_an_endless_device_is_refused(tmp_path):
    for target in ("/dev/zero", "/dev/full"):
        path = tmp_path / target[5:]
        path.symlink_to(target)
        for read in (load, read_metadata, load_libsvm):
            with pytest.raises(ValueError, match="is a device or a pipe; it must be a file"):
                read(path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="is a device or a pipe"):
        load(tmp_path / "pipe")
    with pytest.raises(IsADirectoryError):
        load(tmp_path)


def test_a_declared_shape_takes_no_memory(tmp_path):
    """A million million rows, of which the file has none."""
    path = tmp_path / "a"
    save(SVC().fit(sp.csr_matrix(X), Y), path)

    def widen(document):
        document["model"]["state"]["support_vectors_"]["shape"] = [10**12, 4]

    with pytest.raises(ValueError, match=r"sparse matrix of shape \[1000000000000, 4\]"):
        load(rewritten(path, tmp_path / "m", widen))


def test_an_array_is_used_once(model, tmp_path):
    """Else a small file could ask for the same array ten thousand times."""
    state = json.loads(entries(model)["model.json"])["model"]["state"]
    path = rewritten(model, tmp_path / "m", changed_state(class_weight_=state["intercept_"]))
    with pytest.raises(ValueError, match="is used twice"):
        load(path)


COLLIDING = [k * (2**61 - 1) for k in range(40_000)]
TUPLES = [{"type": "tuple", "items": [-1 - (k >> b & 1) for b in range(12)]} for k in range(4096)]


@pytest.mark.parametrize(
    ("keys", "message"), [(COLLIDING, "more than 64 bits"), (TUPLES, "a key must be a plain value")]
)
def test_keys_that_collide_are_refused(model, tmp_path, keys, message):
    weights = {"type": "dict", "items": [[key, 1.0] for key in keys]}
    path = rewritten(model, tmp_path / "m", changed_state(class_weight=weights))
    with pytest.raises(ValueError, match=message):
        load(path)


@pytest.mark.parametrize("name", ["dual_coef_", "intercept_", "support_vectors_"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_coefficient_that_is_not_finite(model, tmp_path, name, value):
    machine = load(model)
    getattr(machine, name)[..., -1] = value
    save(machine, tmp_path / "m")
    with pytest.raises(ValueError, match=f"{name} must be finite"):
        load(tmp_path / "m")


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        (SVC(kernel="poly", degree=10**18), "degree must be at most 10000 in a file"),
        (SVC(kernel=Polynomial(degree=10**18)), "degree must be at most 10000 in a file"),
        (SVC(n_threads=10**6), "n_threads must be at most 1024 in a file"),
        (SVC(C=-1.0), "The 'C' parameter of SVC must be"),
        (SVC(kernel="none"), "The 'kernel' parameter of SVC must be"),
        (make_pipeline(StandardScaler(with_mean=3), SVC()), "The 'with_mean' parameter"),
    ],
)
def test_parameters_that_a_fit_would_refuse(machine, message, tmp_path):
    save(machine, tmp_path / "m")
    with pytest.raises(ValueError, match=message):
        load(tmp_path / "m")


def test_a_kernel_of_stored_values_in_a_machine_of_rows(model, tmp_path):
    stored = {"type": "object", "class": "Precomputed", "state": {"positive_definite": True}}
    with pytest.raises(ValueError, match=r"kernel_ is Precomputed"):
        load(rewritten(model, tmp_path / "m", changed_state(kernel_=stored)))


def test_encoded_columns_beyond_the_width_are_refused(tmp_path):
    pipeline = make_pipeline(OneHotEncoder(drop="first"), SVC()).fit(X.round(), Y)
    for name, value in (
        ("_n_features_outs", [1, 1, 1, 1]),
        ("_drop_idx_after_grouping", np.array([0, 0, 0, 10**6], dtype=object)),
    ):
        changed = pickle.loads(pickle.dumps(pipeline))
        setattr(changed[0], name, value)
        save(changed, tmp_path / "m")
        with pytest.raises(ValueError, match="do not fit together"):
            load(tmp_path / "m")


def test_a_file_starts_no_processes_and_opens_no_cache(tmp_path):
    columns = ColumnTransformer([("scale", StandardScaler(), [0, 1, 2, 3])])
    pipeline = make_pipeline(columns, SVC()).fit(X, Y)
    predicted = pipeline.predict(X)
    pipeline.set_params(memory=str(tmp_path / "cache"), columntransformer__n_jobs=7)
    save(pipeline, tmp_path / "a")

    def ask(document):
        document["model"]["state"]["memory"] = str(tmp_path / "cache")
        columns = document["model"]["state"]["steps"][0]["items"][1]
        columns["state"]["n_jobs"] = 7

    for path in (tmp_path / "a", rewritten(tmp_path / "a", tmp_path / "m", ask)):
        loaded = load(path)
        assert loaded.memory is None
        assert loaded[0].n_jobs is None
        np.testing.assert_array_equal(loaded.predict(X), predicted)


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e999", "1" + 30 * "0"])
def test_numbers_that_are_endless(model, tmp_path, text):
    document = entries(model)["model.json"].decode().replace('"C": 1.0', f'"C": {text}')
    assert text in document
    path = rewritten(model, tmp_path / "m")
    content = entries(path) | {"model.json": document.encode()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in content.items():
            archive.writestr(name, value)
    for read in (load, read_metadata):
        with pytest.raises(ValueError, match=r"not finite|more than 64 bits"):
            read(path)


def test_a_line_with_a_huge_index_takes_no_memory(tmp_path):
    save_libsvm(SVC().fit(X, Y), tmp_path / "a")
    text = (tmp_path / "a").read_text()
    (tmp_path / "m").write_text(text.replace(" 4:", " 1000000000:", 1))
    with pytest.raises(ValueError, match=r"largest index is 1000000000, a file of .* may use"):
        load_libsvm(tmp_path / "m")
    assert load_libsvm(tmp_path / "m", n_features=10**9).n_features_in_ == 10**9


def test_an_archive_with_very_many_entries_is_refused(model, monkeypatch):
    monkeypatch.setattr(archive_module, "MOST_ENTRIES", 3)
    for read in (load, read_metadata):
        with pytest.raises(ValueError, match="entries, at most 3 are read"):
            read(model)


def test_a_bomb_of_entries_that_share_their_bytes_is_refused(model, tmp_path):
    """Many names for the same bytes: each entry is small, all of them together are not."""
    content = entries(model)
    path = tmp_path / "m"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", content["model.json"])
        archive.writestr("arrays/0.npy", npy(np.zeros(10_000)))
        for k in range(1, 100):
            again = zipfile.ZipInfo(f"arrays/{k}.npy")
            first = archive.infolist()[1]
            for name in ("header_offset", "CRC", "compress_size", "file_size"):
                setattr(again, name, getattr(first, name))
            archive.filelist.append(again)
    for mmap in (False, True):
        with pytest.raises(ValueError, match="claim more bytes than the file has"):
            load(path, mmap=mmap)
