"""The base of all machines: validate, build a Gram, solve, keep the fit, evaluate."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from mercer._reported import Reported
from mercer._sklearn import (
    CallbackSupportMixin,
    Interval,
    StrOptions,
)
from mercer._warning import warn
from mercer.formulations import FittedParameters, Formulation
from mercer.gram import Gram
from mercer.gram.bounded_expansion import LazyExpansion
from mercer.gram.native import take_rows
from mercer.kernels import Kernel
from mercer.machines.certified import certificate_html
from mercer.machines.early_end import early_end, is_done
from mercer.machines.parameters import check_parameters, defaults_of
from mercer.machines.solving import Problems, Rows, solve_all
from mercer.problem import Solution, Solutions
from mercer.problem.solutions import column, relative_gaps
from mercer.solvers.runs.deadline import Deadline
from mercer.training.rows import RowReader, is_precomputed

__all__ = ["KernelMachine"]

FloatArray = NDArray[np.float64]
_PLAIN = (int, float, str)


class KernelMachine(RowReader, Reported, CallbackSupportMixin, BaseEstimator):
    """Base of the machines: everything but the formulation and its labels."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [
            StrOptions({"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"}),
            callable,
        ],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [
            StrOptions({"scale", "auto", "median"}),
            Interval(Real, 0.0, None, closed="left"),
        ],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "shrinking": ["boolean"],
        "cache_size": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "solver": [str, object],
        "precision": [StrOptions({"auto", "single", "double"})],
        "max_time": [Interval(Real, 0.0, None, closed="neither"), None],
        "n_threads": [Interval(Integral, 1, None, closed="left"), None],
        "warm_start": ["boolean"],
        "callback": [callable, None],
    }

    def _html_repr(self) -> str:
        """What a notebook shows: the parameters and, after the fit, the certificate."""
        return str(super()._html_repr()) + certificate_html(self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        tags.input_tags.sparse = not is_precomputed(self.kernel)
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_expansions", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if hasattr(self, "dual_coef_"):
            self._forget_expansion()

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return list(defaults_of(cls))

    _validate_params = check_parameters  # the name that scikit-learn calls it by

    # --- fitting ---------------------------------------------------------------------

    def _sums_vanish(self) -> bool:
        """Whether the coefficients of every function add up to zero: there is a free bias."""
        return False

    def _solve_all(
        self,
        formulations: Sequence[Formulation],
        gram: Gram,
        deadline: Deadline | None = None,
        rows: Rows | None = None,
    ) -> tuple[list[Solution], list[FittedParameters]]:
        """Solve several formulations on one Gram, or on some rows of it."""
        deadline = deadline or Deadline.after(self.max_time)
        found = solve_all(self, Problems(self, formulations, gram, deadline, rows))
        parameters = [one.fitted for one in found]
        near = [one.near for one in found]
        self._keep_shift(gram.shift, near, [fitted.intercept for fitted in parameters])
        return [one.solution for one in found], parameters

    def _tolerance(self, gram: Gram) -> float:
        """Largest KKT violation, in the units of the problems."""
        return float(self.tol)

    def _keep_shift(
        self, shift: FloatArray | None, near: ArrayLike | None, intercept: ArrayLike
    ) -> None:
        """Keep where rows were measured from, and the bias there next to ``intercept_``.

        The digits of a bias at zero are those of the distance from there.
        """
        for name in ("_shift", "_near_intercept"):
            self.__dict__.pop(name, None)
        if shift is not None and near is not None:
            self._shift, self._near_intercept = shift, np.array([near, intercept])

    @property
    def _bias(self) -> FloatArray:
        """What is added to the values of the expansion; ``intercept_`` may have been changed."""
        intercept = np.asarray(self.intercept_)
        if "_shift" not in vars(self):
            return intercept
        near, before = self._near_intercept
        return np.asarray(near + (intercept - before))

    def _keep_solutions(
        self, solutions: Sequence[Solution], kernel: Kernel, shape: tuple[int, ...]
    ) -> None:
        """Fitted attributes that do not depend on the kind of machine."""
        self.kernel_ = kernel
        self._gamma = getattr(kernel, "gamma", 0.0)
        self.shape_fit_ = shape
        self.solutions_ = solutions if isinstance(solutions, Solutions) else tuple(solutions)
        self.solver_ = solutions[0].solver
        gaps: list[Any] = relative_gaps(solutions)
        self.objective_ = float(sum(column(solutions, "objective").tolist()))
        self.violation_ = max(column(solutions, "violation").tolist())
        self.dual_gap_ = None if None in gaps else max(gaps)
        open_ones = np.flatnonzero(column(solutions, "status") != "converged").tolist()
        self.fit_status_ = int(any(not self._is_done(solutions[k]) for k in open_ones))
        self._forget_expansion()
        if self.fit_status_:
            warn(early_end(self, self.solutions_, self._problem_name), ConvergenceWarning)

    _problem_name: ClassVar[str] = "problems"

    def _is_done(self, solution: Solution) -> bool:
        """Whether a solution needs no warning."""
        return is_done(solution)

    def _keep_support(self, X: Any, support: NDArray[np.intp]) -> None:
        self.support_ = support.astype(np.int32)
        if is_precomputed(self.kernel):
            self.support_vectors_ = np.empty((0, 0))
        else:
            self.support_vectors_ = take_rows(X, support)

    # --- evaluation ------------------------------------------------------------------

    def _forget_expansion(self) -> None:
        """Forget the expansion of an earlier fit: the next one is made when it is asked for."""
        # a list: predictions leave the attributes as they are
        self._expansions: list[LazyExpansion] = []

    @property
    def _expanded(self) -> LazyExpansion:
        """The expansion over the support vectors, derived from the fitted attributes."""
        if not self._expansions:
            made = LazyExpansion(
                self.kernel_,
                self.support_ if is_precomputed(self.kernel) else self.support_vectors_,
                _dense(self.dual_coef_).T,
                parts=self._expansion_parts(),
                precision="single" if self.precision == "single" else "double",
                n_threads=self.n_threads,
                sums_vanish=self._sums_vanish(),
                shift=vars(self).get("_shift"),
            )
            self._expansions.append(made)
        return self._expansions[0]

    def _expansion_parts(self) -> ArrayLike | None:
        """Offsets of the parts of the expansion wanted one by one."""
        return None

    def _can_screen(self) -> bool:
        """Whether signs may be found in single precision, with a bound of its error."""
        return self.precision == "auto" and self._expanded.is_bounded


def has_free_bias(machine: Any) -> bool:
    """Whether a machine has a bias that is no weight among others."""
    return getattr(machine, "fit_intercept", True) not in (False, "penalized")


def _dense(coef: Any) -> FloatArray:
    return np.asarray(coef.toarray() if hasattr(coef, "toarray") else coef)
