"""LIBSVM's model text: what we write means the same to LIBSVM, and comes back."""

from __future__ import annotations

import locale
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from io_cases import MACHINES, X, Y, assert_same_outputs
from libsvm_reference import TextModel, permuted_text
from sklearn import svm
from sklearn.base import clone

from mercer import SVC, SVR, NuSVC, OneClassSVM
from mercer.io import load_libsvm, save_libsvm
from mercer.kernels import Gaussian, Linear

KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 0.5, "gamma": "auto"},
    "rbf": {"kernel": "rbf", "gamma": 0.3},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.01, "coef0": -0.1},
    "object": {"kernel": Gaussian(gamma=0.2)},
}
CLASSIFIERS = ("SVC", "NuSVC")


def text_of(machine, path):
    save_libsvm(machine, path)
    return path.read_text()


@pytest.mark.filterwarnings("ignore:the kernel")
@pytest.mark.parametrize("rows", [X, sp.csr_matrix(X)], ids=["dense", "sparse"])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", MACHINES)
def test_machines_come_back(name, kernel, rows, tmp_path):
    machine = clone(MACHINES[name]).set_params(**KERNELS[kernel])
    machine.fit(rows, Y - 1)
    save_libsvm(machine, tmp_path / "m.model")
    loaded = load_libsvm(tmp_path / "m.model")
    assert type(loaded) is type(machine)
    assert loaded.n_features_in_ == 4
    loaded.set_params(
        **{
            key: machine.get_params()[key]
            for key in ("decision_function_shape",)
            if key in machine.get_params()
        }
    )
    for method in ("predict", "decision_function"):
        if hasattr(machine, method):
            expected = getattr(machine, method)(X)
            np.testing.assert_allclose(getattr(loaded, method)(X), expected, rtol=0, atol=1e-10)


def test_dense_rows_come_back_bit_for_bit(tmp_path):
    for machine in (SVC(gamma=0.3), OneClassSVM(gamma=0.3), SVR(kernel="linear")):
        machine.fit(X, Y)
        save_libsvm(machine, tmp_path / "m.model")
        assert_same_outputs(machine, load_libsvm(tmp_path / "m.model"), X)


@pytest.mark.filterwarnings("ignore:the kernel")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_text_means_to_libsvm_what_we_mean(n_classes, kernel, tmp_path):
    keep = n_classes > Y
    labels = 10 * Y - 7
    machine = SVC(decision_function_shape="ovo", break_ties=False, **KERNELS[kernel])
    machine.fit(X[keep], labels[keep])
    model = TextModel(text_of(machine, tmp_path / "m.model"))
    sign = -1.0 if n_classes == 2 else 1.0
    for x in X[::17]:
        ours = np.ravel(machine.decision_function([x]))
        np.testing.assert_allclose(model.values(x), sign * ours, atol=1e-9)
        assert model.label(x) == machine.predict([x])[0]


@pytest.mark.parametrize("name", ["SVR", "NuSVR", "OneClassSVM"])
def test_functions_mean_the_same(name, tmp_path):
    machine = clone(MACHINES[name]).fit(X, Y)
    model = TextModel(text_of(machine, tmp_path / "m.model"))
    values = machine.decision_function(X) if name == "OneClassSVM" else machine.predict(X)
    for x, value in zip(X[::17], values[::17], strict=True):
        assert model.values(x)[0] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_in_any_order(n_classes, tmp_path):
    keep = n_classes > Y
    machine = NuSVC(nu=0.3, decision_function_shape="ovo").fit(X[keep], Y[keep])
    text = text_of(machine, tmp_path / "m.model")
    for order in permutations(range(n_classes)):
        path = tmp_path / "permuted.model"
        path.write_text(permuted_text(text, list(order)))
        loaded = load_libsvm(path).set_params(decision_function_shape="ovo")
        np.testing.assert_allclose(
            loaded.decision_function(X), machine.decision_function(X), atol=1e-10
        )
        assert (loaded.predict(X) == machine.predict(X)).all()
        model = TextModel(path.read_text())
        assert all(model.label(x) == machine.predict([x])[0] for x in X[keep][::13])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_coefficients_of_scikit_learn(n_classes, tmp_path):
    keep = n_classes > Y
    theirs = svm.SVC(gamma=0.4, decision_function_shape="ovo").fit(X[keep], Y[keep])
    ours = SVC(gamma=0.4, decision_function_shape="ovo").fit(X[keep], Y[keep])
    for name in ("support_", "support_vectors_", "dual_coef_", "intercept_"):
        setattr(ours, name, getattr(theirs, name))
    ours._n_support = theirs.n_support_.astype(np.intp)
    save_libsvm(ours, tmp_path / "m.model")
    loaded = load_libsvm(tmp_path / "m.model").set_params(decision_function_shape="ovo")
    np.testing.assert_allclose(loaded.decision_function(X), theirs.decision_function(X), atol=1e-10)
    assert (loaded.predict(X) == theirs.predict(X)).all()


