"""The kernels of scikit-learn's Gaussian processes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.gaussian_process.kernels import CompoundKernel, WhiteKernel
from sklearn.gaussian_process.kernels import Kernel as ProcessKernel

from mercer.kernels import form
from mercer.kernels.adapters.function import checked_values, diagonal_blocks
from mercer.kernels.adapters.sklearn_definiteness import is_definite_process
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Definiteness, as_statement, stated
from mercer.kernels.parameters.hyperparameters import Hyperparameter
from mercer.kernels.rows import FloatArray, RowKind, Rows, count_rows, is_sparse

__all__ = ["SklearnKernel"]


class SklearnKernel(Kernel):
    """A kernel of ``sklearn.gaussian_process.kernels``, with its parameters and derivatives.

    Parameters
    ----------
    kernel : sklearn.gaussian_process.kernels.Kernel
        Any but ``WhiteKernel``, which is not a function of two rows (set the ridge of the machine
        to its noise level), and ``CompoundKernel``, which has several values.
    positive_definite : bool or None, default=None
        Whether every matrix of its values is positive semi-definite. None means what follows
        from how it is made: of ``ExpSineSquared`` (for several features it is not), of
        functions and of kernels of others nothing does.

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import Matern
    >>> from mercer.kernels import SklearnKernel
    >>> kernel = SklearnKernel(Matern(length_scale=2.0, nu=1.5), positive_definite=True)
    >>> kernel([[0.0]], [[0.0], [1.0]]).round(3).tolist()
    [[1.0, 0.785]]
    """

    def __init__(self, kernel: ProcessKernel, positive_definite: bool | None = None) -> None:
        self.kernel = kernel
        self.positive_definite = positive_definite
        as_statement(positive_definite)
        if not isinstance(kernel, ProcessKernel):
            raise TypeError(
                f"kernel must be an instance of sklearn.gaussian_process.kernels.Kernel, "
                f"got {kernel!r}"
            )
        for part in (kernel, *kernel.get_params(deep=True).values()):
            if isinstance(part, WhiteKernel | CompoundKernel):
                raise ValueError(f"{type(part).__name__} is not a function of two rows")

    @property
    def is_positive_definite(self) -> bool | None:
        """The definiteness that the caller stated, or that follows from the construction."""
        statement = as_statement(self.positive_definite)
        return is_definite_process(self.kernel) if statement is None else statement

    @property
    def definiteness(self) -> Definiteness:
        """How that is known."""
        return stated(self.positive_definite) if self.positive_definite else super().definiteness

    @property
    def row_kind(self) -> RowKind:
        return "numeric" if self.kernel.requires_vector_input else "object"

    @property
    def entry_arrays(self) -> int:
        # Derivatives come for the stacked rows of a block, four times its entries.
        return 8 * (self.n_dims + 2)

    @property
    def theta(self) -> FloatArray:
        """The parameters as scikit-learn keeps them: logarithms of those not fixed."""
        return np.asarray(self.kernel.theta, dtype=np.float64).reshape(-1)

    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        """The parameters, their bounds turned into the coordinates of ``theta``."""
        return [_converted(entry) for entry in self.kernel.hyperparameters]

    @property
    def parameter_names(self) -> list[str]:
        """One name per entry of ``theta``."""
        return [
            entry.name if entry.n_elements == 1 else f"{entry.name}[{k}]"
            for entry in self.hyperparameters
            if not entry.fixed
            for k in range(entry.n_elements)
        ]

    def clone_with_theta(self, theta: ArrayLike) -> Self:
        """Return the same kernel at other coordinates."""
        coordinates = self._checked_coordinates("theta", theta)
        return self._replace(kernel=self.kernel.clone_with_theta(coordinates))

    def pulled_back(self, theta: ArrayLike, gradient: ArrayLike) -> FloatArray:
        """The gradient as it is: ``theta`` means the same everywhere."""
        self._checked_coordinates("theta", theta)
        return self._checked_coordinates("gradient", gradient)

    def form(self) -> form.Form:
        """Return an opaque leaf."""
        return form.Opaque(block=self.__call__, diagonal=self.diag)

    def _values(self, X: Rows, Z: Rows) -> FloatArray:
        _refuse_sparse(X, Z)
        values = self.kernel(X, None if Z is X else Z)
        return checked_values(self.kernel, values, (count_rows(X), count_rows(Z)))

    def _diagonal(self, X: Rows) -> FloatArray:
        _refuse_sparse(X)
        return checked_values(self.kernel, self.kernel.diag(X), (count_rows(X),))

    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        # scikit-learn differentiates k(X, X) only: the block is a corner of the stacked rows'.
        _refuse_sparse(X, Z)
        n = count_rows(X)
        derivatives = self.kernel(_stacked(X, Z), eval_gradient=True)[1][:n, n:]
        return np.einsum("ij,ijp->p", weights, derivatives)

    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        _refuse_sparse(X)
        gradient = np.zeros(self.n_dims)
        for rows in diagonal_blocks(count_rows(X)):
            derivatives = self.kernel(X[rows], eval_gradient=True)[1]
            gradient += np.einsum("i,iip->p", weights[rows], derivatives)
        return gradient


def _converted(entry: Any) -> Hyperparameter:
    if entry.fixed:
        bounds = np.tile([-np.inf, np.inf], (entry.n_elements, 1))
    else:
        bounds = np.log(np.asarray(entry.bounds, dtype=np.float64))
    return Hyperparameter(entry.name, entry.n_elements, bounds, entry.fixed)


def _stacked(X: Rows, Z: Rows) -> Rows:
    if isinstance(X, np.ndarray) and isinstance(Z, np.ndarray):
        return np.concatenate([X, Z])
    return [*X, *Z]


def _refuse_sparse(*sides: Rows) -> None:
    if any(is_sparse(side) for side in sides):
        raise TypeError("scikit-learn's process kernels need dense rows, got a sparse matrix")
