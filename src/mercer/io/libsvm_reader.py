"""Reading LIBSVM's model text."""

from __future__ import annotations

import os
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer._warning import warn
from mercer.calibration import Calibration
from mercer.calibration.layout import Layout
from mercer.calibration.sigmoid import Sigmoid
from mercer.io.consistency import revived
from mercer.io.libsvm_writer import SVM_TYPES
from mercer.io.opening import open_regular
from mercer.kernels import as_kernel
from mercer.training.rows import is_precomputed

__all__ = ["check_width", "load_libsvm"]

FloatArray = NDArray[np.float64]

KERNELS = {
    "linear": "linear",
    "polynomial": "poly",
    "rbf": "rbf",
    "sigmoid": "sigmoid",
    "precomputed": "precomputed",
}
NUMBERS = ("gamma", "coef0", "rho", "probA", "probB")
INTEGERS = ("degree", "nr_class", "total_sv", "label", "nr_sv")
# Rows that take more cells than this when dense, most of them zero, stay sparse.
DENSE_CELLS = 10**6
# Columns that a text may have however short it is.
MOST_COLUMNS = 2**20
WHOLE = re.compile(r"[+-]?[0-9]+")
# What the machines here have no place for: the density of outliers.
IGNORED = ("prob_density_marks",)


