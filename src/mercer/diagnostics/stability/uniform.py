"""How much one row can change a machine: uniform stability of Tikhonov machines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer._shown import shown
from mercer.codes import OutputCode
from mercer.diagnostics.stability.checks import at_least_zero, count, positive
from mercer.diagnostics.stability.losses import LossConstants, loss_constants
from mercer.diagnostics.stability.risk_bounds import stability_bound

__all__ = ["Stability", "chunk_stability", "code_stability", "tikhonov_stability"]


@dataclass(frozen=True)
class Stability:
    """What one row of n can change.

    "Removal" leaves a row out with C or alpha held fixed; "replacement"
    exchanges it for any other, which is twice as much at most.

    Attributes
    ----------
    n : int
        Rows.
    output : float
        alpha: largest change of a value f(x), at any x, when a row is removed.
    loss : float
        beta: largest change of the loss of any x and y.
    largest_loss : float
        M, the largest loss.
    name : str
        Which loss.
    """

    n: int
    output: float
    loss: float
    largest_loss: float
    name: str

    __repr__ = shown()

    @property
    def replacement(self) -> float:
        """beta when a row is exchanged for another: twice that of removal."""
        return 2.0 * self.loss

    def bound(self, risk: float, delta: float = 0.05, form: str = "removal") -> float:
        """Upper end of the expected loss, from the mean loss of the training rows.

        Parameters
        ----------
        risk : float
            Mean loss of the training rows; with ``form="leave-one-out"`` of rows left out.
        delta : float, default=0.05
            The bound fails with this probability at most.
        form : {"removal", "replacement", "leave-one-out"}, default="removal"
            Which theorem (:func:`stability_bound`); the first two give the same number.
        """
        beta = self.replacement if form == "replacement" else self.loss
        return stability_bound(
            risk, beta, n=self.n, largest_loss=self.largest_loss, delta=delta, form=form
        )

    def with_margin(self, gamma: float) -> Stability:
        """Stability of clip(1 - y f / gamma, 0, 1), which is at least the 0-1 loss.

        Its slope is 1/gamma and its largest value 1: for classifiers this bounds the error
        more tightly than the loss that was trained with. ``gamma`` is to be chosen before the
        rows are seen.
        """
        beta = self.output / positive("gamma", gamma)
        return replace(self, loss=beta, largest_loss=1.0, name=f"margin {gamma:g}")


def tikhonov_stability(
    loss: str, *, n: int, kappa: float, lam: float, largest_weight: float = 1.0, **parameters: Any
) -> Stability:
    """Stability of machines that minimize mean loss + lam |f|^2, without a free bias.

    For a convex loss of slope sigma on all reachable values (Bousquet & Elisseeff 2002, theorem
    22; Rifkin 2002, section 5.1; docs/theory/stability.md#tikhonov):

        alpha = sigma kappa^2 / (2 lam n)      beta = sigma alpha      (a row is removed)

    and twice as much if it is replaced. 1/(2 lam n) is C of a machine that minimizes
    1/2 |f|^2 + C sum of losses, so beta is C for the hinge and a kernel with k(x, x) = 1.

    Parameters
    ----------
    loss : str
        As in :func:`loss_constants`.
    n : int
        Training rows.
    kappa : float
        Root of the largest k(x, x).
    lam : float
        Weight of |f|^2 against the mean loss: 1/(2 C n) for a machine with C, alpha/n for
        :class:`mercer.RLSC`.
    largest_weight : float, default=1.0
        The largest weight of a row.
    **parameters
        ``largest_target``, ``epsilon``, ``delta``, ``quantile`` of :func:`loss_constants`.

    Returns
    -------
    Stability

    Examples
    --------
    >>> from mercer.diagnostics.stability import tikhonov_stability
    >>> tikhonov_stability("hinge", n=1000, kappa=1.0, lam=0.1).loss
    0.005
    """
    n, kappa, lam = count("n", n), at_least_zero("kappa", kappa), positive("lam", lam)
    weight = positive("largest_weight", largest_weight)
    # the mean loss of f = 0 is as many times larger
    constants = loss_constants(loss, kappa=kappa, lam=lam / weight, **parameters)
    return _of_constants(constants, loss, n, weight * kappa**2 / (2.0 * lam * n))


def _of_constants(constants: LossConstants, name: str, n: int, reach: float) -> Stability:
    output = constants.lipschitz * reach
    return Stability(n, output, constants.lipschitz * output, constants.largest, name)


def chunk_stability(output: float, chunk_sizes: ArrayLike) -> float:
    """Change of the mean of machines of disjoint chunks when one row changes.

    Only the machine of its chunk changes, which has weight p/n (Rifkin 2002, section 5.3):

        alpha = max_j (p_j / n) alpha_j

    This is O(1/n) for chunks of fixed size even where the machines themselves are not stable at
    all, with ``output`` the range of their values. Chunks of machines that are stable gain
    nothing: alpha_j of a Tikhonov machine of fixed lam is n/p_j times that of all rows.

    Parameters
    ----------
    output : float or array-like of shape (n_chunks,)
        alpha of the machine of a chunk: the largest change of a value.
    chunk_sizes : array-like of shape (n_chunks,)
        Rows of the chunks, by which the mean weighs them.

    Examples
    --------
    >>> from mercer.diagnostics.stability import chunk_stability
    >>> chunk_stability(2.0, [100] * 50)
    0.04
    """
    sizes = np.asarray(chunk_sizes, dtype=np.float64)
    if sizes.ndim != 1 or not len(sizes) or not (np.isfinite(sizes) & (sizes > 0)).all():
        raise ValueError(f"chunk_sizes must be positive numbers of rows, got {chunk_sizes!r}")
    changes = np.broadcast_to(np.asarray(output, dtype=np.float64), sizes.shape)
    if not (changes >= 0).all():
        raise ValueError(f"output must not be negative, got {output!r}")
    return float((sizes * changes).max() / sizes.sum())


def code_stability(machine: Stability, code: OutputCode, gamma: float) -> Stability:
    """Stability of a classifier of many classes, by that of each of its two-class machines.

    The loss is :func:`margin_loss`, V_gamma. Two code words differ in at most G columns, each of
    which changes the difference of losses by at most 2 beta (Rifkin 2002, section 5.4):

        beta = 2 G beta_binary / gamma,    G = max_(r != s) #{i: M_ri != M_si}

    Parameters
    ----------
    machine : Stability
        Of a two-class machine on all rows.
    code : OutputCode
        Without zeros: every machine sees all rows.
    gamma : float
        Scale of the margin of V_gamma.

    Examples
    --------
    >>> from mercer.codes import make_code
    >>> from mercer.diagnostics.stability import code_stability, tikhonov_stability
    >>> binary = tikhonov_stability("hinge", n=1000, kappa=1.0, lam=0.1)
    >>> code_stability(binary, make_code("one-vs-all", 5), gamma=1.0).loss
    0.02
    """
    if code.has_zeros:
        raise ValueError("code must have no zeros: a machine must see all rows")
    differing = (code.n_columns - code.agreements) / 2.0
    beta = 2.0 * float(differing.max()) * machine.loss / positive("gamma", gamma)
    return replace(machine, output=np.inf, loss=beta, largest_loss=1.0, name=f"V_{gamma:g}")
