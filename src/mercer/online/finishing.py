"""The optimum of examples that are at hand, from where a stream stands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.formulations import Formulation
from mercer.gram import Gram
from mercer.problem import Problem, Solution
from mercer.problem.solution import lowered
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback, continued
from mercer.solvers.runs.selective_certificate import KnownGradient
from mercer.solvers.solving import resolve_solver, solve_by

__all__ = ["Finished", "finished"]

FloatArray = NDArray[np.float64]


class Finished:
    """Optimal coefficients, with certificates.

    Attributes
    ----------
    beta : ndarray of shape (n_rows, n_functions * variables_per_row)
        Variables of each row.
    intercept : ndarray of shape (n_functions,)
        Biases.
    solutions : tuple of Solution
        One for each function.
    gradient : ndarray of shape (n_rows, n_functions * variables_per_row)
        Gradient of each variable.
    gradient_error : ndarray of shape (n_functions,)
        Bound of the errors of the gradients.
    """

    def __init__(self, solutions: list[Solution], intercept: list[float], beta: FloatArray) -> None:
        self.solutions = tuple(solutions)
        self.intercept = np.array(intercept)
        self.beta = beta

    @property
    def gradient(self) -> FloatArray:
        n = len(self.beta)
        parts = [solution.gradient.reshape(-1, n).T for solution in self.solutions]
        return np.concatenate(parts, axis=1)

    @property
    def gradient_error(self) -> FloatArray:
        return np.array([solution.error for solution in self.solutions])


def finished(
    gram: Gram,
    terms: FloatArray,
    beta: FloatArray,
    *,
    n_functions: int,
    solver: Any = "auto",
    tol: float = 1e-3,
    deadline: Deadline,
    callback: Callback | None = None,
    known: list[KnownGradient] | None = None,
) -> Finished:
    """Solve the problem of each function on the rows of ``gram``, from ``beta``.

    ``terms`` holds linear term, lower and upper bound of each variable of a row, function after
    function; a function with two variables a row has them one after the other. ``known`` has the
    gradients at ``beta``, for solvers that take them.
    """
    n = len(terms)
    parts = terms.reshape(n, n_functions, -1, 3)
    start = beta.reshape(n, n_functions, -1)
    solutions, intercept, found, n_iter = [], [], np.empty_like(start), 0
    for f in range(n_functions):
        # all first variables, then all second ones
        linear, lower, upper = parts[:, f].transpose(2, 1, 0).reshape(3, -1)
        index = np.tile(np.arange(n), parts.shape[2])
        formulation = Formulation(Problem(linear, lower, upper, index), n, "intercept")
        seconds = None if deadline.moment == np.inf else deadline.seconds_left
        gradient = {} if known is None else {"start_gradient": known[f]}
        solution = solve_by(
            resolve_solver(solver),
            formulation.problem,
            gram,
            start=start[:, f].T.ravel(),
            tol=tol,
            max_time=seconds,
            callback=callback and continued(callback, iterations=n_iter, seconds=0.0),
            **gradient,
        )
        n_iter += solution.n_iter
        found[:, f] = solution.coef.reshape(-1, n).T
        fitted = formulation.fitted_parameters(solution)
        if offset := gram.shift_offset(fitted.coef):
            solution = lowered(solution, offset)
            fitted = replace(fitted, intercept=fitted.intercept - offset)
        solutions.append(solution)
        intercept.append(fitted.intercept)
    return Finished(solutions, intercept, found.reshape(n, -1))