def load_libsvm(path: str | os.PathLike[str], *, n_features: int | None = None) -> Any:
    """Return the machine in a LIBSVM model text, ready to predict.

    Parameters
    ----------
    path : str or path
        Text written by ``svm-train`` or :func:`save_libsvm`.
    n_features : int, default=None
        The number of features; for a precomputed kernel, of training rows. The text does not
        tell it: None takes the largest index there is, if the text is not too short for it.

    Returns
    -------
    estimator : SVC, NuSVC, SVR, NuSVR or OneClassSVM
        Class labels come in ascending order, whatever their order in the text. The text has
        no certificate (``solutions_`` is empty), and says nothing of C, nu or the loss.
        Probabilities of classes (``svm-train -b 1``) come with it; ``predict`` goes by votes,
        where ``svm-predict -b 1`` takes the class of the greatest probability. The scale of
        the noise of a regression is left out with a warning.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.io import load_libsvm, save_libsvm
    >>> machine = SVC(gamma=0.5).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> save_libsvm(machine, "machine.txt")
    >>> load_libsvm("machine.txt").predict([[0.2], [2.8]]).tolist()
    [0, 1]
    """
    try:
        with open_regular(Path(path)) as file:
            text = file.read().decode("ascii")
        head, body = _parts(text)
        machine = _machine(_header(head), body, n_features)
        check_width(machine.n_features_in_, len(text), n_features)
        return revived(machine)
    except (ValueError, KeyError, IndexError, OverflowError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise ValueError(f"{path} is not a LIBSVM model: {reason}") from error


def check_width(width: int, file_size: int, given: int | None = None) -> None:
    """Raise ValueError if there are far more columns than a file of this size can fill.

    Evaluating sparse rows takes memory for every column.
    """
    allowed = max(MOST_COLUMNS, file_size)
    if given is None and width > allowed:
        raise ValueError(
            f"its largest index is {width}, a file of {file_size} bytes may use 1..{allowed}; "
            "number the features without such gaps"
        )


def _parts(text: str) -> tuple[list[str], dict[int, str]]:
    """The lines of the header, and those of the support vectors by their numbers."""
    lines = [line.strip() for line in text.split("\n")]
    if "SV" not in lines:
        raise ValueError("there is no line SV")
    start = lines.index("SV")
    body = {k: line for k, line in enumerate(lines, 1) if line and k > start + 1}
    return lines[:start], body


def _header(lines: list[str]) -> dict[str, Any]:
    header: dict[str, Any] = {}
    for line in lines:
        key, *words = line.split()
        if key in ("svm_type", "kernel_type"):
            header[key] = words[0]
        elif key in NUMBERS:
            header[key] = [_finite(word) for word in words]
        elif key in INTEGERS:
            header[key] = [_whole(word) for word in words]
        elif key in IGNORED:
            warn(f"{key} of the LIBSVM model is left out")
        else:
            raise ValueError(f"unknown entry {key!r}")
    for key, allowed in (("svm_type", list(SVM_TYPES)), ("kernel_type", list(KERNELS))):
        if header[key] not in allowed:
            raise ValueError(f"{key} must be one of {allowed}, got {header[key]!r}")
    _check_counts(header)
    return header


def _check_counts(header: dict[str, Any]) -> None:
    n_classes, total = header["nr_class"][0], header["total_sv"][0]
    is_classifier = header["svm_type"] in ("c_svc", "nu_svc")
    labels = header["label"] if is_classifier else [0, 1]
    counts = header["nr_sv"] if is_classifier else [total, 0]
    if len(set(labels)) != n_classes or len(header["rho"]) != n_classes * (n_classes - 1) // 2:
        raise ValueError(f"nr_class, label and rho do not agree: {n_classes} classes")
    if len(counts) != n_classes or min(counts) < 0 or sum(counts) != total:
        raise ValueError(f"nr_sv must add up to the {total} support vectors")


def _whole(word: str) -> int:
    if not WHOLE.fullmatch(word):
        raise ValueError(f"a whole number is wanted, got {word!r}")
    return int(word)


def _finite(word: str) -> float:
    # Python takes 1_0 for 10
    if "_" in word:
        raise ValueError(f"a number is wanted, got {word!r}")
    value = float(word)
    if not np.isfinite(value):
        raise ValueError(f"numbers must be finite, got {word}")
    return value


def _machine(header: dict[str, Any], body: dict[int, str], n_features: int | None) -> Any:
    if len(body) != header["total_sv"][0]:
        raise ValueError(f"total_sv is {header['total_sv'][0]}, but there are {len(body)} rows")
    kernel = KERNELS[header["kernel_type"]]
    arguments = {key: header[key][0] for key in ("gamma", "degree", "coef0") if key in header}
    machine = SVM_TYPES[header["svm_type"]](kernel=kernel, **arguments)
    coef, rows = _support(body, header["nr_class"][0] - 1)
    if hasattr(machine, "class_weight"):
        coef, rows = _keep_classes(machine, header, coef, rows)
    else:
        if "probA" in header:
            warn("probA of the LIBSVM model, the scale of its noise, is left out")
        machine.intercept_ = -np.array(header["rho"])
    if hasattr(machine, "score_samples"):
        machine.offset_ = -machine.intercept_
    _keep_rows(machine, coef, rows, n_features)
    machine.kernel_ = as_kernel(kernel, **arguments)
    machine._gamma = arguments.get("gamma", 0.0)
    machine.fit_status_ = 0
    machine.solutions_ = ()
    return machine


def _support(body: dict[int, str], n_coef: int) -> tuple[FloatArray, sp.csr_array]:
    """Coefficients, one column a support vector, and the rows with indices counted from 0."""
    lines = [_vector(number, line, n_coef) for number, line in body.items()]
    coef = np.array([own for own, _, _ in lines]).reshape(len(lines), n_coef).T
    indices = np.array([index for _, row, _ in lines for index in row], dtype=np.int64)
    values = np.array([value for _, _, row in lines for value in row])
    cuts = np.cumsum([0, *(len(row) for _, row, _ in lines)])
    width = int(indices.max(initial=0)) + 1
    return coef, sp.csr_array((values, indices, cuts), shape=(len(lines), width))


def _vector(number: int, line: str, n_coef: int) -> tuple[list[float], list[int], list[float]]:
    """Coefficients, indices and values of one support vector."""
    words = line.split()
    pairs = [word.partition(":") for word in words[n_coef:]]
    try:
        coef = [_finite(word) for word in words[:n_coef]]
        indices = [_whole(index) for index, _, _ in pairs]
        values = [_finite(value) for _, _, value in pairs]
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from None
    if min(indices, default=0) < 0:
        raise ValueError(f"line {number}: indices must not be negative, got {min(indices)}")
    if len(set(indices)) < len(indices):
        repeated = next(index for index in indices if indices.count(index) > 1)
        raise ValueError(f"line {number}: each index may occur once, got {repeated} again")
    return coef, indices, values


def _keep_classes(
    machine: Any, header: dict[str, Any], coef: FloatArray, rows: sp.csr_array
) -> tuple[FloatArray, sp.csr_array]:
    """Bring classes into ascending order: a pair that turns round changes its sign.

    Row r of the coefficients of class c belongs to the pair of c with class r if r < c, else
    with class r + 1; positive means the first class of the pair. With two classes it means
    the second one to the machines here.
    """
    labels, counts = np.array(header["label"]), np.array(header["nr_sv"])
    n_classes = len(labels)
    order = np.argsort(labels)
    members = np.split(np.arange(len(coef.T)), np.cumsum(counts)[:-1])
    rho = dict(zip(combinations(range(n_classes), 2), header["rho"], strict=True))
    turned = np.empty_like(coef)
    intercept, signs = [], []
    for i, j in combinations(range(n_classes), 2):
        first, second = order[i], order[j]
        sign = 1.0 if (first < second) == (n_classes > 2) else -1.0
        intercept.append(-sign * rho[min(first, second), max(first, second)])
        signs.append(sign)
        for own, other, row in ((first, second, j - 1), (second, first, i)):
            turned[row, members[own]] = sign * coef[other - (other > own), members[own]]
    sequence = np.concatenate([members[c] for c in order])
    machine.classes_ = labels[order]
    machine.multiclass_ = "one-vs-one"
    machine.class_weight_ = np.ones(n_classes)
    machine._n_support = counts[order]
    machine.intercept_ = np.array(intercept)
    if "probA" in header or "probB" in header:
        _keep_probabilities(machine, header, order, signs)
    return np.ascontiguousarray(turned[:, sequence]), rows[sequence]


def _keep_probabilities(
    machine: Any, header: dict[str, Any], order: NDArray[np.intp], signs: list[float]
) -> None:
    """Platt's maps: of the first class of a pair 1 / (1 + exp(A f + B)), f in the text's signs."""
    n_classes = len(order)
    pairs = list(combinations(range(n_classes), 2))
    maps = list(zip(header["probA"], header["probB"], strict=True))
    if len(maps) != len(pairs):
        raise ValueError(f"probA and probB must have {len(pairs)} numbers, got {len(maps)}")
    by_pair = dict(zip(pairs, maps, strict=True))
    ours = []
    for (i, j), sign in zip(pairs, signs, strict=True):
        a, b = by_pair[min(order[i], order[j]), max(order[i], order[j])]
        # 1 - p of the value with the other sign: the slope stays, the offset turns round
        ours.append(Sigmoid(-a, -sign * b))
    machine.probability = True
    machine._calibration = Calibration(
        Layout(n_classes, "two" if n_classes == 2 else "pairs"), ours
    )


def _keep_rows(machine: Any, coef: FloatArray, rows: sp.csr_array, n_features: int | None) -> None:
    machine.dual_coef_ = coef
    if is_precomputed(machine.kernel):
        # "0:serial" is all there is of a precomputed row.
        machine.support_ = rows[:, [0]].toarray().ravel().astype(np.int32) - 1
        seen = int(machine.support_.max(initial=-1)) + 1
        machine.support_vectors_ = np.empty((0, 0))
    else:
        machine.support_ = np.arange(rows.shape[0], dtype=np.int32)
        rows, seen = _from_one(rows), rows.shape[1] - 1
    width = seen if n_features is None else int(n_features)
    if width < seen:
        raise ValueError(f"n_features must be at least {seen}, the largest index, got {n_features}")
    if not is_precomputed(machine.kernel):
        parts = (rows.data, rows.indices, rows.indptr)
        vectors = sp.csr_matrix(parts, shape=(rows.shape[0], width))
        is_dense = rows.shape[0] * width <= max(DENSE_CELLS, 4 * rows.nnz)
        machine.support_vectors_ = vectors.toarray() if is_dense else vectors
    n_rows = width if is_precomputed(machine.kernel) else rows.shape[0]
    machine.n_features_in_ = width
    machine.shape_fit_ = (n_rows, width)


def _from_one(rows: sp.csr_array) -> sp.csr_array:
    """The rows without column 0; a slice would take memory for every column there might be."""
    kept = rows.indices > 0
    cuts = np.concatenate([[0], np.cumsum(kept)])[rows.indptr]
    parts = (rows.data[kept], rows.indices[kept] - 1, cuts)
    return sp.csr_array(parts, shape=(rows.shape[0], rows.shape[1] - 1))
