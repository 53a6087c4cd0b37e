"""The leave-one-out bound of a fitted machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._shown import shown
from mercer._warning import warn
from mercer.codes import possible_loo_errors
from mercer.diagnostics.bounds import (
    jaakkola_haussler,
    rlsc_bound,
    rlsc_multiclass_bound,
    xi_alpha,
)
from mercer.gram import Gram
from mercer.kernels import Constant
from mercer.kernels.blocks import row_slices
from mercer.machines import LSSVC, RLSC, SVC

__all__ = ["LooBound", "loo_bound"]

FloatArray = NDArray[np.float64]
_AT_BOUND = 1e-9  # share of the box within which a coefficient counts as on its bound


@dataclass(frozen=True, eq=False)
class LooBound:
    """A bound on the leave-one-out errors of a machine.

    Attributes
    ----------
    name : str
        "rlsc", "jaakkola-haussler" or "xi-alpha".
    possible : ndarray of shape (n_rows,)
        Rows that may be errors when left out.
    from_source : bool
        Whether the bound is one of the source documents'; the xi-alpha bound is not.
    holds : bool or None
        Whether no row but the possible ones can be an error when left out. The xi-alpha bound
        has a condition, see :func:`xi_alpha`: False if the machine itself does not meet it, None
        if only machines without one of the rows might not; such rows are support vectors that
        are not marked.

    Examples
    --------
    >>> from mercer import RLSC
    >>> from mercer.diagnostics import loo_bound
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> machine = RLSC(gamma=1.0, alpha=1.0, fit_intercept=False).fit(X, y)
    >>> bound = loo_bound(machine, X, y)
    >>> bound.name, bound.possible.tolist()
    ('rlsc', [False, True, True, False])
    """

    name: str
    possible: NDArray[np.bool_]
    from_source: bool = True
    holds: bool | None = True

    __repr__ = shown()

    @property
    def n_errors(self) -> int:
        """Upper bound of the number of leave-one-out errors."""
        return int(self.possible.sum())

    @property
    def error(self) -> float:
        """Upper bound of the leave-one-out error."""
        return float(self.possible.mean())


def loo_bound(
    machine: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> LooBound:
    """The bound that holds for a fitted machine, from its training rows.

    ===========================================  ==========================
    RLSC, LSSVC; no bias or a penalized one      "rlsc", any classes
    SVC, hinge or squared hinge; the same        "jaakkola-haussler", codes too
    SVC, hinge, free bias                        "xi-alpha", on a condition
    ===========================================  ==========================

    The last one is marked by ``holds`` where its condition fails or may fail; if no coefficient
    of the machine is strictly inside its box there is a warning, too.

    Parameters
    ----------
    machine : RLSC, LSSVC or SVC
        Fitted on ``X`` and ``y``; an SVC with two classes, or with ``multiclass="one-vs-all"``
        or "code" and no free bias.
    X, y, sample_weight
        What it was fitted on.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.diagnostics import loo_bound
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> bound = loo_bound(SVC(gamma=1.0).fit(X, y), X, y)
    >>> bound.name, bound.possible.tolist()
    ('xi-alpha', [True, True, True, True])
    """
    if isinstance(machine, (RLSC, LSSVC)):
        return _of_least_squares(machine, X, y, sample_weight)
    if isinstance(machine, SVC):
        return _of_svc(machine, X, y, sample_weight)
    raise TypeError(f"machine must be an RLSC, LSSVC or SVC, got {type(machine).__name__}")


def _of_least_squares(
    machine: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> LooBound:
    if machine.fit_intercept is True:
        raise ValueError(
            "there is no bound with a free bias: loo_values_ are exact, or use "
            "fit_intercept=False or 'penalized'"
        )
    if hasattr(machine, "low_rank_") or machine.penalty != "norm" or machine.sparse is not None:
        raise ValueError("the bound is for the exact machine; loo_values_ are exact for all")
    labels = np.searchsorted(machine.classes_, np.asarray(y))
    weight = np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight, float)
    with np.errstate(divide="ignore"):
        ridge = machine.alpha_ / (weight * machine.class_weight_[labels])
    diagonal = _gram(machine, X).diagonal()
    if "code_" in vars(machine):
        weights = weight * machine.class_weight_[labels]
        return LooBound("rlsc", _of_code(machine, X, labels, weights, diagonal))
    decision = machine.decision_function(X)
    if len(machine.classes_) == 2:
        sign = np.where(labels == 1, 1.0, -1.0)
        # an infinite ridge: the row took no part, and its own value is the one left out
        threshold = np.where(np.isinf(ridge), 0.0, diagonal)
        finite = np.where(np.isinf(ridge), 1.0, ridge)
        return LooBound("rlsc", rlsc_bound(sign, decision, finite, threshold))
    threshold = np.where(np.isinf(ridge), 0.0, diagonal)
    finite = np.where(np.isinf(ridge), 1.0, ridge)
    return LooBound("rlsc", rlsc_multiclass_bound(labels, decision, finite, threshold))


def _of_code(
    machine: Any, X: Any, labels: NDArray[np.intp], weight: FloatArray, diagonal: FloatArray
) -> NDArray[np.bool_]:
    """The columns of a code have coefficients (t - f) / ridge on the rows that take part."""
    if machine.multiclass_ == "one-vs-one":
        raise ValueError("there is no bound for votes: use multiclass='code', code='one-vs-one'")
    outputs = machine.machine_decisions(X)
    signs = machine.code_.matrix[labels].astype(np.float64)
    coef = np.where(signs == 0.0, 0.0, signs - outputs) * (weight / machine.alpha_)[:, None]
    decoding = "squared_error" if machine.decoding == "auto" else machine.decoding
    left_out = outputs - coef * diagonal[:, None]
    return possible_loo_errors(machine.code_, labels, outputs, left_out, decoding=decoding)


def _of_coded_svc(machine: SVC, X: Any, y: ArrayLike) -> LooBound:
    """Many classes: the interval of every machine without a free bias."""
    if machine.fit_intercept is True or "code_" not in vars(machine):
        raise ValueError(
            "machine must have two classes, or multiclass='one-vs-all' or 'code' without a free "
            f"bias, got {len(machine.classes_)} classes, multiclass={machine.multiclass!r} and "
            f"fit_intercept={machine.fit_intercept!r}"
        )
    labels = np.searchsorted(machine.classes_, np.asarray(y))
    outputs = machine.machine_decisions(X)
    dual = machine.dual_coef_
    coef = np.zeros(outputs.shape)
    coef[machine.support_] = (dual.toarray() if hasattr(dual, "toarray") else dual).T
    left_out = outputs - coef * _gram(machine, X).diagonal()[:, None]
    found = possible_loo_errors(
        machine.code_, labels, outputs, left_out, decoding=machine._decoding
    )
    return LooBound("jaakkola-haussler", found)


def _of_svc(machine: SVC, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> LooBound:
    if machine.loss not in ("hinge", "squared_hinge"):
        raise ValueError(f"there is no bound for loss={machine.loss!r}")
    if len(machine.classes_) != 2:
        return _of_coded_svc(machine, X, y)
    sign = np.where(np.asarray(y) == machine.classes_[1], 1.0, -1.0)
    decision = machine.decision_function(X)
    coef = np.zeros(len(sign))
    dual = machine.dual_coef_
    coef[machine.support_] = (dual.toarray() if hasattr(dual, "toarray") else dual)[0]
    gram = _gram(machine, X)
    if machine.fit_intercept is not True:
        mask = jaakkola_haussler(sign, decision, coef, gram.diagonal())
        return LooBound("jaakkola-haussler", mask)
    if machine.loss != "hinge":
        raise ValueError("there is no bound for the squared hinge with a free bias")
    possible = xi_alpha(sign, decision, coef, _spread(gram))
    bound = _bounds(machine, sign, sample_weight)
    return LooBound("xi-alpha", possible, False, _holds(coef, bound, possible))


def _bounds(machine: SVC, sign: FloatArray, sample_weight: ArrayLike | None) -> FloatArray:
    """Largest size of the coefficient of each row, C times its weights."""
    weight = np.ones(len(sign)) if sample_weight is None else np.asarray(sample_weight, float)
    return np.asarray(machine.C * weight * machine.class_weight_[(sign > 0).astype(np.intp)])


def _holds(coef: FloatArray, bound: FloatArray, possible: NDArray[np.bool_]) -> bool | None:
    """Whether the condition of the xi-alpha bound is met; None if refits would have to tell.

    Without a row that is no support vector the machine is the same: a condition on other
    machines concerns the support vectors that are not marked.
    """
    size = np.abs(coef)
    if not ((size > _AT_BOUND * bound) & (size < (1.0 - _AT_BOUND) * bound)).any():
        warn(
            "no coefficient of the machine is strictly inside its box: its bias is not unique, "
            "and there may be more leave-one-out errors than the xi-alpha bound says"
        )
        return False
    return None if (~possible & (size > 0)).any() else True


def _gram(machine: Any, X: Any) -> Gram:
    kernel = machine.kernel_
    if machine.fit_intercept == "penalized":
        kernel = kernel + Constant(1.0, value_bounds="fixed")
    X = X if hasattr(X, "shape") else np.asarray(X)
    gram = Gram(kernel, X, precision="double", cache_size=1, n_threads=machine.n_threads)
    return gram.check_values()


def _spread(gram: Gram) -> float:
    """Largest minus smallest kernel value, in blocks."""
    everything = np.arange(gram.n_rows)
    high, low = -np.inf, np.inf
    for rows in row_slices(gram.n_rows, 8 * gram.n_rows):
        block = gram.block(everything[rows], everything)
        high, low = max(high, float(block.max())), min(low, float(block.min()))
    return high - low
