"""The machines that learn all classes at once, as problems."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.multiclass.problem import MulticlassProblem

__all__ = ["ALL_IN_ONE", "multiclass_problem"]

# Margins and slacks of each machine as its authors have them, except for the margin of
# Lee, Lin and Wahba (docs/theory/multiclass.md#all-classes-in-one-machine).
_KINDS: dict[str, dict[str, Any]] = {
    "weston-watkins": {"margin": 2.0},
    "crammer-singer": {"one_slack": True},
    "lee-lin-wahba": {"margins": "absolute"},
    "bredensteiner-bennett": {},
}
ALL_IN_ONE = tuple(_KINDS)


def multiclass_problem(
    kind: str,
    labels: NDArray[np.intp],
    n_classes: int,
    C: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> MulticlassProblem:
    """The problem of a machine that learns all classes at once.

    Parameters
    ----------
    kind : {"weston-watkins", "crammer-singer", "lee-lin-wahba", "bredensteiner-bennett"}
        The machine.
    labels : array-like of shape (n_rows,)
        Class of each row, from 0 to ``n_classes - 1``.
    n_classes : int
        Number of classes.
    C : float, default=1.0
        Regularization parameter: the weight of the loss.
    sample_weight : array-like of shape (n_rows,), default=None
        Factors of C.

    Returns
    -------
    MulticlassProblem

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.multiclass import multiclass_problem
    >>> problem = multiclass_problem("crammer-singer", np.array([0, 1, 2]), 3, C=10.0)
    >>> problem.one_slack, problem.upper.tolist()
    (True, [10.0, 10.0, 10.0])
    """
    if kind not in _KINDS:
        raise ValueError(f"kind must be one of {sorted(_KINDS)}, got {kind!r}")
    if not 0.0 < C < np.inf:
        raise ValueError(f"C must be positive and finite for multiclass={kind!r}, got {C!r}")
    weight = np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight)
    # Its regularizer is (N + 1)/2 sum_c |w_c|^2 for functions that add up to zero, as they do
    # at the optimum (docs/theory/multiclass.md#bredensteiner-and-bennett).
    scale = n_classes + 1.0 if kind == "bredensteiner-bennett" else 1.0
    return MulticlassProblem(labels, n_classes, C * weight / scale, scale=scale, **_KINDS[kind])
