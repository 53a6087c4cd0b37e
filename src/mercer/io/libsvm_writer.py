"""Writing LIBSVM's model text."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from mercer.io.archive import replaced
from mercer.kernels import Gaussian, Kernel, Linear, Polynomial, Precomputed, Sigmoid
from mercer.machines import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.training.rows import is_precomputed

__all__ = ["SVM_TYPES", "save_libsvm"]

SVM_TYPES: dict[str, type] = {
    "c_svc": SVC,
    "nu_svc": NuSVC,
    "one_class": OneClassSVM,
    "epsilon_svr": SVR,
    "nu_svr": NuSVR,
}


def save_libsvm(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a machine as LIBSVM's model text, for ``svm-predict`` and its many readers.

    Numbers are written with 17 digits, which give the same numbers when read. Probabilities of
    ``probability=True`` are written for ``svm-predict -b 1``. The text has no place for the
    certificate or the loss.

    Parameters
    ----------
    estimator : SVC, NuSVC, SVR, NuSVR or OneClassSVM
        Fitted, with the kernel "linear", "poly", "rbf", "sigmoid" or "precomputed", or the
        kernel objects of the same values; class labels must be integers, and more than two
        classes pairs (``multiclass="one-vs-one"``).
    path : str or path
        Where to write it; an existing file is replaced in one step.

    Examples
    --------
    >>> from pathlib import Path
    >>> from mercer import SVC
    >>> from mercer.io import save_libsvm
    >>> machine = SVC(gamma=0.5).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> save_libsvm(machine, "machine.txt")
    >>> Path("machine.txt").read_text().splitlines()[:2]
    ['svm_type c_svc', 'kernel_type rbf']
    """
    svm_type = _svm_type(estimator)
    check_is_fitted(estimator)
    if vars(estimator).get("multiclass_", "one-vs-one") != "one-vs-one":
        raise ValueError(
            "multiclass must be 'one-vs-one' to be written as LIBSVM text, which knows pairs of "
            f"classes only, got {estimator.multiclass_!r}"
        )
    head = [f"svm_type {svm_type}", *_kernel_lines(estimator.kernel_), *_shape_lines(estimator)]
    lines = chain(head, ["SV"], _support_lines(estimator))
    with replaced(Path(path)) as file:
        file.writelines(f"{line}\n".encode("ascii") for line in lines)


def _svm_type(estimator: Any) -> str:
    for name, cls in SVM_TYPES.items():
        if type(estimator) is cls:
            return name
    allowed = sorted(cls.__name__ for cls in SVM_TYPES.values())
    raise ValueError(
        f"estimator must be one of {allowed} to be written as LIBSVM text, "
        f"got {type(estimator).__name__}"
    )


def _number(value: Any) -> str:
    # Formatted by Python, whatever the locale: LIBSVM itself reads with a point.
    return f"{float(value):.17g}"


def _kernel_lines(kernel: Kernel) -> list[str]:
    match kernel:
        case Linear():
            return ["kernel_type linear"]
        case Gaussian() if np.ndim(kernel.gamma) == 0:
            return ["kernel_type rbf", f"gamma {_number(kernel.gamma)}"]
        case Polynomial():
            scale = [f"gamma {_number(kernel.gamma)}", f"coef0 {_number(kernel.coef0)}"]
            return ["kernel_type polynomial", f"degree {int(kernel.degree)}", *scale]
        case Sigmoid():
            scale = [f"gamma {_number(kernel.gamma)}", f"coef0 {_number(kernel.coef0)}"]
            return ["kernel_type sigmoid", *scale]
        case Precomputed():
            return ["kernel_type precomputed"]
    raise ValueError(
        "kernel must be linear, poly, rbf with one gamma, sigmoid or precomputed to be written "
        f"as LIBSVM text, got {kernel!r}"
    )


def _shape_lines(estimator: Any) -> list[str]:
    total = f"total_sv {len(estimator.support_)}"
    if not hasattr(estimator, "classes_"):
        return ["nr_class 2", total, f"rho {_number(-estimator.intercept_[0])}"]
    rho = _sign(estimator) * -estimator.intercept_
    counts = " ".join(str(int(count)) for count in estimator.n_support_)
    return [
        f"nr_class {len(estimator.classes_)}",
        total,
        "rho " + " ".join(map(_number, rho)),
        "label " + " ".join(map(str, _integer_labels(estimator.classes_))),
        *_probability_lines(estimator),
        f"nr_sv {counts}",
    ]


def _probability_lines(estimator: Any) -> list[str]:
    """Platt's maps as LIBSVM has them, 1 / (1 + exp(A f + B)) for the first class of a pair."""
    calibration = vars(estimator).get("_calibration")
    if calibration is None:
        return []
    slopes = [_number(-own.slope) for own in calibration.maps]
    offsets = [_number(-_sign(estimator) * own.offset) for own in calibration.maps]
    return [f"probA {' '.join(slopes)}", f"probB {' '.join(offsets)}"]


def _sign(estimator: Any) -> float:
    """With two classes positive values mean the second one here, the first one there."""
    return -1.0 if len(getattr(estimator, "classes_", ())) == 2 else 1.0


def _integer_labels(classes: Any) -> list[int]:
    if classes.dtype.kind not in "iub":
        raise ValueError(
            f"class labels must be integers to be written as LIBSVM text, got {list(classes[:5])}"
        )
    labels = [int(label) for label in classes]
    if not all(-(2**31) <= label < 2**31 for label in labels):
        raise ValueError(f"class labels must fit 32 bits for LIBSVM text, got {labels[:5]}")
    return labels


def _support_lines(estimator: Any) -> Iterator[str]:
    coef: Any = estimator.dual_coef_
    dense = np.asarray(coef.toarray() if hasattr(coef, "toarray") else coef)
    columns = dense.T * _sign(estimator)
    for numbers, row in zip(columns.tolist(), _rows(estimator), strict=True):
        yield " ".join([*map(_number, numbers), row])


def _rows(estimator: Any) -> Iterator[str]:
    """``index:value`` pairs counted from 1; a precomputed row is known by its number."""
    if is_precomputed(estimator.kernel):
        yield from (f"0:{int(i) + 1}" for i in estimator.support_)
        return
    vectors = sp.csr_array(estimator.support_vectors_)
    if not vectors.has_canonical_format:
        vectors = vectors.copy()
        vectors.sum_duplicates()
    width = vectors.shape[1]
    for first, last in zip(vectors.indptr[:-1].tolist(), vectors.indptr[1:].tolist(), strict=True):
        indices = vectors.indices[first:last].tolist()
        values = vectors.data[first:last].tolist()
        pairs = [f"{j + 1}:{_number(v)}" for j, v in zip(indices, values, strict=True)]
        if first == 0 and width and (not indices or indices[-1] != width - 1):
            # The text does not tell how many features there are; an explicit zero does.
            pairs.append(f"{width}:0")
        yield " ".join(pairs)
