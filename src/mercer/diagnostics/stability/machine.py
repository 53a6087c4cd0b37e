"""The stability of a fitted machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.diagnostics.stability.losses import SQUARED
from mercer.diagnostics.stability.uniform import Stability, tikhonov_stability
from mercer.gram import Gram
from mercer.gram.native import count_rows
from mercer.machines import LSSVC, LSSVR, RLSC, SVC, SVR

__all__ = ["C_and_loss", "machine_stability"]

FloatArray = NDArray[np.float64]


def machine_stability(
    machine: Any,
    X: Any,
    sample_weight: ArrayLike | None = None,
    *,
    largest_diagonal: float | None = None,
    largest_target: float | None = None,
) -> Stability:
    """How much one row can change a machine like this one, by its loss, C or alpha, and kernel.

    Parameters
    ----------
    machine : SVC, SVR, RLSC, LSSVC or LSSVR
        Fitted on ``X``, with ``fit_intercept`` False or "penalized". With a free bias there is no
        uniform stability: one label can turn the bias over, for any number of rows
        (docs/theory/stability.md#a-free-bias). Each two-class machine of many classes has the
        stability that is given; see :func:`code_stability`.
    X, sample_weight
        What it was fitted on.
    largest_diagonal : float, default=None
        Largest k(x, x) of any row that may come; None takes the largest of ``X``, which is right
        for kernels that are the same for all rows (Gaussian: 1).
    largest_target : float, default=None
        Largest size of a target that may come; regressors need it.

    Returns
    -------
    Stability
        In the scale of the machine's loss, squares without a factor of 1/2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer import RLSC
    >>> from mercer.diagnostics.stability import machine_stability
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> machine = RLSC(alpha=100.0).fit(X, y)
    >>> round(machine_stability(machine, X).output, 3)
    0.034
    """
    _check(machine)
    targets = _targets(machine, largest_target)
    n = count_rows(X)
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    largest = float(weight.max()) * float(np.max(getattr(machine, "class_weight_", 1.0)))
    C, loss, parameters = C_and_loss(machine)
    return tikhonov_stability(
        loss,
        n=n,
        kappa=float(np.sqrt(_diagonal(machine, X, largest_diagonal))),
        lam=1.0 / (2.0 * C * n),
        largest_weight=largest,
        **targets,
        **parameters,
    )


def C_and_loss(machine: Any) -> tuple[float, str, dict[str, float]]:
    """P and V of a machine that minimizes 1/2 |f|^2 + P sum of V, and the numbers V has."""
    if isinstance(machine, (RLSC, LSSVC, LSSVR)):
        return 0.5 / float(machine.alpha_), "squared_error", {}
    C, loss = float(machine.C), machine.loss
    if not np.isfinite(C):
        raise ValueError("machine must have a finite C: a hard margin is not stable")
    parameters = {}
    if loss.endswith("insensitive"):
        parameters["epsilon"] = float(machine.epsilon)
    if loss == "pinball":
        parameters["quantile"] = float(machine.tau)
    if loss == "quantile":
        parameters["quantile"] = float(machine.quantile)
    if loss == "huber":
        parameters["delta"] = float(np.max(machine.delta))  # two, below and above
    return (0.5 * C if loss in SQUARED else C), loss, parameters


def _check(machine: Any) -> None:
    if not isinstance(machine, (SVC, SVR, RLSC, LSSVC, LSSVR)):
        raise TypeError(
            f"machine must be an SVC, SVR, RLSC, LSSVC or LSSVR, got {type(machine).__name__}"
        )
    if machine.fit_intercept is True:
        raise ValueError(
            "machine must have fit_intercept=False or 'penalized', got True: with a free bias "
            "one row can change every value, for any number of rows"
        )
    if isinstance(machine, (RLSC, LSSVC, LSSVR)):
        if machine.penalty != "norm" or machine.sparse is not None or hasattr(machine, "low_rank_"):
            raise ValueError("machine must be exact: no low_rank, sparse or other penalty")
        if getattr(machine, "robust", None):
            raise ValueError("machine must not be robust: its weights depend on all rows")
    elif machine.loss == "huber" and isinstance(machine, SVC):
        raise ValueError("machine must have another loss: 'huber' of SVC rises beyond the margin")


def _targets(machine: Any, largest_target: float | None) -> dict[str, float]:
    """Labels are -1 and +1; targets may be of any size, which only users know."""
    if not isinstance(machine, (SVR, LSSVR)):
        return {}
    if largest_target is None:
        raise ValueError("largest_target must be given for a regressor: the largest |y| to come")
    return {"largest_target": largest_target}


def _diagonal(machine: Any, X: Any, given: float | None) -> float:
    """kappa^2; a penalized bias is the kernel k + 1."""
    if given is None:
        rows = X if hasattr(X, "shape") else np.asarray(X)
        gram = Gram(machine.kernel_, rows, precision="double", cache_size=1)
        given = float(gram.check_values().diagonal().max(initial=0.0))
    return given + (1.0 if machine.fit_intercept == "penalized" else 0.0)
