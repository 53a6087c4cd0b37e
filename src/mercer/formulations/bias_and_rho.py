"""The way back: bias, rho and tube of a machine from the solution of its problem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._shown import shown
from mercer.problem import Certificate, Problem, Solution

FloatArray = NDArray[np.float64]
Bias = Literal["multiplier", "bisecting"]
Kind = Literal["intercept", "no_bias", "penalized", "nu", "hulls", "rho", "tube", "ball"]


@dataclass(frozen=True, eq=False)
class FittedParameters:
    """What a solution says about the machine: f(x) = sum_i coef_i k(x_i, x) + intercept.

    Attributes
    ----------
    coef : ndarray of shape (n_rows,)
        Coefficient of each row.
    intercept : float
        The bias; -rho for the one-class family.
    norm_squared : float
        |w|^2 = coef' K coef, K being the plain kernel (docs/theory/problem.md#fitted-parameters).
    rho : float or None
        Functional margin of the problem's own scale (nu-SVC, nearest points), or the threshold
        of the one-class family.
    epsilon : float or None
        Half-width of the tube; negative only if :meth:`Formulation.correction` applies.
    scale : float or None
        Factor that brought the problem's coefficients to ``coef``: 1/rho for nu-SVC, 1 if
        its margin vanished; the scale of the weights of the one-class family.
    radius : float or None
        Radius of the enclosing ball.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> machine = svc([-1, -1, 1, 1], C=1.0)
    >>> solution = solve(machine.problem, Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]]), tol=1e-9)
    >>> fitted = machine.fitted_parameters(solution)
    >>> fitted.coef.round(6).tolist(), round(fitted.intercept, 6), round(fitted.norm_squared, 6)
    ([0.0, -1.0, 1.0, 0.0], -1.5, 1.0)
    """

    coef: FloatArray
    intercept: float
    norm_squared: float
    rho: float | None = None
    epsilon: float | None = None
    scale: float | None = None
    radius: float | None = None

    __repr__ = shown()


@dataclass(frozen=True, eq=False)
class Formulation:
    """A problem together with the meaning of its solution.

    Attributes
    ----------
    problem : Problem
        What the solver gets.
    n_rows : int
        Number of data rows the coefficients are spread over.
    kind : str
        How parameters follow from multipliers (docs/theory/problem.md#fitted-parameters).
    epsilon : float or None
        Half-width of the tube where it is given, not learned.
    fallback : Formulation or None
        What to solve instead if the learned half-width comes out negative.
    bias : {"multiplier", "bisecting"}
        Which bias is taken unless it is given (see :meth:`fitted_parameters`).
    weight_scale : float
        By which weights and coefficients of the one-class family were divided.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> machine = svc([-1, -1, 1, 1], C=1.0)
    >>> solution = solve(machine.problem, Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]]), tol=1e-9)
    >>> round(machine.fitted_parameters(solution).intercept, 6)
    -1.5
    """

    problem: Problem
    n_rows: int
    kind: Kind
    epsilon: float | None = None
    fallback: Formulation | None = None
    bias: Bias = "multiplier"
    weight_scale: float = 1.0

    __repr__ = shown()

    def fitted_parameters(
        self,
        solution: Certificate,
        coef: ArrayLike | None = None,
        *,
        bias: Bias | None = None,
    ) -> FittedParameters:
        """Coefficients, intercept and learned quantities of a solution.

        Parameters
        ----------
        solution : Certificate
            The gradient and the multipliers are taken from it.
        coef : array-like of shape (n_variables,), default=None
            The point, unless it is a :class:`~mercer.Solution`, which has its own.
        bias : {"multiplier", "bisecting"}, default=None
            The optimal bias, or that of the hyperplane which bisects the segment between the
            nearest points of the two classes (SVC, nu-SVC, nearest points). Both are the same
            for hulls that are not reduced. The second needs no free coefficient, and suits
            solutions that have not converged. None means that of the formulation.
        """
        if coef is None:
            if not isinstance(solution, Solution):
                raise TypeError(
                    "coef is required beside a Certificate, which has no point, got None"
                )
            coef = solution.coef
        beta = np.asarray(coef, dtype=np.float64)
        problem = self.problem
        norm = problem._native.squared_norm(beta, solution.gradient)
        found = self.interpret(problem.row_coef(beta, self.n_rows), norm, solution.multiplier)
        bias = bias or self.bias
        if bias == "multiplier":
            return found
        # K beta = linear - gradient - ridge beta
        values = problem.linear - solution.gradient - problem.ridge * beta
        return replace(found, intercept=(found.scale or 1.0) * self._bisecting(beta, values, bias))

    def _bisecting(self, beta: FloatArray, values: FloatArray, bias: str) -> float:
        """The bias of the bisecting hyperplane, in the scale of the problem.

        The coefficients of each class sum to s: its nearest point is w+/s, or w-/s. That
        w'x + b vanishes midway between them, with w = w+ - w-, means

            b = (|w-|^2 - |w+|^2) / (2 s) = -sum_i |beta_i| f_i / sum_i |beta_i|.
        """
        if bias != "bisecting" or self.kind not in ("intercept", "nu", "hulls"):
            raise ValueError(
                "bias must be 'multiplier', or 'bisecting' for SVC, nu-SVC and nearest points, "
                f"got {bias!r} for a formulation of kind {self.kind!r}"
            )
        size = np.abs(beta)
        total = float(size.sum())
        return -float(size @ values) / total if total > 0 else 0.0

    def interpret(self, coef: FloatArray, norm: float, multiplier: FloatArray) -> FittedParameters:
        """The bias and its kin from the multipliers (docs/theory/problem.md#fitted-parameters)."""
        if self.kind == "no_bias":
            return FittedParameters(coef, 0.0, norm, epsilon=self.epsilon)
        if self.kind == "penalized":
            bias = float(coef.sum())
            return FittedParameters(coef, bias, norm - bias * bias, epsilon=self.epsilon)
        first, last = float(multiplier[0]), float(multiplier[-1])
        centre, half = (first + last) / 2, (last - first) / 2
        if self.kind == "intercept":
            return FittedParameters(coef, first, norm, epsilon=self.epsilon)
        if self.kind == "rho":
            s = self.weight_scale
            if s == 1.0:
                return FittedParameters(coef, first, norm, rho=-first)
            return FittedParameters(coef * s, first * s, norm * s * s, rho=-first * s, scale=s)
        if self.kind == "ball":
            # free rows: K_ii/2 - f_i = m, and |x_i - c|^2 = K_ii - 2 f_i + |c|^2
            return FittedParameters(
                coef, 0.0, norm, radius=float(np.sqrt(max(2 * first + norm, 0.0)))
            )
        if self.kind == "tube":
            epsilon = -half if self.fallback is not None else max(-half, 0.0)
            return FittedParameters(coef, centre, norm, epsilon=epsilon)
        scale = 1 / half if self.kind == "nu" and half > 0 else 1.0
        return FittedParameters(
            coef * scale, centre * scale, norm * scale * scale, rho=half, scale=scale
        )

    def correction(self, fitted: FittedParameters) -> Formulation | None:
        """The formulation to solve instead, None if ``fitted`` stands.

        The squared nu-SVR may learn a negative half-width; its answer is then the least
        squares machine with epsilon = 0 (docs/theory/problem.md#a-negative-tube).
        """
        wrong = fitted.epsilon is not None and fitted.epsilon < 0
        return self.fallback if wrong else None

    def on_rows(self, rows: ArrayLike, n_rows: int) -> Formulation:
        """The same formulation on some ``rows`` of a larger set of ``n_rows`` rows."""
        if n_rows == self.n_rows and np.array_equal(rows, np.arange(n_rows)):
            return self
        index = np.asarray(rows, dtype=np.intp)[self.problem.index]
        fallback = self.fallback.on_rows(rows, n_rows) if self.fallback is not None else None
        problem = self.problem.on_rows(index)
        return replace(self, problem=problem, n_rows=n_rows, fallback=fallback)
