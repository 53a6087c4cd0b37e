"""Nu-SVC for every nu: the path over C, read by another name.

The solution of the SVC at C, divided by C, has coefficients in [0, weight] and, in each class, the
sum nu W / 2 for nu = sum |coef| / (C W): it is the solution of the nu-SVC with that nu, and 1/C is
its margin (Chang and Lin 2001, section 3). Along the path nu never grows with C and is affine in
1/C on every segment. So two group sums that move together need no engine of their own.
"""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer._floating import without_warnings
from mercer.paths.inputs.limits import Limits
from mercer.paths.results.nu_svc_solutions import NuSVCSolutions
from mercer.paths.results.path import Path
from mercer.paths.svc import path_over_C, svc_path

__all__ = ["nu_svc_path"]


@without_warnings
def nu_svc_path(X: Any, y: ArrayLike, *, C_max: float = np.inf, **options: Any) -> Path:
    """Nu-SVC machines for every nu at once.

    Parameters
    ----------
    X : array-like, sparse matrix or sequence of shape (n_rows, n_features)
        Training rows; for ``kernel="precomputed"`` the kernel matrix; a :class:`Gram` to
        share its kernel values.
    y : array-like of shape (n_rows,)
        Labels of two classes.
    C_max : float, default=inf
        Where to end, as the C of the same machine: 1 over its margin.
    **options
        Those of :func:`svc_path`.

    Returns
    -------
    Path
        Over nu, from the largest down; ``path.solutions.C_at(nu)`` is the C of the same SVC.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer.paths import nu_svc_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = nu_svc_path((X - X.mean(0)) / X.std(0), y, C_max=100.0)
    >>> path.predict(X[:3], 0.3).shape
    (3,)
    """
    given = signature(svc_path).bind(X, y, C_max=C_max, **options)
    given.apply_defaults()
    path = path_over_C(**given.arguments, told=_telling_nu)
    return replace(path, solutions=NuSVCSolutions(path.over_C))


def _telling_nu(limits: Limits) -> Limits:
    """The limits with a callback that hears of nu, as last known."""
    return limits.reporting("nu", lambda C: limits.tally.share)
