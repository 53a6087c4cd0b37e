"""A code of real numbers, learned from the values of two-class machines (Crammer & Singer 2002).

Rows M_r, one for each class, of least squared length with

    <h(x_i), M_y> - <h(x_i), M_r> >= 1 - slack_i    for the class y of row i, and all others r,

where h(x_i) are the values of the machines: their machine with a linear kernel and no bias on h(x)
in place of x. Values of rows that the machines were trained on say too much of them, so those of
machines that have not seen a row are taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from mercer._sklearn import safe_split
from mercer.machines.svm.classifiers import SVC

__all__ = ["learned_decoder"]

FloatArray = NDArray[np.float64]
_FOLDS, _FOLDS_OF_C = 5, 3
_COSTS = (0.01, 0.1, 1.0, 10.0)


def learned_decoder(
    machine: Any, X: Any, y: NDArray[Any], labels: NDArray[np.intp], weight: FloatArray | None
) -> SVC:
    """The machine whose rows of coefficients are the code.

    Parameters
    ----------
    machine : CodeClassifier
        Decodes by a loss.
    X, y, weight
        What it was fitted to.
    labels : ndarray of shape (n_rows,)
        The class of each row by its place.
    """
    fewest = int(np.bincount(labels).min())
    if fewest < _FOLDS_OF_C:
        raise ValueError(
            f"decoding='learned' needs at least {_FOLDS_OF_C} rows of each class, got {fewest} of "
            f"{machine.classes_.tolist()[np.bincount(labels).argmin()]!r}"
        )
    splits = StratifiedKFold(min(_FOLDS, fewest), shuffle=True, random_state=0)
    values = np.empty((len(labels), machine.code_.n_columns))
    plain = clone(machine).set_params(decoding="auto")
    for train, test in splits.split(labels, labels):
        options = {} if weight is None else {"sample_weight": weight[train]}
        part, _ = safe_split(plain, X, None, train)
        rest, _ = safe_split(plain, X, None, test, train)
        values[test] = clone(plain).fit(part, y[train], **options).machine_decisions(rest)
    decoder = SVC(kernel="linear", multiclass="crammer-singer", fit_intercept=False)
    search = GridSearchCV(decoder, {"C": _COSTS}, cv=_FOLDS_OF_C)
    found: SVC = search.fit(values, labels, sample_weight=weight).best_estimator_
    return found
