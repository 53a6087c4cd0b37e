"""Which training rows pull a prediction to which side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._shown import shown
from mercer.gram.cross import cross_block
from mercer.machines.base import KernelMachine
from mercer.machines.functions import functions_of, machine_and_rows
from mercer.training.rows import read_new_rows

__all__ = ["Influence", "influence"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Influence:
    """What each training row adds to each prediction.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_support) or (n_rows, n_support, n_outputs)
        ``alpha_i k(x_i, x)``, positive where the training row pulls the value up.
    base_values : float or ndarray of shape (n_outputs,)
        The bias: with it the values add up to those of the machine.
    support : ndarray of shape (n_support,)
        Positions of these rows in the training data (in a stream: their ids); all other rows have
        no influence.
    output_names : list of str or None
        Classes, or machines; None if there is one output only.

    Examples
    --------
    >>> from mercer import SVC, influence
    >>> machine = SVC(kernel="linear").fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> found = influence(machine, [[2.5]])
    >>> found.support.tolist(), found.values.round(2).tolist()
    ([1, 2], [[-2.5, 5.0]])
    """

    values: FloatArray
    base_values: Any
    support: NDArray[np.intp]
    output_names: list[str] | None

    __repr__ = shown()

    def strongest(self, count: int = 5, *, output: int = 0) -> NDArray[np.intp]:
        """Positions of the rows with most influence on each prediction, the largest first.

        Parameters
        ----------
        count : int, default=5
            How many.
        output : int, default=0
            Number of the output, if there are several.

        Returns
        -------
        ndarray of shape (n_rows, count)
        """
        values = self.values if self.output_names is None else self.values[:, :, output]
        return self.support[np.argsort(-np.abs(values), axis=1, kind="stable")[:, :count]]


def influence(machine: Any, X: Any, *, output: str = "classes") -> Influence:
    """Which training rows pull a prediction to which side: ``alpha_i k(x_i, x)``.

    Any kernel will do. The values say what the machine adds up, not what would happen if a row had
    not been there: for that, leave it out.

    Parameters
    ----------
    machine : fitted machine
        Any but those that keep weights of features instead of rows.
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Rows whose predictions are looked at.
    output : {"classes", "machines"}, default="classes"
        As in :func:`mercer.explain`.

    Returns
    -------
    Influence
        Values for every row and support vector.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer import SVC, influence
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> machine = SVC().fit(X, y)
    >>> found = influence(machine, X[:3])
    >>> total = found.values.sum(axis=1) + found.base_values
    >>> bool(abs(total - machine.decision_function(X[:3])).max() < 1e-8)
    True
    """
    own, X = machine_and_rows(machine, X)
    if not hasattr(own, "dual_coef_"):
        raise ValueError(
            f"machine must be an expansion over training rows, got a {type(own).__name__} that "
            "keeps weights of features: a solver in the dual keeps rows"
        )
    functions = functions_of(own, output)
    rows = read_new_rows(own, X)
    block = cross_block(functions.kernel, rows, functions.rows, n_threads=own.n_threads)
    values = block[:, :, None] * functions.coef
    is_single, bias = functions.names is None, functions.bias
    return Influence(
        values=values[:, :, 0] if is_single else values,
        base_values=float(bias[0]) if is_single else bias,
        support=_positions(own, len(functions.coef)),
        output_names=functions.names,
    )


def _positions(machine: KernelMachine, n_support: int) -> NDArray[np.intp]:
    """Positions of the rows expanded over among the training rows."""
    for name in ("support_", "support_ids_"):
        if hasattr(machine, name):
            return np.asarray(getattr(machine, name)).astype(np.intp)
    # machines without a list of them have kept every row, or landmarks
    return np.arange(n_support)
