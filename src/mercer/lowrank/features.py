"""Features of landmarks: the Nystrom kernel as an inner product."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpstrf

from mercer._shown import shown
from mercer.gram.cross import CrossGram
from mercer.gram.native import Precision, count_rows, take_rows
from mercer.kernels import Kernel
from mercer.kernels.definiteness import SAMPLE_ROWS, refutation

__all__ = ["DEPENDENT", "FeatureMap", "hides_differences"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

# Share of the largest diagonal entry below which a landmark depends on the others.
DEPENDENT = 1e-12
# Share of what rows differ by that may be lost.
ROUGH = 1e-3


class FeatureMap:
    """phi(x) = L^-1 k(x, landmarks), K_mm = L L', so that phi(x)'phi(z) is the Nystrom kernel.

    k_xm K_mm^-1 k_mz equals k(x, z) whenever x or z is a landmark (Rifkin 2002, section 3.7.1).
    The factor is pivoted: landmarks that depend on others (duplicates, low-rank kernels)
    are left out, which changes no value of the Nystrom kernel.

    Parameters
    ----------
    kernel : Kernel
        The kernel, with all its parameters numbers.
    X : array, sparse matrix or sequence of shape (n_rows, ...)
        Rows; for a precomputed kernel the matrix of all training rows.
    landmarks : ndarray of shape (m,), default=None
        Positions of the landmarks in ``X``; None means all rows.
    whiten : bool, default=True
        False leaves out L: phi(x) = k(x, landmarks), all rows kept.
    shift : ndarray of shape (n_features,), default=None
        Point that all rows are measured from (mercer.gram.shift); None means zero.

    Attributes
    ----------
    landmarks : ndarray of shape (rank,)
        Positions of the independent landmarks; the features are of these.
    rows : array, sparse matrix or sequence of shape (rank, ...)
        The independent rows; for a precomputed kernel their positions.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Gaussian
    >>> from mercer.lowrank import FeatureMap
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> features = FeatureMap(Gaussian(gamma=0.5), X, np.array([0, 3]))
    >>> features(X).shape
    (4, 2)
    """

    __repr__ = shown("kernel rank")

    def __init__(
        self,
        kernel: Kernel,
        X: Any,
        landmarks: IndexArray | None = None,
        *,
        whiten: bool = True,
        precision: Precision = "double",
        n_threads: int | None = None,
        shift: FloatArray | None = None,
    ) -> None:
        self.kernel = kernel
        options: dict[str, Any] = {"n_threads": n_threads, "shift": shift}
        self.landmarks = np.arange(count_rows(X)) if landmarks is None else landmarks
        self.factor: FloatArray | None = None
        is_stored = kernel.form().reads_stored
        if whiten:
            rows = take_rows(X, self.landmarks)
            among = CrossGram(kernel, self.landmarks if is_stored else rows, **options)
            values = among.block(rows)
            _check_definite(kernel, values)
            self.factor, kept = _independent(values)
            self.landmarks = self.landmarks[kept]
        self.rows = self.landmarks if is_stored else take_rows(X, self.landmarks)
        self._gram = CrossGram(kernel, self.rows, precision=precision, **options)

    @property
    def shift(self) -> FloatArray | None:
        """Where rows are measured from, if it is not zero."""
        return self._gram.shift

    @property
    def rank(self) -> int:
        """Number of features."""
        return len(self.landmarks)

    def __call__(self, X: Any) -> FloatArray:
        """Features of the rows of ``X``: a new array of shape (n, rank) in Fortran order."""
        block = self._gram.block(X)
        if self.factor is None or not block.size:
            return block
        return dtrsm(1.0, self.factor, block, side=1, lower=1, trans_a=1, overwrite_b=1)

    def coefficients(self, weights: FloatArray) -> FloatArray:
        """Coefficients c of f(x) = sum_j c_j k(x, rows[j]) = phi(x)' weights."""
        if self.factor is None or not weights.size:
            return weights
        return dtrsm(1.0, self.factor, weights, lower=1, trans_a=1)


def _check_definite(kernel: Kernel, values: FloatArray) -> None:
    if kernel.definiteness != "unknown":
        return
    reason = refutation(values[:SAMPLE_ROWS, :SAMPLE_ROWS])
    if reason is not None:
        raise ValueError(
            f"low_rank needs a positive semi-definite kernel, got {kernel!r}: {reason}"
        )


def hides_differences(K: FloatArray, lost: float) -> bool:
    """Whether too little is left of what rows differ by, the mean of k(x, x) less that of k(x, z).

    That is where ``lost``, a share of the largest kernel value, is no small share of it.
    """
    if not K.size or not np.ptp(K):
        return False
    apart = float(K.diagonal().mean() - K.mean())
    return apart < lost / ROUGH * float(K.diagonal().max())


def _independent(K: FloatArray) -> tuple[FloatArray, IndexArray]:
    """Lower factor of the independent rows of K and their positions."""
    largest = K.diagonal().max(initial=0.0)
    if not K.size or not largest > 0:
        return np.empty((0, 0), order="F"), np.empty(0, dtype=np.intp)
    lower, pivots, rank, _ = dpstrf(K, tol=DEPENDENT * largest, lower=1)
    factor = np.asfortranarray(np.tril(lower[:rank, :rank]))
    return factor, np.asarray(pivots[:rank] - 1, dtype=np.intp)
