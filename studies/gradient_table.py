"""Every criterion, machine and kernel: value, gradient and central difference, or the error seen.

    python studies/gradient_table.py [--cells] [--criteria cv gcv ...]

A row for each criterion, a column for each machine. A number is the largest distance between
gradient and central difference over six kernels, relative to the larger of the two; "value" has no
gradient, and says so when asked for one; "-" is refused. With --cells every kernel has a line of
its own, with value, gradient and difference, or the error that is seen.
Two of the 24 rows are given twice; machines are solved by the active set to 1e-12.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer import LSSVC, LSSVR, RLSC, SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.kernels import Gaussian, Linear, Normalized, Oligo, Polynomial
from mercer.lab import make_tis
from mercer.selection import Prior, make_objective

STEP = 1e-5
AWAY = 0.05  # of theta from the machine given: no row is on the edge of a set there

_random = np.random.default_rng(3)
ROWS = _random.normal(size=(24, 2))
STRINGS = np.array([window[18:38] for window in make_tis(24, random_state=1)[0]])
_score = ROWS[:, 0] + 0.5 * ROWS[:, 1] ** 2 + 0.7 * _random.normal(size=24)
LABELS, TARGETS = _score > 0.4, np.sin(ROWS[:, 0]) + 0.3 * _random.normal(size=24)
for given in (ROWS, STRINGS, LABELS):
    given[7], given[21] = given[3], given[12]

_EXACT: dict[str, Any] = {"solver": "active-set", "tol": 1e-12}
KERNELS = {
    "one width": Gaussian(0.4),
    "widths": Gaussian([0.3, 0.6]),
    "full metric": Gaussian(0.4 * np.eye(2) + 0.1),
    "polynomial": Polynomial(3, gamma=0.5, coef0=1.0),
    "sum": 0.7 * Gaussian(0.5) + 0.3 * Linear(),
    "oligo": Normalized(Oligo(2, 1.5)),
}
MACHINES: dict[str, tuple[Any, Any]] = {
    "SVC": (SVC(**_EXACT), LABELS),
    "squared": (SVC(loss="squared_hinge", **_EXACT), LABELS),
    "no bias": (SVC(fit_intercept=False, **_EXACT), LABELS),
    "penalized": (SVC(fit_intercept="penalized", **_EXACT), LABELS),
    "NuSVC": (NuSVC(nu=0.4, **_EXACT), LABELS),
    "SVR": (SVR(**_EXACT), TARGETS),
    "NuSVR": (NuSVR(nu=0.5, **_EXACT), TARGETS),
    "RLSC": (RLSC(alpha=0.5), LABELS),
    "LSSVC": (LSSVC(alpha=0.5), LABELS),
    "LSSVR": (LSSVR(alpha=0.5), TARGETS),
    "one class": (OneClassSVM(nu=0.3, **_EXACT), None),
}
_DRAWN = {"random_state": 5}
CRITERIA: dict[str, tuple[str, dict[str, Any]]] = {
    "cv": ("cv", {"cv": 2, "loss": "zero_one"}),
    "cv, squared": ("cv", {"cv": 2, "loss": "squared"}),
    "cv, logistic": ("cv", {"cv": 2, "loss": "logistic"}),
    "holdout, squared": ("holdout", {"loss": "squared", **_DRAWN}),
    "bootstrap, squared": ("bootstrap", {"loss": "squared", **_DRAWN}),
    "loo": ("loo", {}),
    "n_support": ("n_support", {}),
    "span": ("span", {}),
    "span_like": ("span_like", {}),
    "radius_margin": ("radius_margin", {}),
    "alignment": ("alignment", {}),
    "polarization": ("polarization", {}),
    "likelihood": ("likelihood", _DRAWN),
    "posterior": ("posterior", {"cv": 2, "prior": Prior(0.2)}),
    "gcv": ("gcv", {}),
    "gcv, loo": ("gcv", {"method": "loo"}),
    "rejection": ("rejection", {"cv": 3}),
    "detection": ("detection", {"cv": 3}),
}


@dataclass(frozen=True)
class Cell:
    """What a user gets; nothing but ``refused`` where a criterion does not suit a machine."""

    value: float = np.nan
    gradient: Any = None
    difference: Any = None
    refused: str = ""

    @property
    def error(self) -> float:
        """Largest distance of gradient and difference, relative to the larger of the two.

        Where it is flat (a slope below 1e-2 of the value), relative to that: differences of
        values that are rounded see no less.
        """
        size = max(np.abs([self.gradient, self.difference]).max(), 1e-2 * abs(self.value))
        return float(np.abs(self.gradient - self.difference).max() / size)


def cell(criterion: str, machine: str, kernel: str, seed: int | None = None) -> Cell:
    """By every parameter, or along one direction that is drawn by a seed."""
    name, options = CRITERIA[criterion]
    estimator, y = MACHINES[machine]
    estimator = clone(estimator).set_params(kernel=KERNELS[kernel])
    rows = STRINGS if kernel == "oligo" else ROWS

    def made() -> Any:
        """Made anew every time, so that what is drawn is drawn again."""
        return make_objective(name, estimator, rows, y, **options)

    try:
        objective = made()
    except ValueError as error:
        return Cell(refused=str(error))
    theta = objective.space.start + AWAY
    if not objective.has_gradient:
        return Cell(objective.value(theta))
    value, gradient = objective(theta)
    along = np.eye(len(theta))
    if seed is not None:
        along = np.random.default_rng(seed).uniform(0.5, 1.5, size=(1, len(theta)))
    ends = [[made().value(theta + sign * STEP * unit) for sign in (1.0, -1.0)] for unit in along]
    return Cell(value, along @ gradient, np.diff(ends)[:, 0] / (-2.0 * STEP))


def shown(found: list[Cell]) -> str:
    """All kernels of a criterion and a machine in one word."""
    answered = [one for one in found if not one.refused]
    if not answered:
        return "-"
    errors = [one.error for one in answered if one.gradient is not None]
    return f"{max(errors):.0e}" if errors else "value"


def lines(criterion: str, machine: str, found: dict[str, Cell]) -> Iterator[str]:
    """Every kernel, with its numbers."""
    for kernel, one in found.items():
        text = one.refused or f"{one.value:.10g}"
        if one.gradient is not None:
            text += f"  gradient {one.gradient}  difference {one.difference}"
        yield f"    {criterion} | {machine} | {kernel}: {text}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", action="store_true")
    parser.add_argument("--criteria", nargs="*", choices=list(CRITERIA), default=list(CRITERIA))
    options = parser.parse_args()
    np.set_printoptions(precision=8, linewidth=200)
    print(f"{'':19s}" + "".join(f"{machine:>11s}" for machine in MACHINES))
    for criterion in options.criteria:
        table = {m: {k: cell(criterion, m, k) for k in KERNELS} for m in MACHINES}
        words = [shown(list(found.values())) for found in table.values()]
        print(f"{criterion:19s}" + "".join(f"{word:>11s}" for word in words), flush=True)
        for machine, found in table.items() if options.cells else ():
            print(*lines(criterion, machine, found), sep="\n")


if __name__ == "__main__":
    main()
