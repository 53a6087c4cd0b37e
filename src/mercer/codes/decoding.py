"""From the outputs of binary machines to classes (Allwein et al. 2000).

The loss of class r at outputs f is sum_i L(M_ri f_i): what the machines would have to pay if the
row belonged to r. The class of the least loss is chosen; ties go to the first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer._shown import shown
from mercer.codes.output_code import OutputCode

__all__ = ["DECODINGS", "Decoding", "decoding_named"]

FloatArray = NDArray[np.float64]

_STEEPEST = 500.0  # exponent beyond which an exponential loss is held
_ROUNDING = 1e-13  # of sums of losses


@dataclass(frozen=True)
class Decoding:
    """A loss of margins z = M_ri f_i, by which the outputs of machines are decoded into a class.

    Attributes
    ----------
    name : str
        "hamming", "hinge", "squared_hinge", "squared_error" or "exponential".
    loss : callable
        L(z), of arrays.
    slope : callable
        A bound of how steep the loss is at margins of at most this size.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.codes.decoding import decoding_named
    >>> decoding_named("hinge").loss(np.array([-1.0, 0.5, 2.0])).tolist()
    [2.0, 0.5, 0.0]
    """

    name: str
    loss: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]

    __repr__ = shown("name")

    def losses(self, code: OutputCode, outputs: FloatArray) -> FloatArray:
        """The loss of each class at each row of outputs, shape (n_rows, n_classes).

        Sums of what is not negative, so that small losses are exact beside large ones, in a
        fixed order: a row has the same losses in any company.
        """
        f = np.ascontiguousarray(outputs, dtype=np.float64)
        plus, minus, zero = ((code.matrix == sign).astype(np.float64) for sign in (1, -1, 0))
        found = np.einsum("nf,rf->nr", self.loss(f), plus)
        found += np.einsum("nf,rf->nr", self.loss(-f), minus)
        at_zero = float(self.loss(np.zeros(1))[0])
        return np.asarray(found + at_zero * zero.sum(axis=1))

    def scores(self, code: OutputCode, outputs: FloatArray) -> FloatArray:
        """The negated losses: the argmax is the class."""
        return -self.losses(code, outputs)

    def is_certain(
        self, code: OutputCode, outputs: FloatArray, error: FloatArray, scores: FloatArray
    ) -> NDArray[np.bool_]:
        """Whether outputs that are wrong by at most ``error``, one a row, tell the same class."""
        size = np.abs(outputs)
        if self.name == "hamming":
            return np.asarray((size > error[:, None]).all(axis=1))
        with np.errstate(over="ignore", invalid="ignore"):
            lost = 2.0 * error * self.slope(size + error[:, None]).sum(axis=1)
            lost += _ROUNDING * code.n_columns * np.abs(scores).max(axis=1)
            best = np.partition(scores, -2, axis=1)
            return np.asarray(best[:, -1] - best[:, -2] > lost)


def _hamming(z: FloatArray) -> FloatArray:
    return 0.5 * (1.0 - np.sign(z))


def _hinge(z: FloatArray) -> FloatArray:
    return np.maximum(1.0 - z, 0.0)


def _exponential(z: FloatArray) -> FloatArray:
    return np.exp(np.clip(-z, -_STEEPEST, _STEEPEST))


DECODINGS: dict[str, Decoding] = {
    decoding.name: decoding
    for decoding in (
        Decoding("hamming", _hamming, lambda size: np.full_like(size, np.inf)),
        Decoding("hinge", _hinge, np.ones_like),
        Decoding("squared_hinge", lambda z: _hinge(z) ** 2, lambda size: 2.0 * (1.0 + size)),
        Decoding("squared_error", lambda z: (1.0 - z) ** 2, lambda size: 2.0 * (1.0 + size)),
        Decoding("exponential", _exponential, lambda size: np.exp(np.minimum(size, _STEEPEST))),
    )
}


def decoding_named(name: str) -> Decoding:
    """The decoding of this name.

    Examples
    --------
    >>> from mercer.codes.decoding import decoding_named
    >>> decoding_named("squared_error").name
    'squared_error'
    """
    if name not in DECODINGS:
        raise ValueError(f"decoding must be one of {sorted(DECODINGS)}, got {name!r}")
    return DECODINGS[name]
