"""How good a point of a problem is, computed in float64 and independent of any solver."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer.kernels.definiteness import Definiteness
from mercer.problem.error_free import long_expansion
from mercer.problem.primal_correction import (
    corrected_gap,
    features_needed,
    linear_features,
    long_gap,
)
from mercer.problem.problem import Problem
from mercer.problem.solution import Certificate, has_large_gap

__all__ = [
    "KernelMatrix",
    "assess",
    "certify",
    "certify_expansion",
    "definiteness_at",
    "reported",
    "rounding_error",
]

FloatArray = NDArray[np.float64]
_U = 2.0**-53


class KernelMatrix(Protocol):
    """What a certificate needs to know of the kernel values (a :class:`~mercer.Gram`)."""

    @property
    def n_rows(self) -> int: ...

    @property
    def definiteness(self) -> Definiteness: ...

    def inspect(self, coef: FloatArray | None = None) -> Definiteness: ...

    def block(
        self,
        rows: ArrayLike,
        columns: ArrayLike,
        *,
        precision: Literal["single", "double"] | None = None,
    ) -> NDArray[Any]: ...

    def product(
        self,
        columns: ArrayLike | None,
        weights: ArrayLike,
        *,
        rows: ArrayLike | None = None,
        precision: Literal["single", "double"] | None = None,
    ) -> FloatArray: ...


def certify(
    problem: Problem, gram: KernelMatrix, coef: ArrayLike, *, accuracy: float | None = None
) -> Certificate:
    """Certificate of a point, recomputed in float64 and independent of any solver.

    Parameters
    ----------
    problem : Problem
        The problem the point belongs to.
    gram : Gram
        The kernel values; only ``expand``, if there is one, or ``product`` is asked for, once.
        Where rounding of coefficients makes the gap look large (see
        mercer.problem.primal_correction) it is asked again, or ``block`` is. If it gives the
        ``features`` of a linear kernel, slopes that rounding spoils are computed from these
        with twice the digits.
    coef : array-like of shape (n_variables,)
        The point. Variables on a bound must equal it exactly (solvers snap).
    accuracy : float, default=None
        Error of the slopes up to which the digits of a double will do; None means 1e-5 times the
        largest linear term or, without one, the difference of the multipliers.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> from mercer import Gram, certify
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> problem = svc([-1, -1, 1, 1], C=1.0).problem
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]])
    >>> certify(problem, gram, [0.0, -1.0, 1.0, 0.0]).gap
    0.0
    """
    beta = _checked_point(problem, gram, coef)
    return certify_expansion(problem, gram, beta, _expansion(problem, gram, beta), accuracy)


def rounding_error(problem: Problem, gram: KernelMatrix, beta: FloatArray) -> float:
    """Bound of what rounding does to gradients in float64, where the gram tells it."""
    known = getattr(gram, "expansion_error", None)
    own = _own_error(problem, gram, beta)
    if known is None:
        return own
    if gram.has_uniform_rounding:  # type: ignore[attr-defined]
        return own + float(known(beta))
    present = problem.present
    return own + float(known(beta[present], problem.index[present]))


def _own_error(problem: Problem, gram: KernelMatrix, beta: FloatArray) -> float:
    """The part of it that is not rounding of kernel values and their sums.

    That is what linear - K beta loses, and what sums of coefficients that are not quite zero do
    where rows are shifted.
    """
    error = 4.0 * _U * problem.linear_size
    if getattr(gram, "shift", None) is not None:
        rows = problem.index[problem.present]
        error += gram.shift_error(problem.row_coef(beta, gram.n_rows), rows)  # type: ignore[attr-defined]
    return error


def certify_expansion(
    problem: Problem,
    gram: KernelMatrix,
    beta: FloatArray,
    values: FloatArray,
    accuracy: float | None = None,
) -> Certificate:
    """Certificate of a point whose expansion ``values`` = (K beta)[index] is known in float64."""
    definiteness = definiteness_at(problem, gram, beta)
    rounding = rounding_error(problem, gram, beta)
    found = assess(problem, beta, values, definiteness, rounding)
    features, is_large = None, found.gap is not None and has_large_gap(problem, found)
    if rounding > (_needed_accuracy(problem, found, rounding) if accuracy is None else accuracy):
        features = linear_features(gram, beta)
    if features is None and is_large:
        features = features_needed(problem, gram, beta, found)
    if features is not None:
        values = long_expansion(features, problem.index, (beta, np.zeros_like(beta)))[0]
        rounding = 4.0 * _U * float(np.abs(values[problem.present]).max(initial=0.0))
        rounding += _own_error(problem, gram, beta)
        found = assess(problem, beta, values, definiteness, rounding)
        is_large = found.gap is not None and has_large_gap(problem, found)
    gap = found.gap
    if gap is None:
        return found
    if is_large and features is not None:
        gap = long_gap(problem, features, beta, values, found)
    elif is_large:
        gap = corrected_gap(problem, gram, beta, values, found)
    if found.infeasibility > _core.ROUNDED and problem.n_groups:
        gap = max(gap, _worth_of_sums(problem, gram, beta, found))
    return found if gap == found.gap else replace(found, gap=gap, primal=found.objective + gap)


def _worth_of_sums(
    problem: Problem, gram: KernelMatrix, beta: FloatArray, found: Certificate
) -> float:
    """By how much an objective may lie above the optimum because of what its sums lack.

    A variable that takes up s gains its gradient, the multiplier, times s, less s^2 k/2.
    """
    missing = np.abs(problem.group_sum - problem.group_sums(beta))
    worst = problem.index[np.abs(beta).argmax()]
    curvature = abs(float(gram.block([worst], [worst], precision="double")[0, 0]))
    with np.errstate(over="ignore", invalid="ignore"):
        return float((np.abs(found.multiplier) * missing + 0.5 * curvature * missing**2).sum())


def _needed_accuracy(problem: Problem, found: Certificate, rounding: float) -> float:
    """The accuracy that a slope needs for a violation to be meaningful.

    A margin that vanishes counts as a millionth of the largest gradient such coefficients can
    have (docs/theory/problem.md#hulls-that-overlap), of which ``rounding`` is some 16 roundings.
    """
    size = problem.linear_size
    if size == 0.0 and problem.n_groups:
        multiplier = found.multiplier
        size = float(np.ptp(multiplier) if len(multiplier) > 1 else abs(multiplier[0]))
        size = max(size, _core.VANISHING * rounding / (16.0 * _U))
    return _core.KNOWN * size


def assess(
    problem: Problem,
    beta: FloatArray,
    values: FloatArray,
    definiteness: Definiteness = "known",
    rounding: float = 0.0,
) -> Certificate:
    """Certificate of a point whose expansion ``values`` = (K beta)[index] is known.

    ``rounding`` is a bound of its rounding. A group is optimal if max over I_up of the gradient <=
    min over I_down; its multiplier is the common gradient of its free variables. A variable without
    a group is optimal if the gradient is <= 0 where it may rise and >= 0 where it may fall
    (docs/theory/problem.md#optimality).
    """
    # gradient = linear - values - ridge b
    # objective = linear'b - b'(K + ridge)b / 2 = b'(linear + gradient) / 2
    report = _core.report_point(problem._native, beta, values)
    return reported(report, definiteness, error=rounding, rounding=rounding)


def reported(report: tuple[Any, ...], definiteness: Definiteness, **known: Any) -> Certificate:
    """The certificate of a point from what the core says of it; ``known`` are further fields."""
    gradient, multiplier, objective, violation, infeasibility, gap = report
    if definiteness == "refuted":
        gap = None
    return Certificate(
        gradient=gradient,
        multiplier=multiplier,
        objective=objective,
        primal=None if gap is None else objective + gap,
        gap=gap,
        violation=violation,
        infeasibility=infeasibility,
        definiteness=definiteness,
        **known,
    )


def definiteness_at(problem: Problem, gram: KernelMatrix, coef: FloatArray) -> Definiteness:
    """What is known of the kernel; where that is nothing, its values at the point are asked."""
    if gram.definiteness != "unknown":
        return gram.definiteness
    return gram.inspect(problem.row_coef(coef, gram.n_rows))


def _checked_point(problem: Problem, gram: KernelMatrix, coef: ArrayLike) -> FloatArray:
    beta = np.ascontiguousarray(coef, dtype=np.float64)
    if beta.shape != problem.linear.shape:
        raise ValueError(f"coef must have shape {problem.linear.shape}, got {beta.shape}")
    if _core.is_point(problem._native, beta, gram.n_rows):
        return beta
    if not np.isfinite(beta).all():
        raise ValueError("coef must be finite")
    raise ValueError(
        f"index must lie below the {gram.n_rows} rows of the gram, got {problem.index.max()}"
    )


def _expansion(problem: Problem, gram: KernelMatrix, beta: FloatArray) -> FloatArray:
    """Value (K beta)_i of each variable, from the rows with a non-zero coefficient."""
    if hasattr(gram, "expand"):
        values: FloatArray = gram.expand(problem.index, beta)
        return values
    row_coef = problem.row_coef(beta, gram.n_rows)
    columns = row_coef.nonzero()[0]
    if not len(columns):
        return np.zeros(len(beta))
    return gram.product(columns, row_coef[columns], precision="double")[problem.index]
