"""A classifier that learns all classes in one problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import Kernel
from mercer.machines.kernel_values import make_gram
from mercer.machines.solving import display_of
from mercer.multiclass import AllInOne, multiclass_problem
from mercer.problem import Solution

__all__ = ["Functions", "check_all_in_one", "fit_all_in_one"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Functions:
    """What the problems of a classifier came to.

    Attributes
    ----------
    solutions : sequence of Solution
        One for each problem.
    support : ndarray of shape (n_support,)
        The support vectors, by class.
    coef : ndarray of shape (n_functions, n_support)
        ``dual_coef_``.
    intercept : ndarray of shape (n_functions,)
        The bias of each function.
    """

    solutions: Sequence[Solution]
    support: IntArray
    coef: FloatArray
    intercept: FloatArray


def check_all_in_one(machine: Any) -> None:
    """Refuse parameters that these machines do not have, for any number of classes."""
    scheme, solver = machine.multiclass, machine.solver
    if machine.loss != "hinge":
        raise ValueError(f"loss must be 'hinge' for multiclass={scheme!r}, got {machine.loss!r}")
    if not isinstance(solver, AllInOne) and not (isinstance(solver, str) and solver == "auto"):
        raise ValueError(
            f"solver must be 'auto' for multiclass={scheme!r}, or AllInOne of mercer.multiclass, "
            f"got {solver!r}"
        )
    if np.isinf(machine.C):
        raise ValueError(f"C must be finite for multiclass={scheme!r}, got inf")


def fit_all_in_one(
    machine: Any, X: Any, class_index: IntArray, n_classes: int, weight: FloatArray, kernel: Kernel
) -> Functions:
    """The functions of all classes, from one problem.

    There is no free bias: with one of any kind it is a weight among others (kernel k + 1), which
    is the sum of a function's coefficients.
    """
    problem = multiclass_problem(machine.multiclass, class_index, n_classes, machine.C, weight)
    bias = "penalized" if machine.fit_intercept else False
    gram = make_gram(machine, kernel, X, weight, bias=bias)
    machine._keep_shift(None, None, 0.0)
    with display_of(machine) as display:
        watch = display.watch(0, machine.callback) if display else machine.callback
        solver = machine.solver if isinstance(machine.solver, AllInOne) else AllInOne()
        solution = solver.solve(
            problem,
            gram,
            start=_start(machine, problem.shape),
            tol=machine.tol,
            max_iter=machine.max_iter,
            max_time=machine.max_time,
            callback=watch,
        )
    support = np.flatnonzero(solution.coef.any(axis=0))
    support = support[np.argsort(class_index[support], kind="stable")]
    coef = problem.coefficients(solution.coef)
    intercept = coef.sum(axis=1) if bias else np.zeros(n_classes)
    return Functions([solution], support, np.ascontiguousarray(coef[:, support]), intercept)


def _start(machine: Any, shape: tuple[int, int]) -> FloatArray | None:
    """The solution of the last fit, if that is wanted and fits."""
    last: tuple[Solution, ...] = getattr(machine, "solutions_", ()) if machine.warm_start else ()
    fits = len(last) == 1 and last[0].coef.shape == shape
    return last[0].coef if fits else None
