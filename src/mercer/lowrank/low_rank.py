"""The description of a low-rank approximation, and its result."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._sklearn import Interval, StrOptions
from mercer._warning import warn
from mercer.gram.cross import CrossGram
from mercer.gram.native import Precision, count_rows, take_rows
from mercer.kernels import Kernel, as_kernel
from mercer.kernels.blocks import row_slices
from mercer.lowrank.features import DEPENDENT, FeatureMap, hides_differences
from mercer.lowrank.landmarks import LANDMARKS, choose_landmarks
from mercer.training.checked_input import naming

__all__ = ["LowRank", "feature_blocks", "generator", "warn_of_rough_values"]

FloatArray = NDArray[np.float64]

SEEN = 32  # rows by which kernel values are judged
METHODS = ("rectangle", "subset", "nystrom")
# How rows of numbers are validated by the transformer.
_ROWS: dict[str, Any] = {
    "dtype": [np.float64, np.float32],
    "order": "C",
    "accept_sparse": "csr",
}


class LowRank(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """How a machine approximates the kernel matrix by a few of its columns.

    Used alone it is a transformer to the features of the landmarks, whose inner products are the
    Nystrom kernel: a linear model on them is a low-rank kernel machine.

    Parameters
    ----------
    rank : int, default=100
        Number of landmarks, the rows whose columns are used.
    method : {"rectangle", "subset", "nystrom"}, default="rectangle"
        "rectangle" (subset of regressors): the loss of all rows, coefficients on the landmarks.
        "subset": the loss of the landmarks only. "nystrom": all rows and coefficients,
        fitted to the approximate kernel and evaluated with the true one.
    basis : str or array-like, default="random"
        How the landmarks are chosen: "random", "incomplete-cholesky", "greedy", "k-means++" or
        "leverage"; or the landmarks themselves, as positions of training rows (integers, shape
        (m,)) or as rows (shape (m, n_features)).
    n_models : int, default=1
        Machines with different random landmarks whose values are averaged.
    random_state : int, RandomState or None, default=None
        Seed of the choice.
    kernel : str, Kernel or callable, default="rbf"
        Kernel of the transformer, as for :class:`~mercer.SVC`; a machine uses its own.
    degree : int, default=3
        Degree of the kernel "poly" of the transformer.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Factor of its kernels "poly", "rbf", "sigmoid" and "laplacian".
    coef0 : float, default=0.0
        Constant of its kernels "poly" and "sigmoid".

    Attributes
    ----------
    basis_ : tuple of ndarray
        Positions of the landmarks of each model among the training rows (among the rows of
        ``basis`` if that was given); rows that depend on others are left out.
    trace_error_ : float
        tr(K - K~) / tr(K), K~ the approximate kernel matrix; the mean over the models. Set by
        the machine that passes over all rows.
    maps_ : tuple of FeatureMap
        The features of each model.
    kernel_ : Kernel
        The kernel of the transformer, with its parameters as numbers.
    n_features_in_ : int
        Number of features of the rows that the transformer was fitted to.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import LowRank
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> features = LowRank(30, kernel="rbf").fit_transform(X)  # their inner products approximate it
    >>> features.shape
    (200, 30)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "rank": [Interval(Integral, 1, None, closed="left")],
        "method": [StrOptions(set(METHODS))],
        "basis": [StrOptions(set(LANDMARKS)), "array-like", "sparse matrix"],
        "n_models": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "kernel": [
            StrOptions({"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}),
            callable,
        ],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [
            StrOptions({"scale", "auto", "median"}),
            Interval(Real, 0.0, None, closed="neither"),
        ],
        "coef0": [Interval(Real, None, None, closed="neither")],
    }

    # Landmarks chosen and wanted, where the time was over in between.
    _cut: tuple[int, int] | None = None
    _is_rough = False

    def __init__(
        self,
        rank: int = 100,
        *,
        method: str = "rectangle",
        basis: Any = "random",
        n_models: int = 1,
        random_state: Any = None,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
    ) -> None:
        self.rank = rank
        self.method = method
        self.basis = basis
        self.n_models = n_models
        self.random_state = random_state
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        is_stored = as_kernel(self.kernel).row_kind == "stored"
        tags.input_tags.pairwise = is_stored
        tags.input_tags.sparse = not is_stored
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the landmarks among the rows of ``X``, for the kernel of the transformer.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the kernel matrix.
        y : None
            Ignored.
        """
        self._validate_params()
        with naming(X=X):
            X = validate_data(self, X, **_ROWS)
        kernel = as_kernel(self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0)
        self.kernel_ = kernel.resolve(X)
        return self.choose(self.kernel_, X)

    @property
    def _n_features_out(self) -> int:
        return sum(features.rank for features in self.maps_)

    def choose(
        self,
        kernel: Kernel,
        X: Any,
        *,
        whiten: bool = True,
        precision: Precision = "double",
        n_threads: int | None = None,
        deadline: float = np.inf,
        shift: FloatArray | None = None,
    ) -> Self:
        """Choose landmarks of each model among the rows of ``X``, for a machine of its own kernel.

        Parameters
        ----------
        kernel : Kernel
            The kernel, with all its parameters numbers.
        X : array, sparse matrix or sequence of shape (n_rows, ...)
            Training rows.
        whiten : bool, default=True
            False leaves the features as they are, the kernel values with the landmarks.
        deadline : float, default=inf
            Time of ``time.perf_counter`` after which no landmark and no model begins but the
            first.
        shift : ndarray of shape (n_features,), default=None
            Point that all rows are measured from (mercer.gram.shift); None means zero.
        """
        self._validate_params()
        if kernel.definiteness == "refuted" and whiten:
            raise ValueError(f"low_rank needs a positive semi-definite kernel, got {kernel!r}")
        rng = generator(self.random_state)
        near: dict[str, Any] = {"n_threads": n_threads, "shift": shift}
        options: dict[str, Any] = {"whiten": whiten, "precision": precision, **near}
        maps: list[FeatureMap] = []
        n_chosen, wanted = 0, self.n_models * min(self.size, count_rows(X))
        while len(maps) < self.n_models and not (maps and time.perf_counter() > deadline):
            rows, index = self._chosen(kernel, X, rng, {"deadline": deadline, **near})
            maps.append(FeatureMap(kernel, rows, index, **options))
            n_chosen += len(index)
        is_cut = n_chosen < wanted and time.perf_counter() > deadline
        self._cut = (n_chosen, wanted) if is_cut else None
        self._is_rough = whiten and _is_rough(kernel, X, shift)
        self.maps_ = tuple(maps)
        self.basis_ = tuple(features.landmarks for features in maps)
        return self

    def choose_among(self, among: NDArray[np.intp], kernel: Kernel, X: Any, **options: Any) -> Self:
        """As :meth:`choose`, with landmarks among some rows of ``X``, counted among all."""
        if not isinstance(self.basis, str) or len(among) == count_rows(X):
            return self.choose(kernel, X, **options)
        if not kernel.form().reads_stored:
            self.choose(kernel, take_rows(X, among), **options)
        else:
            self.choose(kernel, X[np.ix_(among, among)], **options)
            n_threads = options.get("n_threads")
            self.maps_ = tuple(
                FeatureMap(kernel, X, among[basis], n_threads=n_threads) for basis in self.basis_
            )
        self.basis_ = tuple(among[basis] for basis in self.basis_)
        return self

    def _chosen(
        self,
        kernel: Kernel,
        X: Any,
        rng: np.random.Generator,
        options: dict[str, Any],
    ) -> tuple[Any, NDArray[np.intp]]:
        if isinstance(self.basis, str):
            rank = min(self.rank, count_rows(X))
            return X, choose_landmarks(self.basis, kernel, X, rank, rng, **options)  # type: ignore[arg-type]
        if not count_rows(self.basis):
            raise ValueError("basis must hold at least one row, got none")
        if self.has_positions:
            return X, self.positions(count_rows(X))
        if kernel.form().reads_stored:
            raise ValueError("basis must be positions of rows for a precomputed kernel")
        return self.basis, np.arange(count_rows(self.basis))

    def warn_of_loss(self, max_time: float | None = None) -> None:
        """Warn of landmarks that there was no time for, and of digits that rows do not have."""
        if self._cut is not None:
            limit = "max_time" if max_time is None else f"max_time={max_time:g}"
            warn(
                f"{limit} was over when {self._cut[0]} of {self._cut[1]} landmarks "
                "of low_rank were chosen: the machine is that of these",
                ConvergenceWarning,
            )
        if self._is_rough:
            warn_of_rough_values()

    @property
    def size(self) -> int:
        """Number of landmarks asked for, of one model."""
        return int(self.rank) if isinstance(self.basis, str) else count_rows(self.basis)

    @property
    def has_positions(self) -> bool:
        """Whether ``basis`` is positions of rows."""
        given = self.basis
        return (
            not isinstance(given, str)
            and not sp.issparse(given)
            and np.ndim(given) == 1
            and np.asarray(given).dtype.kind in "iu"
        )

    def positions(self, n_rows: int) -> NDArray[np.intp]:
        """``basis`` as positions among ``n_rows`` rows, checked."""
        given = np.asarray(self.basis, dtype=np.intp)
        if len(given) and not (given.min() >= 0 and given.max() < n_rows):
            raise ValueError(f"basis must lie in 0..{n_rows - 1}, got {given.min()}..{given.max()}")
        return given

    def transform(self, X: Any) -> FloatArray:
        """Features of the rows of ``X``; those of several models side by side, averaged.

        The inner product of two rows of features is the (averaged) Nystrom kernel.
        """
        check_is_fitted(self, "maps_")
        if hasattr(self, "kernel_"):
            with naming(X=X):
                X = validate_data(self, X, reset=False, **_ROWS)
        values = [features(X) for features in self.maps_]
        return np.hstack(values) / np.sqrt(len(values)) if len(values) > 1 else values[0]


def feature_blocks(n_rows: int, rank: int, n_bytes: int = 2**25) -> list[slice]:
    """Slices of rows whose features fit into ``n_bytes``."""
    return list(row_slices(n_rows, 8 * max(rank, 1), n_bytes))


def _is_rough(kernel: Kernel, X: Any, shift: FloatArray | None) -> bool:
    """Whether landmarks that are not dependent would be taken for that, judged by a few rows."""
    n = count_rows(X)
    sample = np.unique(np.linspace(0, n - 1, SEEN).astype(np.intp))
    rows = take_rows(X, sample)
    if kernel.form().reads_stored:
        return hides_differences(np.asarray(rows[:, sample], dtype=np.float64), DEPENDENT)
    return hides_differences(CrossGram(kernel, rows, shift=shift).block(rows), DEPENDENT)


def warn_of_rough_values() -> None:
    """Warn of rows that have the same kernel values."""
    warn(
        "kernel values differ by little more than their rounding: the machine hardly sees what "
        "the rows differ by. Rows nearer to the origin help, as StandardScaler makes them, or "
        "other kernel parameters",
        LinAlgWarning,
    )


def generator(random_state: Any) -> np.random.Generator:
    """A generator that advances a given RandomState, as scikit-learn's estimators do."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)