def test_precomputed_kernel(tmp_path):
    K = X @ X.T
    for machine in (SVC(kernel="precomputed"), SVR(kernel="precomputed")):
        machine.fit(K, Y)
        text = text_of(machine, tmp_path / "m.model")
        assert f"0:{machine.support_[0] + 1}" in text
        loaded = load_libsvm(tmp_path / "m.model", n_features=len(K))
        assert_same_outputs(machine, loaded, K)
        narrow = load_libsvm(tmp_path / "m.model")
        assert narrow.n_features_in_ == machine.support_.max() + 1


def test_features_that_are_zero_in_all_support_vectors(tmp_path):
    rows = np.c_[X, np.zeros((150, 2))]
    machine = SVC(kernel="linear").fit(rows, Y)
    save_libsvm(machine, tmp_path / "m.model")
    loaded = load_libsvm(tmp_path / "m.model")
    assert loaded.n_features_in_ == 6
    assert_same_outputs(machine, loaded, rows)
    wide = load_libsvm(tmp_path / "m.model", n_features=9)
    assert (wide.predict(np.c_[rows, np.ones((150, 3))]) == machine.predict(rows)).all()
    with pytest.raises(ValueError, match="n_features must be at least 6"):
        load_libsvm(tmp_path / "m.model", n_features=5)


def test_the_locale_does_not_matter(tmp_path):
    machine = SVC(gamma=0.3).fit(X, Y)
    expected = text_of(machine, tmp_path / "a")
    old = locale.setlocale(locale.LC_NUMERIC)
    try:
        for name in ("de_DE.UTF-8", "C.UTF-8", "C"):
            try:
                locale.setlocale(locale.LC_NUMERIC, name)
            except locale.Error:
                continue
            assert text_of(machine, tmp_path / "b") == expected
            load_libsvm(tmp_path / "b")
            assert locale.setlocale(locale.LC_NUMERIC) == name
    finally:
        locale.setlocale(locale.LC_NUMERIC, old)


