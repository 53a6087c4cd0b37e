"""One way in for all criteria."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

from numpy.typing import ArrayLike

from mercer._floating import without_warnings
from mercer.selection.objectives.alignment import Alignment, Polarization
from mercer.selection.objectives.base import Objective
from mercer.selection.objectives.detection import Detection
from mercer.selection.objectives.least_squares import LeastSquaresLoo
from mercer.selection.objectives.leave_one_out import (
    LeaveOneOut,
    NumberOfSupportVectors,
    Span,
    SpanLike,
)
from mercer.selection.objectives.likelihood import Likelihood, Posterior
from mercer.selection.objectives.radius_margin import RadiusMargin
from mercer.selection.objectives.rejection import Rejection
from mercer.selection.objectives.validation import Bootstrap, CrossValidation, HoldOut
from mercer.selection.training_task import TrainingTask

__all__ = ["OBJECTIVES", "make_objective", "options_of"]

OBJECTIVES: dict[str, type[Objective]] = {
    kind.name: kind
    for kind in (
        CrossValidation,
        HoldOut,
        LeaveOneOut,
        NumberOfSupportVectors,
        RadiusMargin,
        Span,
        SpanLike,
        Alignment,
        Polarization,
        Bootstrap,
        Likelihood,
        Posterior,
        LeastSquaresLoo,
        Rejection,
        Detection,
    )
}


@without_warnings
def make_objective(
    name: str,
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> Objective:
    """A criterion of model selection on these rows.

    Parameters
    ----------
    name : str
        "cv", "holdout", "loo", "n_support", "radius_margin", "span", "span_like", "alignment",
        "polarization", "bootstrap", "likelihood", "posterior", "gcv",
        "rejection" or "detection".
    estimator : SVC, NuSVC, SVR, NuSVR, OneClassSVM, RLSC, LSSVC or LSSVR
        The machine; its solver and ``tol`` are used, its C and kernel are where
        ``objective.space.start`` stands.
    X : array-like, sparse matrix or sequence of shape (n_rows, n_features)
        Rows.
    y : array-like of shape (n_rows,), default=None
        Classes or targets.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights.
    **options
        Of the criterion: ``cv``, ``loss``, ``groups``, ``random_state``, ... as its class says.

    Returns
    -------
    Objective
        ``value, gradient = objective(theta)`` with theta = (log C, then the kernel's theta);
        ``objective.value(theta)`` where no gradient is wanted.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.selection import make_objective
    >>> objective = make_objective("cv", SVC(), [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], cv=2)
    >>> objective.space.names
    ['log C', 'gamma']
    """
    if name not in OBJECTIVES:
        raise ValueError(f"name must be one of {sorted(OBJECTIVES)}, got {name!r}")
    kind = OBJECTIVES[name]
    known = [key for key in options_of(kind) if key != "task"]
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise TypeError(f"the objective {name!r} takes the options {known}, got {unknown}")
    return kind(TrainingTask(estimator, X, y, sample_weight), **options)


@cache
def options_of(kind: type[Objective]) -> list[str]:
    """Names of constructor arguments, those passed on to the base class included."""
    names: dict[str, None] = {}
    for base in kind.__mro__:
        if "__init__" not in base.__dict__ or base is object:
            continue
        parameters = inspect.signature(base.__init__).parameters  # type: ignore[misc]
        names.update(dict.fromkeys(key for key in parameters if key not in ("self", "options")))
        if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            break
    return list(names)
