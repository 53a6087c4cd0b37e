"""Results from the training rows: other C, and whether more rows would help."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from mercer.report.growth import learning_curve
from mercer.report.inside import Inside
from mercer.report.judged import Judged
from mercer.report.learned import NotLearned, learned
from mercer.report.over_c import other_C

__all__ = ["from_training"]


def from_training(
    estimator: Any, inside: Inside, judged: Judged, training: tuple[Any, Any], confidence: float
) -> dict[str, Any]:
    """The path over C and the learning curve; where one is not known ``why_not`` says why."""
    try:
        rows = learned(estimator, inside, judged, training)
    except NotLearned as error:
        return {"path": {"why_not": str(error)}, "growth": {"why_not": str(error)}}
    return {
        "training": {"n_rows": rows.n_rows, "n_support": rows.n_support},
        "path": _known(lambda: other_C(rows, inside, judged)),
        "growth": _known(lambda: learning_curve(rows, confidence)),
    }


def _known(make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What is made, or why it cannot be: kernels and parameters may not allow it.

    What there is to warn of the machine itself was said when it was trained.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make()
    except ValueError as error:
        return {"why_not": str(error)}
