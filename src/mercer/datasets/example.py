"""The example data set of the command line and the documentation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

__all__ = ["load_example"]


def load_example() -> tuple[NDArray[np.float64], NDArray[np.int_], list[str]]:
    """Return the breast cancer data that come with scikit-learn.

    Returns
    -------
    X : ndarray of shape (569, 30)
        Measurements of cell nuclei.
    y : ndarray of shape (569,)
        The labels, -1 for malignant (212 rows) and +1 for benign (357 rows).
    feature_names : list of str
        The names of the 30 features.

    Examples
    --------
    >>> from mercer.datasets import load_example
    >>> X, y, feature_names = load_example()
    >>> X.shape, len(feature_names), sorted(set(y.tolist()))
    ((569, 30), 30, [-1, 1])
    """
    data = load_breast_cancer()
    return data.data, np.where(data.target == 1, 1, -1), [str(name) for name in data.feature_names]
