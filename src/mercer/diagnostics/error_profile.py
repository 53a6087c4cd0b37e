"""Which two-class machines fail where another classifier is wrong (Rifkin 2002, section 4.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from mercer._sklearn import safe_indexing
from mercer.codes import OutputCode, make_code
from mercer.multiclass.formulations import ALL_IN_ONE

__all__ = ["code_of", "error_profile"]

FloatArray = NDArray[np.float64]

_MOST_CLASSES = 200  # whose pairs are written down as a code


def code_of(classifier: Any) -> OutputCode | None:
    """The code whose columns are the two-class machines of a fitted classifier, if it has one."""
    classes = getattr(classifier, "classes_", None)
    if classes is None or not hasattr(classifier, "machine_decisions"):
        return None
    if getattr(classifier, "multilabel_", False) or not 2 < len(classes) <= _MOST_CLASSES:
        return None
    if hasattr(classifier, "code_"):
        found: OutputCode = classifier.code_
        return found
    scheme = getattr(classifier, "multiclass_", "one-vs-one")
    return None if scheme in ALL_IN_ONE else make_code(scheme, len(classes))


def _last_step(classifier: Any) -> tuple[list[Pipeline], Any]:
    """The classifier at the end of a pipeline, and the steps before it."""
    steps = []
    while isinstance(classifier, Pipeline):
        steps += [classifier[:-1]] if len(classifier) > 1 else []
        classifier = classifier[-1]
    return steps, classifier


def error_profile(
    classifier: Any,
    X: Any,
    rows: NDArray[np.intp],
    true: NDArray[Any],
    wrong: NDArray[Any],
) -> FloatArray | None:
    """Of some rows, the share of the machines between two classes that choose the wrong one.

    Parameters
    ----------
    classifier : classifier
        Made of two-class machines, or a pipeline that ends in one; None is returned for others.
    X : array-like or sparse matrix
        Rows.
    rows : ndarray of int
        Positions of the rows to look at.
    true, wrong : ndarray
        The class of each, and the one that another classifier gives it.

    Returns
    -------
    ndarray or None
        Ascending; rows whose two classes no machine tells apart, or that the classifier does not
        know, are left out.
    """
    steps, classifier = _last_step(classifier)
    code = code_of(classifier)
    if code is None:
        return None
    classes = classifier.classes_
    known = np.isin(true, classes) & np.isin(wrong, classes)
    if not known.any():
        return np.empty(0)
    part = safe_indexing(X, rows[known])
    for step in steps:
        part = step.transform(part)
    values = classifier.machine_decisions(part)
    own = code.matrix[np.searchsorted(classes, true[known])]
    other = code.matrix[np.searchsorted(classes, wrong[known])]
    between = own * other == -1
    fails = between & (values * other > 0.0)
    count = between.sum(axis=1)
    shares = fails.sum(axis=1)[count > 0] / count[count > 0]
    return np.sort(shares)
