"""What codes guarantee: training errors, and leave-one-out errors, from the binary machines."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.codes.decoding import Decoding, decoding_named
from mercer.codes.output_code import OutputCode

__all__ = ["possible_loo_errors", "training_error_bound"]

FloatArray = NDArray[np.float64]


def training_error_bound(
    code: OutputCode,
    labels: ArrayLike,
    outputs: ArrayLike,
    *,
    loss: str = "hinge",
    decoding: Literal["loss", "hamming"] = "loss",
) -> float:
    """Most rows that are decoded wrongly, from the losses of the binary machines.

    sum_j sum_i L(M_{y_j i} f_i(x_j)) / (rho L(0)) for decoding by the loss, twice that for
    Hamming decoding: Allwein et al. 2000, theorem 1, over all columns of the code
    (docs/theory/multiclass.md#training-errors).

    Parameters
    ----------
    code : OutputCode
        The code.
    labels : array-like of shape (n_rows,)
        Row of the code that each row of data belongs to.
    outputs : array-like of shape (n_rows, n_columns)
        Values of the binary machines.
    loss : {"hinge", "squared_hinge", "squared_error", "exponential"}, default="hinge"
        The loss.
    decoding : {"loss", "hamming"}, default="loss"
        How classes are told from outputs.

    Examples
    --------
    >>> from mercer.codes import training_error_bound
    >>> from mercer.codes.making import as_code
    >>> code = as_code("one-vs-all", 3)
    >>> outputs = [[2.0, -2.0, -2.0], [-2.0, 2.0, -2.0], [-0.5, -2.0, 0.5]]
    >>> training_error_bound(code, [0, 1, 2], outputs)
    0.5
    """
    y, f = _checked(code, labels, outputs)
    if loss == "hamming":
        raise ValueError("loss must bound the margin errors, got 'hamming'")
    if decoding not in ("loss", "hamming"):
        raise ValueError(f"decoding must be 'loss' or 'hamming', got {decoding!r}")
    own = decoding_named(loss).losses(code, f)[np.arange(len(y)), y]
    factor = 1.0 if decoding == "loss" else 2.0
    # L(0) = 1 for all of them
    return factor * float(own.sum()) / code.row_separation


def possible_loo_errors(
    code: OutputCode,
    labels: ArrayLike,
    outputs: ArrayLike,
    left_out: ArrayLike,
    *,
    decoding: str = "hinge",
) -> NDArray[np.bool_]:
    """Rows that may be errors when left out (Rifkin 2002, section 4.4.1).

    The value of machine i at row j without it lies between f and f - c K_jj
    (:func:`mercer.diagnostics.loo_interval`), or is f where the machine never saw the row. The
    row is a possible error if for some other class r the sum over machines of the least
    L(M_ri f) - L(M_{y_j i} f) is not positive; for fixed r the machines do not depend on each
    other (docs/theory/multiclass.md#leave-one-out).

    Parameters
    ----------
    code : OutputCode
        The code.
    labels : array-like of shape (n_rows,)
        Row of the code that each row of data belongs to.
    outputs : array-like of shape (n_rows, n_columns)
        Values f of the binary machines trained on all rows.
    left_out : array-like of shape (n_rows, n_columns)
        Other ends of the intervals, f - c k(x, x).
    decoding : str, default="hinge"
        How classes are told from outputs.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.codes import make_code, possible_loo_errors
    >>> code = make_code("one-vs-all", 3)
    >>> outputs = np.array([[2.0, -2.0, -2.0], [0.1, 0.2, -1.0]])
    >>> possible_loo_errors(code, [0, 1], outputs, 0.5 * outputs).tolist()
    [False, True]
    """
    y, f = _checked(code, labels, outputs)
    other = np.asarray(left_out, dtype=np.float64)
    if other.shape != f.shape or not np.isfinite(other).all():
        raise ValueError(
            f"left_out must be finite and have the shape of outputs, {f.shape}, got {other.shape}"
        )
    found = decoding_named(decoding)
    own = code.matrix[y].astype(np.float64)
    ends = np.sort([own * f, own * other], axis=0)
    possible = np.zeros(len(y), dtype=bool)
    for r, row in enumerate(code.matrix.astype(np.float64)):
        possible |= (y != r) & (_least_lead(found, row, own, f, ends) <= 0.0)
    return possible


def _least_lead(
    decoding: Decoding, row: FloatArray, own: FloatArray, f: FloatArray, ends: FloatArray
) -> FloatArray:
    """sum_i of the least L(M_ri f_i) - L(t_i f_i), t being the row of the own class.

    L(-z) - L(z) rises with z: where M_ri = -t_i the least is at the smaller end. Where M_ri = 0
    the greatest L is at an end, since losses are convex or fall. Where t_i = 0 the value is known.
    """
    low, high = ends
    at_zero = float(decoding.loss(np.zeros(1))[0])
    against = decoding.loss(-low) - decoding.loss(low)
    absent = at_zero - np.maximum(decoding.loss(low), decoding.loss(high))
    unseen = decoding.loss(row * f) - at_zero
    is_zero = row == 0.0
    lead = np.where(own == 0.0, unseen, np.where(is_zero, absent, against))
    return np.where(own == row, 0.0, lead).sum(axis=1)


def _checked(
    code: OutputCode, labels: ArrayLike, outputs: ArrayLike
) -> tuple[NDArray[np.intp], FloatArray]:
    if not isinstance(code, OutputCode):
        raise TypeError(f"code must be an OutputCode, as make_code gives, got {code!r}")
    y, f = np.asarray(labels), np.asarray(outputs, dtype=np.float64)
    if f.ndim != 2 or f.shape[1] != code.n_columns or not np.isfinite(f).all():
        raise ValueError(
            f"outputs must be finite and of shape (n_rows, {code.n_columns}), got {f.shape}"
        )
    if y.shape != (len(f),) or y.dtype.kind not in "iu":
        raise ValueError(f"labels must be {len(f)} integers, got {y.dtype} of shape {y.shape}")
    if len(y) and not (y.min() >= 0 and y.max() < code.n_classes):
        raise ValueError(f"labels must lie in 0..{code.n_classes - 1}, got {y.min()}..{y.max()}")
    return y.astype(np.intp), f
