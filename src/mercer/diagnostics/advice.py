"""Signs of badly chosen parameters in a fitted machine, with advice in words.

Rifkin 2002, section 2.4; Glasmachers 2008, section 9.4: kernels that are too wide or too narrow,
and prices that are too small, show in the support vectors without a test set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer.machines import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.machines.least_squares.machine import LeastSquaresMachine
from mercer.machines.svm.lonely import is_lonely
from mercer.problem import Solution
from mercer.selection.history import History
from mercer.selection.tuned import TunedMachine

__all__ = ["Diagnosis", "Finding", "diagnose"]

FloatArray = NDArray[np.float64]

_NEARLY_ALL = 0.99


@dataclass(frozen=True)
class Finding:
    """One sign of badly chosen parameters.

    Attributes
    ----------
    name : str
        "not-converged", "indefinite-kernel", "nearly-all-support", "nearly-all-bounded",
        "nearest-neighbour", "no-free-vectors" or "search-boundary".
    observed : str
        What was seen.
    advice : str
        What to try.
    """

    name: str
    observed: str
    advice: str


@dataclass(frozen=True)
class Diagnosis:
    """What a fitted machine tells of its parameters.

    Attributes
    ----------
    n_rows : int
        Training rows.
    support_share : float
        Share of them that are support vectors.
    bounded_share : float
        Share of the coefficients that are not zero, of all two-class problems, that lie at their
        bound; such rows are on the wrong side of their margin.
    findings : tuple of Finding
        Signs of badly chosen parameters; empty if there are none.
    """

    n_rows: int
    support_share: float
    bounded_share: float
    findings: tuple[Finding, ...]

    def __repr__(self) -> str:
        lines = [
            f"{self.n_rows:,} rows, {_percent(self.support_share)} of them support vectors, "
            f"{_percent(self.bounded_share)} of these at their bound"
        ]
        for finding in self.findings:
            lines.append(f"- {finding.name}: {finding.observed}. {finding.advice}.")
        return "\n".join(lines if self.findings else [*lines, "nothing unusual"])


def diagnose(machine: Any) -> Diagnosis:
    """Look for signs of badly chosen parameters in a fitted machine.

    Parameters
    ----------
    machine : SVC, NuSVC, SVR, NuSVR, OneClassSVM, or a machine that tuned itself
        Fitted. Of a tuned machine its search is looked at, too; of a tuned least squares machine
        nothing else, for all its rows are support vectors by construction.

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
    inner = machine
    findings: list[Finding] = []
    if isinstance(machine, TunedMachine):
        check_is_fitted(machine)
        inner = machine.best_estimator_
        findings += _of_search(machine)
        if isinstance(inner, LeastSquaresMachine):
            return Diagnosis(inner.shape_fit_[0], 1.0, 0.0, tuple(findings))
    if not isinstance(inner, (SVC, NuSVC, SVR, NuSVR, OneClassSVM)):
        raise TypeError(
            "machine must be an SVC, NuSVC, SVR, NuSVR, OneClassSVM or a tuned machine, got "
            f"{type(inner).__name__}"
        )
    check_is_fitted(inner)
    return _of_machine(inner, findings)


def _of_machine(machine: Any, findings: list[Finding]) -> Diagnosis:
    n_rows = int(machine.shape_fit_[0])
    counts = np.array([_counted(solution) for solution in machine.solutions_]).reshape(-1, 2)
    n_support, n_bounded = counts.sum(axis=0).tolist()
    share = len(machine.support_) / n_rows
    bounded = n_bounded / max(n_support, 1)
    lonely = is_lonely(machine)
    findings += _of_certificate(machine)
    if share >= _NEARLY_ALL and lonely:
        findings.append(_nearest_neighbour(share))
    elif share >= _NEARLY_ALL:
        findings.append(_all_support(machine, share))
    if n_support and bounded >= _NEARLY_ALL:
        findings.append(_all_bounded(machine, bounded))
    n_without = int((counts[:, 0] == counts[:, 1]).sum())
    has_bias = getattr(machine, "fit_intercept", True) is True
    if n_without and has_bias and not getattr(machine, "_is_all_in_one", False):
        findings.append(_no_free(machine, n_without, len(counts)))
    return Diagnosis(n_rows, share, bounded, tuple(findings))


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
        f"{_percent(share)} of the rows are support vectors and similar to no other row: the "
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
        "nearly-all-support", f"{_percent(share)} of the rows are support vectors", advice
    )


def _all_bounded(machine: Any, bounded: float) -> Finding:
    if hasattr(machine, "C"):
        advice = "C is too small, or the kernel too wide for these rows: raise C, then gamma"
    else:
        advice = "Lower nu, or raise gamma if the kernel is too wide"
    return Finding(
        "nearly-all-bounded", f"{_percent(bounded)} of the coefficients are at their bound", advice
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
            "example optimizer=Zoom(prices=(1e-4, 1e6), n_widths=11), or doubt the criterion",
        )


def _ends(history: History) -> Iterator[str]:
    """The parameters whose best value is the least or the largest of those tried."""
    thetas = np.array(history.thetas)
    best = thetas[history.best]
    for k, name in enumerate(history.names):
        for end, extreme in (("smallest", thetas[:, k].min()), ("largest", thetas[:, k].max())):
            if best[k] == extreme and np.ptp(thetas[:, k]) > 0:
                yield f"{end} {name.removeprefix('log ')} tried, {np.exp(best[k]):.3g}"


def _percent(share: float) -> str:
    return f"{100.0 * share:.3g} %"
