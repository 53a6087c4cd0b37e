"""Classification by the nearest points of reduced hulls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer._sklearn import Interval, StrOptions
from mercer._warning import warn
from mercer.formulations import Formulation, nearest_points
from mercer.formulations.bias_and_rho import Bias
from mercer.formulations.joined import JoinedParameters
from mercer.gram import Gram
from mercer.machines import SVC
from mercer.machines.docstrings import documented
from mercer.machines.svm.kernel_classifier import KernelClassifier
from mercer.machines.svm.vanishing_margin import has_no_margin
from mercer.problem import Solution
from mercer.problem.solutions import column
from mercer.solvers.runs.progress import Callback

__all__ = ["HullClassifier"]

FloatArray = NDArray[np.float64]


@documented(like=SVC)
class HullClassifier(KernelClassifier):
    """Classification by the hyperplane between the reduced hulls of two classes.

    The hull of a class is reduced to combinations of its rows with coefficients of at most ``mu``,
    so that no single row moves it far. With the bias of the KKT conditions the machine is that of
    :class:`~mercer.NuSVC` with ``nu = 2 / (mu n)``, and of :class:`~mercer.SVC` with a C that
    depends on the solution (:func:`~mercer.hull.svc_like`). More than two classes are learned in
    pairs.

    Parameters
    ----------
    mu : float or "auto", default="auto"
        Largest coefficient of a row of weight 1: at least 1 / (rows of the smaller class), where
        the hull is only the mean; 1 and more is the convex hull. "auto" is the sum of the smallest
        values of both classes of a pair, which is ``nu=0.5`` for classes of equal size.
    bias : {"multiplier", "bisecting"}, default="multiplier"
        The bias of the KKT conditions, or that of the hyperplane which bisects the segment between
        the nearest points. They are equal for whole hulls; "bisecting" suits solutions that have
        not converged.
    class_weight : dict or "balanced", default=None
        Factors of mu by class: the hull of a class with a larger factor is less reduced, and nearer
        to the other. As for :class:`~mercer.NuSVC`, and unlike :class:`~mercer.SVC`, both classes
        keep the same sum of coefficients, so a large factor need not make a class more frequent
        among predictions.

    Attributes
    ----------
    mu_ : ndarray of shape (n_pairs,)
        The largest coefficient of each pair of classes.
    distance_ : ndarray of shape (n_pairs,)
        Distance of the reduced hulls of each pair, in the feature space of the kernel.
    rho_ : ndarray of shape (n_pairs,)
        Half the width of the slab between the classes, before coefficients were scaled to
        margin 1; ``mu_ / rho_`` is the C of the equivalent :class:`~mercer.SVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.hull import HullClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> HullClassifier(kernel="linear", mu=0.1).fit(X, y).score(X, y) > 0.95
    True
    """

    _has_sides = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClassifier._parameter_constraints,
        "mu": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="right")],
        "bias": [StrOptions({"multiplier", "bisecting"})],
    }

    def __init__(
        self,
        *,
        mu: float | str = "auto",
        bias: Bias = "multiplier",
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | str = "deprecated",
        tol: float = 1e-3,
        cache_size: float | str = "auto",
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = True,
        random_state: Any = None,
        solver: Any = "auto",
        precision: str = "auto",
        max_time: float | None = None,
        n_threads: int | None = None,
        warm_start: bool = False,
        callback: Callback | None = None,
    ) -> None:
        self.mu = mu
        self.bias = bias
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.solver = solver
        self.precision = precision
        self.max_time = max_time
        self.n_threads = n_threads
        self.warm_start = warm_start
        self.callback = callback

    def _fit_machines(
        self,
        X: Any,
        labels: NDArray[np.intp],
        classes: NDArray[Any],
        class_weight: FloatArray,
        weight: FloatArray,
    ) -> None:
        totals = np.bincount(labels, weight * class_weight[labels], minlength=len(classes))
        super()._fit_machines(X, labels, classes, class_weight, weight)
        self.mu_ = np.array([self._mu_for(*pair) for pair in combinations(totals, 2)])

    def _formulate(self, sign: FloatArray, weight: FloatArray) -> Formulation:
        """Nearest points, in the scale of margin 1 as those of nu-SVC are.

        A bound that is the sum of a class is none: a row with all of its class's coefficient tells
        the threshold of the class, as every free one does.
        """
        mu = self._mu_for(float(weight[sign > 0].sum()), float(weight[sign < 0].sum()))
        found = nearest_points(sign, mu, weight)
        lower, upper = (
            np.where(np.abs(end) < 1.0, end, 2.0 * end)
            for end in (found.problem.lower, found.problem.upper)
        )
        problem = replace(found.problem, lower=lower, upper=upper)
        return replace(found, problem=problem, kind="nu", bias=self.bias)

    def _mu_for(self, first: float, second: float) -> float:
        """The largest coefficient for a pair of classes of these weights."""
        return 1.0 / first + 1.0 / second if isinstance(self.mu, str) else float(self.mu)

    def _keep_margins(
        self,
        solutions: Sequence[Solution],
        parameters: JoinedParameters,
        rows: NDArray[np.intp],
        gram: Gram,
    ) -> None:
        self.rho_ = parameters.rho
        # of no other term: the objective is -|w|^2 / 2
        self.distance_ = np.sqrt(np.maximum(-2.0 * column(solutions, "objective"), 0.0))
        if has_no_margin(solutions, parameters, rows, gram):
            warn(
                f"mu={self.mu} is too large: the reduced convex hulls of two classes overlap, "
                "there is no margin, and the decision function is noise. Choose a smaller mu or "
                "another kernel.",
                ConvergenceWarning,
            )
