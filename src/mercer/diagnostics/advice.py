"""Signs of badly chosen parameters in a fitted machine, with advice in words.

Rifkin 2002, section 2.6; Glasmachers 2008, section 9.4: kernels that are too wide or too narrow,
and values of C that are too small, show in the support vectors without a test set.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mercer.diagnostics.feature_scale import unscaled_features
from mercer.diagnostics.finding import NEARLY_ALL, Diagnosis, Finding, percent
from mercer.diagnostics.label_steps import steps_that_see_labels
from mercer.diagnostics.least_squares import of_least_squares
from mercer.machines import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.machines.functions import best_inside
from mercer.machines.least_squares.machine import LeastSquaresMachine
from mercer.machines.svm.isolated_support import is_support_isolated
from mercer.machines.svm.kernel_classifier import is_all_in_one
from mercer.online import OnlineSVC, OnlineSVR
from mercer.problem import Solution
from mercer.selection.history import History
from mercer.selection.tuned import TunedMachine

__all__ = ["diagnose"]

KNOWN = (SVC, NuSVC, SVR, NuSVR, OneClassSVM, OnlineSVC, OnlineSVR, LeastSquaresMachine)


def diagnose(machine: Any) -> Diagnosis:
    """Look for signs of badly chosen parameters in a fitted machine.

    Parameters
    ----------
    machine : estimator
        Fitted: an SVC, NuSVC, SVR, NuSVR, OneClassSVM, RLSC, LSSVC, LSSVR, OnlineSVC, OnlineSVR
        or a machine that tuned itself, alone, as the last step of a Pipeline, or inside a
        TransformedTargetRegressor. Of a tuned machine its search is looked at, too. Features are
        judged as the machine gets them, behind the other steps.

    Returns
    -------
    Diagnosis
        Shares of support vectors, and findings with advice; prints as sentences.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC
    >>> from mercer.diagnostics import diagnose
    >>> X, y = load_iris(return_X_y=True)
    >>> [finding.name for finding in diagnose(SVC(gamma=1e4, C=10.0).fit(X, y)).findings]
    ['nearest-neighbour']
    """
    if isinstance(machine, TransformedTargetRegressor):
        check_is_fitted(machine)
        return diagnose(machine.regressor_)
    preparation, inner = None, machine
    if isinstance(machine, Pipeline):
        preparation, inner = machine[:-1], machine[-1]
    findings: list[Finding] = []
    if isinstance(inner, TunedMachine):
        check_is_fitted(inner)
        best = best_inside(inner)
        findings += [*_of_search(inner), *_of_preparation(preparation)]
        inner = best
        if isinstance(inner, Pipeline):  # with a scaler of its own
            preparation, inner = preparation or inner[:-1], inner[-1]
    if not isinstance(inner, KNOWN):
        names = ", ".join(cls.__name__ for cls in KNOWN[:-1])
        raise TypeError(
            f"machine must be an {names}, a least squares machine, a tuned machine, or a pipeline "
            f"that ends with one, got {type(inner).__name__}"
        )
    check_is_fitted(inner)
    return _of_machine(inner, [*findings, *_of_features(inner, preparation)])


def _of_features(machine: Any, preparation: Any) -> Iterator[Finding]:
    """Whether features differ too much; principal components may."""
    steps = [] if preparation is None else [step for _, step in preparation.steps]
    if any(hasattr(step, "components_") for step in steps):
        return
    names = None
    if steps:
        # not every transformer tells
        with suppress(AttributeError, ValueError):
            names = preparation.get_feature_names_out()
    yield from unscaled_features(machine, names)


def _of_machine(machine: Any, findings: list[Finding]) -> Diagnosis:
    n_rows, share = int(machine.shape_fit_[0]), _support_share(machine)
    is_least_squares = isinstance(machine, LeastSquaresMachine)
    if share >= NEARLY_ALL and not _is_linear(machine) and is_support_isolated(machine):
        findings.append(_nearest_neighbour(share))
    elif share >= NEARLY_ALL and not is_least_squares:
        findings.append(_all_support(machine, share))
    if is_least_squares:
        findings += of_least_squares(machine)
        return Diagnosis(n_rows, share, 0.0, tuple(findings))
    if not hasattr(machine, "solutions_"):
        findings += _of_unfinished(machine)
        return Diagnosis(n_rows, share, None, tuple(findings))
    counts = np.array([_counted(solution) for solution in machine.solutions_]).reshape(-1, 2)
    n_support, n_bounded = counts.sum(axis=0).tolist()
    bounded = n_bounded / max(n_support, 1)
    findings += _of_certificate(machine)
    if n_support and bounded >= NEARLY_ALL:
        findings.append(_all_bounded(machine, bounded))
    n_without = int((counts[:, 0] == counts[:, 1]).sum())
    has_bias = getattr(machine, "fit_intercept", True) is True
    if n_without and has_bias and not is_all_in_one(machine):
        findings.append(_no_free(machine, n_without, len(counts)))
    return Diagnosis(n_rows, share, bounded, tuple(findings))


def _support_share(machine: Any) -> float:
    """Share of the rows that have a coefficient; weights of features come from all rows."""
    coef = getattr(machine, "dual_coef_", None)
    return 1.0 if coef is None else coef.shape[1] / max(int(machine.shape_fit_[0]), 1)


def _is_linear(machine: Any) -> bool:
    """Whether the machine has weights of features in place of support vectors."""
    return not hasattr(machine, "support_vectors_")


def _of_unfinished(machine: Any) -> Iterator[Finding]:
    """A stream that is optimal on what is kept as far as it was asked to be, or not."""
    if machine.violation_ > machine.tol:
        yield Finding(
            "not-finished",
            f"the KKT violation of the stream is {machine.violation_:.2g} on the examples it keeps",
            "Call finish() for the optimum, with a certificate",
        )


def _counted(solution: Solution) -> tuple[int, int]:
    """Coefficients that are not zero, and those of them at a bound.

    The gradient of a free variable is the multiplier of its group; one at a bound would gain by
    leaving its box: its gradient lies on the side of its sign.
    """
    used = solution.coef != 0
    sign = np.sign(solution.coef[used])
    multiplier = np.zeros(len(sign))
    if len(solution.multiplier) == 1:
        multiplier[:] = solution.multiplier[0]
    elif len(solution.multiplier) == 2:
        # one group for each sign, the positive one first
        first, second = solution.multiplier
        multiplier = np.where(sign > 0, first, second)
    gradient = solution.gradient[used]
    slack = solution.violation + 1e-9 * float(np.abs(gradient).max(initial=0.0))
    outward = sign * (gradient - multiplier)
    return int(used.sum()), int((outward > slack).sum())


def _of_certificate(machine: Any) -> Iterator[Finding]:
    statuses = sorted({solution.status for solution in machine.solutions_} - {"converged"})
    if statuses:
        yield Finding(
            "not-converged",
            f"the fit ended with status {', '.join(statuses)}, KKT violation "
            f"{machine.violation_:.2g}",
            "Scale the features, lower C, or raise max_iter or max_time",
        )
    if any(solution.definiteness == "refuted" for solution in machine.solutions_):
        yield Finding(
            "indefinite-kernel",
            f"the kernel {machine.kernel_!r:.80} is not positive semi-definite",
            "The solution may be a local one and has no duality gap: prefer another kernel",
        )


def _nearest_neighbour(share: float) -> Finding:
    return Finding(
        "nearest-neighbour",
        f"{percent(share)} of the rows are support vectors and similar to no other row: the "
        "machine predicts like the nearest neighbour, and the bias far from all rows",
        "The kernel is too narrow: lower gamma by powers of ten, or scale the features",
    )


def _all_support(machine: Any, share: float) -> Finding:
    if hasattr(machine, "epsilon"):
        advice = "Raise epsilon above the noise of the targets, or lower gamma"
    elif hasattr(machine, "C"):
        advice = "C may be too small or the kernel too narrow: raise C, then try a smaller gamma"
    else:
        advice = "Lower nu, or gamma if the kernel is too narrow"
    return Finding(
        "nearly-all-support", f"{percent(share)} of the rows are support vectors", advice
    )


def _all_bounded(machine: Any, bounded: float) -> Finding:
    if hasattr(machine, "C"):
        advice = "C is too small, or the kernel too wide for these rows: raise C, then gamma"
    else:
        advice = "Lower nu, or raise gamma if the kernel is too wide"
    return Finding(
        "nearly-all-bounded", f"{percent(bounded)} of the coefficients are at their bound", advice
    )


def _no_free(machine: Any, n_without: int, n_problems: int) -> Finding:
    names = "machines" if "code_" in vars(machine) else "pairs of classes"
    where = f" in {n_without} of {n_problems} {names}" if n_problems > 1 else ""
    advice = "Raise C" if hasattr(machine, "C") else "Change nu a little"
    return Finding(
        "no-free-vectors",
        f"no support vector lies on its margin{where}: an interval of biases is optimal, and its "
        "middle was taken",
        advice,
    )


def _of_search(machine: TunedMachine) -> Iterator[Finding]:
    if machine.search_status_ == "boundary" or machine._edges:
        ends = ", ".join(machine._edges or _ends(machine.history_[0]))
        where = f" ({ends})" if ends else ""
        yield Finding(
            "search-boundary",
            f"the best parameters lie at the edge of those searched{where}",
            "Better ones may lie beyond: search from another kernel width, with a wider grid, for "
            "example optimizer=Zoom(C_range=(1e-4, 1e6), n_widths=11), or doubt the criterion",
        )


def _of_preparation(preparation: Any) -> Iterator[Finding]:
    """Steps that the folds of the search cannot leave rows out of."""
    if preparation is not None and (steps := steps_that_see_labels(preparation)):
        yield Finding(
            "labels-seen",
            f"{' and '.join(steps)} before the search have seen the labels of all rows, those that "
            "judge it included: best_score_ and honest_score_ are too good",
            "Judge the whole pipeline: cross_val_score(pipeline, X, y)",
        )


def _ends(history: History) -> Iterator[str]:
    """The parameters whose best value is the least or the largest of those tried."""
    thetas = np.array(history.thetas)
    best = thetas[history.best]
    for k, name in enumerate(history.names):
        for end, extreme in (("smallest", thetas[:, k].min()), ("largest", thetas[:, k].max())):
            if best[k] == extreme and np.ptp(thetas[:, k]) > 0:
                yield f"{end} {name.removeprefix('log ')} tried, {np.exp(best[k]):.3g}"
