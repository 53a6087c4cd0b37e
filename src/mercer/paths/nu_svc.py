"""Nu-SVC for every nu: the path over C, read by another name.

The solution of the SVC at C, divided by C, has coefficients in [0, weight] and, in each class, the
sum nu W / 2 for nu = sum |coef| / (C W): it is the solution of the nu-SVC with that nu, and 1/C is
its margin (Chang and Lin 2001, section 3). Along the path nu never grows with C and is affine in
1/C on every segment. So two group sums that move together need no engine of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer._floating import without_warnings
from mercer.paths.results.nu_svc_path import NuSVCPath
from mercer.paths.svc import svc_path

__all__ = ["nu_svc_path"]


@without_warnings
def nu_svc_path(X: Any, y: ArrayLike, *, C_max: float = np.inf, **options: Any) -> NuSVCPath:
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
    NuSVCPath

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer.paths import nu_svc_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = nu_svc_path((X - X.mean(0)) / X.std(0), y, C_max=100.0)
    >>> path.predict(X[:3], 0.3).shape
    (3,)
    """
    path = svc_path(X, y, C_max=C_max, **options)
    if path.C_end == 0.0:
        return NuSVCPath(path, np.zeros(1), 0.0)
    total = float(np.abs(path.segments.upper - path.segments.lower).sum())
    sums = path.segments.absolute_sums() / total
    # rounding must not make it rise
    nu = np.minimum.accumulate(np.append(sums[:, 0], sums[-1, 1]))
    return NuSVCPath(path, nu[:-1], 0.0 if path.status == "complete" else float(nu[-1]))
