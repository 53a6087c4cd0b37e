"""Fitted machines of scikit-learn as ours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import svm
from sklearn.kernel_ridge import KernelRidge
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mercer._warning import warn
from mercer.io.consistency import revived
from mercer.kernels import Kernel, Normalized, as_kernel
from mercer.machines import LSSVR, SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.machines.linear_coef import linear_factor

__all__ = ["CLASSES", "from_sklearn"]

CLASSES: dict[type, type] = {
    svm.SVC: SVC,
    svm.NuSVC: NuSVC,
    svm.SVR: SVR,
    svm.NuSVR: NuSVR,
    svm.OneClassSVM: OneClassSVM,
}
# Fitted attributes that mean the same.
SAME = (
    *("support_", "support_vectors_", "dual_coef_", "intercept_", "fit_status_", "n_iter_"),
    *("shape_fit_", "n_features_in_", "feature_names_in_", "classes_", "class_weight_", "offset_"),
)
RIDGE_KERNELS = {"polynomial": "poly"} | {
    name: name for name in ("linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed")
}


def from_sklearn(estimator: Any) -> Any:
    """Return a machine of ours that predicts as a fitted one of scikit-learn does.

    Parameters
    ----------
    estimator : SVC, NuSVC, SVR, NuSVR, OneClassSVM or KernelRidge of scikit-learn
        A fitted machine, or a Pipeline that ends in one; its other steps are kept as they are.

    Returns
    -------
    estimator : SVC, NuSVC, SVR, NuSVR, OneClassSVM or LSSVR
        With the same parameters and fitted attributes. There is no certificate (``solutions_`` is
        empty), and what ``probability=True`` fitted is left out, with a warning.

    Raises
    ------
    ValueError
        If the class, or a kernel that is a Python function, cannot be converted.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from mercer.io import from_sklearn
    >>> from_sklearn(SVC().fit([[0.0], [1.0]], ["no", "yes"])).predict([[0.9]])
    array(['yes'], dtype='<U3')
    """
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        return Pipeline([*estimator.steps[:-1], (name, from_sklearn(last))])
    if type(estimator) is not KernelRidge and type(estimator) not in CLASSES:
        allowed = sorted(cls.__name__ for cls in (*CLASSES, KernelRidge))
        raise ValueError(
            f"estimator must be one of scikit-learn's {allowed}, or a Pipeline that ends in one, "
            f"got {type(estimator).__name__}"
        )
    check_is_fitted(estimator)
    if not isinstance(estimator.kernel, str):
        raise ValueError(f"kernel must be a name to be converted, got {estimator.kernel!r}")
    machine = _of_ridge(estimator) if type(estimator) is KernelRidge else _of_svm(estimator)
    return revived(machine)


def _of_svm(estimator: Any) -> Any:
    cls: Any = CLASSES[type(estimator)]
    given = estimator.get_params(deep=False)
    own = {name: given[name] for name in cls._get_param_names() if name in given}
    if own.get("probability") not in (None, False, "deprecated"):
        warn("probabilities of the estimator are left out: use CalibratedClassifierCV")
    own.pop("probability", None)
    machine = cls(**own)
    for name in SAME:
        if name in vars(estimator):
            setattr(machine, name, vars(estimator)[name])
    if hasattr(machine, "classes_"):
        machine._n_support = np.asarray(estimator.n_support_)
        machine.multiclass_ = "one-vs-one"
    gamma = float(estimator._gamma) or 1.0
    numbers = {"gamma": gamma, "degree": estimator.degree, "coef0": estimator.coef0}
    machine.kernel_ = as_kernel(estimator.kernel, **numbers)
    machine._gamma = estimator._gamma
    machine.solutions_ = ()
    return machine


def _of_ridge(estimator: KernelRidge) -> LSSVR:
    """Kernel ridge regression is the least squares machine without a bias."""
    if np.size(estimator.alpha) != 1:
        raise ValueError(
            f"alpha must be one number to be converted, got {np.size(estimator.alpha)}: convert "
            "one machine a target"
        )
    kernel, is_stored = _ridge_kernel(estimator), estimator.kernel == "precomputed"
    alpha = float(np.ravel(estimator.alpha)[0])
    machine = LSSVR(alpha=alpha, kernel="precomputed" if is_stored else kernel, fit_intercept=False)
    rows, coef = estimator.X_fit_, np.asarray(estimator.dual_coef_, dtype=np.float64)
    machine.n_features_in_ = estimator.n_features_in_
    if hasattr(estimator, "feature_names_in_"):
        machine.feature_names_in_ = estimator.feature_names_in_
    machine.shape_fit_ = (int(rows.shape[0]), int(rows.shape[1]))
    machine._n_dimensions = coef.ndim
    machine.kernel_, machine.alpha_ = kernel, alpha
    machine.support_ = np.arange(rows.shape[0], dtype=np.int32)
    if isinstance(kernel, Normalized):
        machine.support_ = _with_length(rows)
        rows, coef = rows[machine.support_], coef[machine.support_]
    machine.dual_coef_ = np.ascontiguousarray(coef.reshape(len(coef), -1).T)
    machine.intercept_ = np.zeros(len(machine.dual_coef_))
    machine.support_vectors_ = np.empty((0, 0)) if is_stored else _read_rows(rows)
    factor = None if is_stored else linear_factor(kernel)
    if factor is not None:
        machine.coef_ = factor * np.asarray(machine.support_vectors_.T @ machine.dual_coef_.T).T
    return machine


def _with_length(rows: Any) -> NDArray[np.int32]:
    """Rows that are not zero: scikit-learn's cosine is 0 for the others, also among them."""
    return np.flatnonzero(np.asarray(abs(rows).sum(axis=1)).ravel()).astype(np.int32)


def _read_rows(rows: Any) -> Any:
    """Rows of a type that compiled code reads."""
    return rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)


def _ridge_kernel(estimator: KernelRidge) -> Kernel:
    """The kernel of that name, with the gamma 1 / n_features where none is given."""
    if estimator.kernel == "cosine":
        return Normalized(as_kernel("linear"))
    if estimator.kernel not in RIDGE_KERNELS:
        allowed = sorted([*RIDGE_KERNELS, "cosine"])
        raise ValueError(
            f"kernel must be one of {allowed} to be converted, got {estimator.kernel!r}"
        )
    gamma = 1.0 / estimator.n_features_in_ if estimator.gamma is None else float(estimator.gamma)
    name = RIDGE_KERNELS[estimator.kernel]
    return as_kernel(name, gamma=gamma, degree=estimator.degree, coef0=estimator.coef0)
