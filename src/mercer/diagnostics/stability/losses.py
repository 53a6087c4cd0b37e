"""What stability needs to know of a loss: its slope, its size at zero and its largest value."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from mercer._shown import shown
from mercer.diagnostics.stability.checks import at_least_zero, positive, share

__all__ = ["LOSSES", "LossConstants", "loss_constants"]

LINEAR = ("hinge", "pinball", "absolute_error", "epsilon_insensitive", "quantile", "huber")
SQUARED = ("squared_hinge", "squared_error", "squared_epsilon_insensitive")
LOSSES = (*LINEAR, *SQUARED)


@dataclass(frozen=True)
class LossConstants:
    """A loss on the values that a machine can reach.

    Attributes
    ----------
    lipschitz : float
        sigma: a value that changes by t changes the loss by at most sigma t.
    at_zero : float
        B, the largest loss of the value 0.
    largest_output : float
        kappa sqrt(B / lambda): no machine gives a larger value.
    largest : float
        M, the largest loss there is.
    """

    lipschitz: float
    at_zero: float
    largest_output: float
    largest: float

    __repr__ = shown()


def loss_constants(
    loss: str,
    *,
    kappa: float,
    lam: float,
    largest_target: float = 1.0,
    epsilon: float = 0.0,
    delta: float = 1.0,
    quantile: float = 0.5,
) -> LossConstants:
    """Constants of a loss for machines that minimize mean loss + lam |f|^2.

    The machine is no worse than f = 0, so lam |f|^2 <= B and |f(x)| <= kappa sqrt(B / lam), which
    bounds all values that matter (docs/theory/stability.md#losses).

    Parameters
    ----------
    loss : str
        "hinge", "squared_hinge" (1 - y f)_+^2, "pinball", "absolute_error", "huber" (a half
        of the square up to ``delta``), "epsilon_insensitive" and its square, "quantile",
        "squared_error" (y - f)^2. Squares carry no factor of 1/2.
    kappa : float
        Root of the largest k(x, x).
    lam : float
        Weight of |f|^2 against the *mean* loss: 1/(2 C n), alpha/n.
    largest_target : float, default=1.0
        Largest size of a target; labels are -1 and +1.
    epsilon, delta, quantile : float
        Of the losses that have one; ``quantile`` of "pinball" is its tau, slope of a margin
        larger than 1.

    Returns
    -------
    LossConstants

    Examples
    --------
    >>> from mercer.diagnostics.stability import loss_constants
    >>> loss_constants("hinge", kappa=1.0, lam=0.25)
    LossConstants(lipschitz=1, at_zero=1, largest_output=2, largest=3)
    """
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {list(LOSSES)}, got {loss!r}")
    kappa, lam = at_least_zero("kappa", kappa), positive("lam", lam)
    is_margin = loss in ("hinge", "squared_hinge", "pinball")
    target = 1.0 if is_margin else at_least_zero("largest_target", largest_target)
    tube = at_least_zero("epsilon", epsilon) if "insensitive" in loss else 0.0
    slope = _slope(loss, delta, quantile)
    if loss in SQUARED:
        at_zero = max(target - tube, 0.0) ** 2
    elif loss == "huber":
        at_zero = _huber(target, slope)
    else:
        at_zero = slope * max(target - tube, 0.0)
    reach = kappa * sqrt(at_zero / lam)
    farthest = max(reach + target - tube, 0.0)
    if loss in SQUARED:
        return LossConstants(2.0 * farthest, at_zero, reach, farthest**2)
    largest = _huber(farthest, slope) if loss == "huber" else slope * farthest
    return LossConstants(slope, at_zero, reach, largest)


def _slope(loss: str, delta: float, quantile: float) -> float:
    """The largest slope of a loss that grows as a line."""
    if loss == "huber":
        return positive("delta", delta)
    if loss == "quantile":
        tau = share("quantile", quantile)
        return max(tau, 1.0 - tau)
    if loss == "pinball":
        return max(1.0, at_least_zero("quantile", quantile))
    return 1.0


def _huber(size: float, delta: float) -> float:
    return 0.5 * size**2 if size <= delta else delta * (size - 0.5 * delta)
