"""Bounds on what a machine loses on rows to come, and the loss that bounds hold for."""

from __future__ import annotations

from math import floor, log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from mercer.diagnostics.stability.checks import at_least_zero, count, positive, share

__all__ = [
    "margin_bound",
    "margin_loss",
    "normal_interval",
    "stability_bound",
    "vc_bound",
    "vc_dimension",
]

FloatArray = NDArray[np.float64]


def stability_bound(
    risk: float,
    beta: float,
    *,
    n: int,
    largest_loss: float,
    delta: float = 0.05,
    form: str = "removal",
) -> float:
    """Upper end of the expected loss of a stable machine, with probability 1 - delta.

    With r = sqrt(ln(1/delta) / (2 n)) (Bousquet & Elisseeff 2002, theorem 12; what Rifkin 2002
    printed otherwise: docs/theory/stability.md#errata):

        removal         risk + 2 beta + (4 n beta + M) r
        replacement     risk +   beta + (2 n beta + M) r
        leave-one-out   risk +   beta + (4 n beta + M) r

    Parameters
    ----------
    risk : float
        Mean loss of the training rows; of the rows left out for "leave-one-out".
    beta : float
        Uniform stability of the kind that ``form`` names; that of removal for "leave-one-out".
    n : int
        Training rows.
    largest_loss : float
        M: losses are between 0 and M.
    delta : float, default=0.05
        The bound fails with this probability at most.
    form : {"removal", "replacement", "leave-one-out"}, default="removal"
        The theorem.

    Examples
    --------
    >>> from mercer.diagnostics.stability import stability_bound
    >>> round(stability_bound(0.1, 1e-4, n=10_000, largest_loss=1.0), 3)
    0.161
    """
    risk, beta, n = at_least_zero("risk", risk), at_least_zero("beta", beta), count("n", n)
    largest = at_least_zero("largest_loss", largest_loss)
    factors = {"removal": (2.0, 4.0), "replacement": (1.0, 2.0), "leave-one-out": (1.0, 4.0)}
    if form not in factors:
        raise ValueError(f"form must be one of {sorted(factors)}, got {form!r}")
    once, spread = factors[form]
    radius = sqrt(-log(share("delta", delta)) / (2.0 * n))
    return risk + once * beta + (spread * n * beta + largest) * radius


def margin_loss(losses: ArrayLike, labels: ArrayLike, gamma: float) -> FloatArray:
    """V_gamma = clip(1 + D/gamma, 0, 1) of each row, at least its 0-1 loss.

    D is the loss of the row's own code word less the least of the others: positive where the row
    is classified wrongly, 0 for ties, which count as errors (Rifkin 2002, section 5.4, where 1 is
    missing).

    Parameters
    ----------
    losses : array-like of shape (n_rows, n_classes)
        Loss of each class: ``Decoding.losses`` of :mod:`mercer.codes`.
    labels : array-like of shape (n_rows,)
        Column of the class of each row.
    gamma : float
        Scale of the margin.

    Examples
    --------
    >>> from mercer.diagnostics.stability import margin_loss
    >>> margin_loss([[0.0, 1.0, 4.0], [2.0, 1.5, 3.0]], [0, 0], gamma=2.0).tolist()
    [0.5, 1.0]
    """
    values, own = np.asarray(losses, dtype=np.float64), np.asarray(labels)
    if values.ndim != 2 or values.shape[1] < 2 or own.shape != values.shape[:1]:
        raise ValueError(
            "losses must have shape (n_rows, n_classes) and labels (n_rows,), "
            f"got {values.shape} and {own.shape}"
        )
    is_own = np.arange(values.shape[1]) == own[:, None]
    least = np.where(is_own, np.inf, values).min(axis=1)
    lead = values[is_own] - least
    return np.clip(1.0 + lead / positive("gamma", gamma), 0.0, 1.0)


