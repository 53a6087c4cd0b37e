"""Our fitted machines as scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.kernel_ridge import KernelRidge
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mercer.io.sklearn.reading import CLASSES, SAME
from mercer.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial, Precomputed, Sigmoid
from mercer.machines import LSSVR
from mercer.machines.linear_coef import linear_factor
from mercer.machines.svm.schemes import PairScheme

__all__ = ["to_sklearn"]

FloatArray = NDArray[np.float64]
OWN = {ours: theirs for theirs, ours in CLASSES.items()}


def to_sklearn(machine: Any) -> Any:
    """Return a fitted machine of scikit-learn that predicts as ours does.

    Parameters
    ----------
    machine : SVC, NuSVC, SVR, NuSVR, OneClassSVM or LSSVR
        A fitted machine, or a Pipeline that ends in one. Classes must be told by pairs, and the
        kernel be linear, polynomial, Gaussian of one width, sigmoid or precomputed; a LSSVR, which
        may have a Laplacian kernel, too, must have no bias.

    Returns
    -------
    estimator : SVC, NuSVC, SVR, NuSVR, OneClassSVM or KernelRidge of scikit-learn
        With the same parameters, as far as it knows them, and fitted attributes.

    Raises
    ------
    ValueError
        If scikit-learn has no such machine; the message says why.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.io import to_sklearn
    >>> machine = SVC(gamma=0.5).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> type(to_sklearn(machine)).__module__, to_sklearn(machine).predict([[0.2]]).tolist()
    ('sklearn.svm._classes', [0])
    """
    if isinstance(machine, Pipeline):
        name, last = machine.steps[-1]
        return Pipeline([*machine.steps[:-1], (name, to_sklearn(last))])
    if type(machine) is not LSSVR and type(machine) not in OWN:
        allowed = sorted(cls.__name__ for cls in (*OWN, LSSVR))
        raise ValueError(
            f"machine must be one of {allowed}, or a Pipeline that ends in one, got "
            f"{type(machine).__name__}{_inside(machine)}"
        )
    check_is_fitted(machine, "intercept_")
    return _as_ridge(machine) if type(machine) is LSSVR else _as_svm(machine)


def _inside(machine: Any) -> str:
    """Where the machine is that can go, if there is one."""
    names = ("best_estimator_", "estimator_")
    found = next((own for own in names if type(getattr(machine, own, None)) in OWN), None)
    return "" if found is None else f": its {found} can go"


def _kernel_arguments(kernel: Kernel, *more: type) -> dict[str, Any]:
    """The name and the parameters of a kernel that scikit-learn has."""
    match kernel:
        case Linear():
            return {"kernel": "linear"}
        case Gaussian() if np.ndim(kernel.gamma) == 0:
            return {"kernel": "rbf", "gamma": kernel.gamma}
        case Polynomial():
            scale = {"gamma": kernel.gamma, "coef0": kernel.coef0}
            return {"kernel": "poly", "degree": int(kernel.degree), **scale}
        case Sigmoid():
            return {"kernel": "sigmoid", "gamma": kernel.gamma, "coef0": kernel.coef0}
        case Precomputed():
            return {"kernel": "precomputed"}
        case Laplacian() if Laplacian in more:
            return {"kernel": "laplacian", "gamma": kernel.gamma}
    raise ValueError(
        "kernel must be linear, polynomial, Gaussian of one width, sigmoid or precomputed for "
        f"scikit-learn, got {kernel!r}"
    )


def _as_svm(machine: Any) -> Any:
    if hasattr(machine, "classes_") and not isinstance(machine._scheme, PairScheme):
        raise ValueError(
            f"multiclass must be 'one-vs-one' for scikit-learn, got {machine.multiclass!r}"
        )
    cls: Any = OWN[type(machine)]
    kernel = _kernel_arguments(machine.kernel_)
    estimator = cls(**_arguments(machine, cls, kernel))
    for name in SAME:
        if name in vars(machine):
            setattr(estimator, name, vars(machine)[name])
    estimator._gamma = float(kernel.get("gamma", 0.0))
    _keep_coefficients(estimator, machine)
    return estimator


def _arguments(machine: Any, cls: Any, kernel: dict[str, Any]) -> dict[str, Any]:
    """Parameters that both have, where scikit-learn takes their values."""
    given, known = machine.get_params(deep=False), cls._get_param_names()
    common = {name: given[name] for name in known if name in given} | kernel
    common.pop("probability", None)
    if not isinstance(common.get("cache_size"), int | float):
        common.pop("cache_size", None)
    return common


def _keep_coefficients(estimator: Any, machine: Any) -> None:
    """What scikit-learn predicts with: two classes have the opposite sign there."""
    vectors = machine.support_vectors_
    is_sparse = sp.issparse(vectors)
    estimator._sparse = is_sparse
    n_support, n_functions = len(machine.support_), len(machine.intercept_)
    counts = machine._n_support if hasattr(machine, "classes_") else [n_support, n_support]
    estimator._n_support = np.asarray(counts, dtype=np.int32)
    estimator.support_ = np.asarray(machine.support_, dtype=np.int32)
    estimator.support_vectors_ = _as_vectors(vectors)
    dense = machine.dual_coef_.toarray() if sp.issparse(machine.dual_coef_) else machine.dual_coef_
    coef = np.array(dense, dtype=np.float64, order="C")
    sign = -1.0 if len(getattr(machine, "classes_", ())) == 2 else 1.0
    estimator.dual_coef_ = _with_zeros(coef) if is_sparse else coef
    estimator._dual_coef_ = _with_zeros(sign * coef) if is_sparse else sign * coef
    estimator.intercept_ = np.array(machine.intercept_, dtype=np.float64)
    estimator._intercept_ = sign * estimator.intercept_
    estimator._probA, estimator._probB = np.empty(0), np.empty(0)
    estimator._effective_probability = False
    iterations = np.broadcast_to(getattr(machine, "n_iter_", 0), (n_functions,))
    estimator._num_iter = np.array(iterations, dtype=np.int32)
    is_classifier = hasattr(machine, "classes_")
    estimator.n_iter_ = estimator._num_iter if is_classifier else int(estimator._num_iter[0])


def _with_zeros(coef: FloatArray) -> sp.csr_matrix:
    """A sparse matrix that stores every entry: scikit-learn hands them to LIBSVM as they are."""
    n, width = coef.shape
    parts = (coef.ravel(), np.tile(np.arange(width), n), np.arange(0, n * width + 1, max(width, 1)))
    return sp.csr_matrix(parts, shape=coef.shape)


def _as_vectors(vectors: Any) -> Any:
    if sp.issparse(vectors):
        return sp.csr_matrix(vectors, dtype=np.float64)
    return np.ascontiguousarray(vectors, dtype=np.float64)


def _as_ridge(machine: LSSVR) -> KernelRidge:
    if np.any(machine.intercept_ != 0.0):
        raise ValueError(
            "LSSVR must have no bias to become a KernelRidge: fit with fit_intercept=False"
        )
    if "dual_coef_" not in vars(machine):
        return _linear_ridge(machine)
    arguments = _kernel_arguments(machine.kernel_, Laplacian)
    estimator = KernelRidge(alpha=machine.alpha_, **arguments)
    coef, rows = machine.dual_coef_.T, machine.support_vectors_
    if arguments["kernel"] == "precomputed":
        n = machine.shape_fit_[0]
        full = np.zeros((n, coef.shape[1]))
        full[machine.support_] = coef
        coef, rows = full, np.empty((n, n))
    return _with_rows(estimator, machine, rows, coef)


def _linear_ridge(machine: LSSVR) -> KernelRidge:
    """Weights w of features as coefficients of unit rows: f(x) = sum_j w_j e_j'x."""
    if linear_factor(machine.kernel_) is None or "_shift" in vars(machine):
        raise ValueError("LSSVR without dual coefficients cannot become a KernelRidge")
    estimator = KernelRidge(alpha=machine.alpha_, kernel="linear")
    return _with_rows(estimator, machine, np.eye(machine.n_features_in_), machine.coef_.T)


def _with_rows(estimator: Any, machine: Any, rows: Any, coef: FloatArray) -> KernelRidge:
    estimator.X_fit_ = rows.astype(np.float64)  # of two sets of floats it would compute in floats
    estimator.dual_coef_ = coef[:, 0] if machine._is_flat else np.ascontiguousarray(coef)
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(machine, name):
            setattr(estimator, name, getattr(machine, name))
    return estimator