@pytest.mark.parametrize(
    ("machine", "labels", "message"),
    [
        (SVC(), np.array(["a", "b", "c"])[Y], "class labels must be integers"),
        (SVC(), Y + 0.0, "class labels must be integers"),
        (SVC(), Y + 2**40, "must fit 32 bits"),
        (SVC(kernel="laplacian"), Y, "kernel must be linear, poly, rbf"),
        (SVC(kernel=Gaussian([0.1, 0.2, 0.3, 0.4])), Y, "kernel must be linear, poly, rbf"),
        (SVC(kernel=Linear() + 1.0), Y, "kernel must be linear, poly, rbf"),
        (svm.SVC(), Y, "estimator must be one of .* got SVC"),
    ],
)
def test_what_the_text_cannot_say_is_refused(machine, labels, message, tmp_path):
    machine.fit(X, labels)
    with pytest.raises(ValueError, match=message):
        save_libsvm(machine, tmp_path / "m.model")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def text(tmp_path):
    return text_of(SVC(gamma=0.5).fit(X, Y), tmp_path / "m.model")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("svm_type c_svc", "svm_type d_svc", "svm_type must be one of"),
        ("kernel_type rbf", "kernel_type spline", "kernel_type must be one of"),
        ("gamma 0.5", "gamma nan", "numbers must be finite"),
        ("gamma 0.5", "gamme 0.5", "unknown entry 'gamme'"),
        ("nr_class 3", "nr_class 4", "do not agree"),
        ("label 0 1 2", "label 0 1 1", "do not agree"),
        ("label 0 1 2\n", "", "'label' is missing"),
        ("svm_type c_svc", "svm_type nu_svr", "do not agree"),
        ("svm_type c_svc\n", "", "'svm_type' is missing"),
        ("nr_sv ", "nr_sv 9 ", "nr_sv must add up"),
        ("total_sv ", "total_sv 1", "nr_sv must add up"),
        ("\nSV\n", "\nSV\n1 1 1:1\n", "total_sv is"),
        ("\nSV\n", "\n", "there is no line SV"),
        (" 1:5", " 99999999999999999999:5", "is not a LIBSVM model"),
        (" 1:5", " -1:5", "indices must not be negative"),
        (" 1:5", " 1;5", "is not a LIBSVM model"),
        ("rho ", "rho x ", "is not a LIBSVM model"),
        ("rho ", "rho 1_0 ", "a number is wanted, got '1_0'"),
        ("nr_class 3", "nr_class 0_3", "a whole number is wanted, got '0_3'"),
        (" 1:5", " 1_0:5", r"line 11: a whole number is wanted, got '1_0'"),
        (" 1:5", " 1:5_0", r"line 11: a number is wanted, got '5_0"),
        (" 1:5", " 1:1 1:5", r"line 11: each index may occur once, got 1 again"),
    ],
)
def test_damaged_texts(text, old, new, message, tmp_path):
    assert old in text
    (tmp_path / "m.model").write_text(text.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        load_libsvm(tmp_path / "m.model")


def test_wide_rows_stay_sparse(tmp_path):
    rows = sp.random(40, 50_000, density=1e-3, format="csr", random_state=0)
    machine = SVC(kernel="linear").fit(rows, np.arange(40) % 2)
    save_libsvm(machine, tmp_path / "m.model")
    loaded = load_libsvm(tmp_path / "m.model")
    assert sp.issparse(loaded.support_vectors_)
    assert_same_outputs(machine, loaded, rows)


def test_other_files_are_no_models(tmp_path):
    for content in (b"", b"\xff\xfe\0", b"SV\n", b"hello\nSV\n1 2 3"):
        (tmp_path / "m.model").write_bytes(content)
        with pytest.raises(ValueError, match="is not a LIBSVM model"):
            load_libsvm(tmp_path / "m.model")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_come_back(n_classes, tmp_path):
    keep = n_classes > Y
    with pytest.warns(FutureWarning, match="probability"):
        machine = SVC(gamma=0.3, probability=True).fit(X[keep], Y[keep])
    text = text_of(machine, tmp_path / "m.model")
    expected = machine.predict_proba(X)
    np.testing.assert_array_equal(load_libsvm(tmp_path / "m.model").predict_proba(X), expected)
    # whatever the order of the classes in the text
    for order in permutations(range(n_classes)):
        (tmp_path / "m.model").write_text(permuted_text(text, order))
        turned = load_libsvm(tmp_path / "m.model")
        np.testing.assert_allclose(turned.predict_proba(X), expected, atol=1e-13)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_mean_to_libsvm_what_we_mean(n_classes, tmp_path):
    """Of two classes; of more, LIBSVM ends its iteration at 0.005 for all classes together."""
    svmutil = pytest.importorskip("libsvm.svmutil", exc_type=ImportError)
    keep = n_classes > Y
    rows, labels = X[keep].tolist(), (10 * Y[keep] - 7).tolist()
    theirs = svmutil.svm_train(labels[::-1], rows[::-1], "-b 1 -q -g 0.3")
    svmutil.svm_save_model(str(tmp_path / "m.model"), theirs)
    ours = load_libsvm(tmp_path / "m.model")
    save_libsvm(ours, tmp_path / "back.model")
    for model in (theirs, svmutil.svm_load_model(str(tmp_path / "back.model"))):
        expected = np.array(svmutil.svm_predict(labels, rows, model, "-b 1 -q")[2])
        expected = expected[:, np.argsort(model.get_labels())]
        tolerance = 1e-6 if n_classes == 2 else 0.005
        np.testing.assert_allclose(ours.predict_proba(X[keep]), expected, atol=tolerance)


def test_the_scale_of_noise_is_left_out_aloud(tmp_path):
    text = text_of(SVR().fit(X, Y), tmp_path / "m.model")
    (tmp_path / "m.model").write_text(text.replace("rho", "probA 0.1\nrho", 1))
    with pytest.warns(UserWarning, match="probA of the LIBSVM model, .* is left out"):
        load_libsvm(tmp_path / "m.model")


@pytest.mark.parametrize("lines", ["probA 1 2 3", "probA 1\nprobB 2", "probA 1 2 x\nprobB 1 2 3"])
def test_probabilities_that_do_not_fit_are_refused(lines, text, tmp_path):
    (tmp_path / "m.model").write_text(text.replace("label", f"{lines}\nlabel", 1))
    with pytest.raises(ValueError, match="is not a LIBSVM model"):
        load_libsvm(tmp_path / "m.model")


def test_schemes_that_the_text_does_not_know_are_refused(tmp_path):
    machine = SVC(multiclass="one-vs-all").fit(X, Y)
    with pytest.raises(ValueError, match="multiclass must be 'one-vs-one'"):
        save_libsvm(machine, tmp_path / "m.txt")
    # two classes are one pair in every scheme
    save_libsvm(SVC(multiclass="code", code="bch").fit(X, Y > 0), tmp_path / "m.txt")