def margin_bound(
    slack: float, trace: float, *, n: int, margin: float, delta: float = 0.05
) -> float:
    """Bound on the error of a hyperplane by its margin, with probability 1 - delta.

        slack/margin + 4 sqrt(tr K) / (n margin) + 3 sqrt(ln(2/delta) / (2 n))

    Glasmachers 2008, section 1.2.2, for rows without slack; with it Bartlett & Mendelson 2002.

    Parameters
    ----------
    slack : float
        Mean of (margin - y f / |w|)_+ over the training rows; 0 if all keep the margin.
    trace : float
        Sum of k(x_i, x_i) over the training rows.
    n : int
        Training rows.
    margin : float
        1/|w| for y f >= 1; to be chosen before the rows are seen.
    delta : float, default=0.05
        The bound fails with this probability at most.

    Examples
    --------
    >>> from mercer.diagnostics.stability import margin_bound
    >>> round(margin_bound(0.0, 10_000.0, n=10_000, margin=0.2), 3)
    0.241
    """
    slack, trace = at_least_zero("slack", slack), at_least_zero("trace", trace)
    n, margin = count("n", n), positive("margin", margin)
    spread = 3.0 * sqrt(log(2.0 / share("delta", delta)) / (2.0 * n))
    return slack / margin + 4.0 * sqrt(trace) / (n * margin) + spread


def vc_bound(risk: float, dimension: int, *, n: int, delta: float = 0.05) -> float:
    """Vapnik's bound on the error of a class of this VC dimension, with probability 1 - delta.

        risk + E/2 (1 + sqrt(1 + 4 risk/E)),   E = 4/n (h (ln(2 n/h) + 1) - ln(delta/4))

    Vapnik 1998; Glasmachers 2008, section 1.3.3, where the 4 under the root is missing.

    Parameters
    ----------
    risk : float
        Error on the training rows.
    dimension : int
        h, at most n.
    n : int
        Training rows.
    delta : float, default=0.05
        The bound fails with this probability at most.

    Examples
    --------
    >>> from mercer.diagnostics.stability import vc_bound
    >>> round(vc_bound(0.1, 10, n=100_000), 3)
    0.124
    """
    risk, h, n = at_least_zero("risk", risk), count("dimension", dimension), count("n", n)
    if h > n:
        raise ValueError(f"dimension must be at most n={n}, got {dimension}")
    excess = 4.0 / n * (h * (log(2.0 * n / h) + 1.0) - log(share("delta", delta) / 4.0))
    return risk + 0.5 * excess * (1.0 + sqrt(1.0 + 4.0 * risk / excess))


def vc_dimension(norm_bound: float, radius: float) -> int:
    """Bound floor(D^2 A^2) + 1 on the VC dimension of hyperplanes |w| <= A on a ball of radius D.

    Vapnik 1998; they must keep |w'x| >= 1 on the rows.

    Examples
    --------
    >>> from mercer.diagnostics.stability import vc_dimension
    >>> vc_dimension(norm_bound=3.0, radius=1.0)
    10
    """
    size = at_least_zero("norm_bound", norm_bound) * at_least_zero("radius", radius)
    return floor(size**2) + 1


def normal_interval(error: float, n: int, confidence: float = 0.9) -> tuple[float, float]:
    """Interval of an error seen on n rows that were not trained on, by the normal distribution.

    error -+ z sqrt(error (1 - error) / n), cut to [0, 1] (Glasmachers 2008, section 1.1.4). Of
    few errors it is too short: :func:`mercer.diagnostics.compare_classifiers` has exact ones.

    Examples
    --------
    >>> from mercer.diagnostics.stability import normal_interval
    >>> [round(end, 4) for end in normal_interval(0.1, 10_000)]
    [0.0951, 0.1049]
    """
    error = at_least_zero("error", error)
    if error > 1.0:
        raise ValueError(f"error must be in [0, 1], got {error!r}")
    z = float(norm.ppf(0.5 * (1.0 + share("confidence", confidence))))
    reach = z * sqrt(error * (1.0 - error) / count("n", n))
    return max(error - reach, 0.0), min(error + reach, 1.0)
