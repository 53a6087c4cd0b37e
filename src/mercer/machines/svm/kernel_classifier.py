"""Classification by pairs of classes, the columns of a code, or all classes in one machine."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._sklearn import Hidden, StrOptions
from mercer.codes.decoding import decoding_named
from mercer.formulations import Formulation
from mercer.formulations.joined import JoinedFormulations, JoinedParameters
from mercer.gram import Gram
from mercer.gram.native import count_rows, take_rows
from mercer.kernels import Kernel
from mercer.kernels.blocks import row_slices
from mercer.kernels.rows import is_sparse
from mercer.machines.base import KernelMachine, has_free_bias
from mercer.machines.fit_context import fit_context
from mercer.machines.kernel_values import make_gram, resolve_kernel
from mercer.machines.linear_coef import linear_coef
from mercer.machines.svm.all_in_one import Functions, fit_all_in_one
from mercer.machines.svm.label_screening import label_rows
from mercer.machines.svm.probability import PlattMixin
from mercer.machines.svm.schemes import (
    OWN_DECODING,
    AllInOneScheme,
    CodeScheme,
    PairScheme,
    Scheme,
    SubproblemScheme,
    make_scheme,
)
from mercer.machines.svm.subproblem_plan import SubproblemPlan, subproblem_plan
from mercer.machines.svm.subproblems import Formulations, SubproblemRows, class_order
from mercer.multiclass.formulations import ALL_IN_ONE
from mercer.problem import Solution
from mercer.problem.solutions import column
from mercer.solvers.runs.deadline import Deadline
from mercer.training.classes import read_classes
from mercer.training.rows import is_precomputed, read_new_rows, read_training_rows

__all__ = ["KernelClassifier", "has_pairs", "is_all_in_one"]

FloatArray = NDArray[np.float64]
_SEPARABLE = ("intercept", "no_bias", "penalized")  # kinds whose rows know nothing of each other
_WORDS = 32  # bytes for the value of a machine: of the expansion, by pairs, and what adds them up
_FEW_CLASSES = 64
_BLOCK_BYTES = 2**28
_MOST_VARIABLES = 2**20  # of all machines together; more are made one by one


class KernelClassifier(PlattMixin, ClassifierMixin, KernelMachine):
    """Classification by machines that share one Gram."""

    multiclass: str = "one-vs-one"
    code: Any = "dense"
    decoding: str = "auto"
    # Whether each class of a problem has a sum of its own: then rows are best sorted by class, and
    # a margin is learned.
    _has_sides: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelMachine._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        "break_ties": ["boolean"],
        "probability": ["boolean", Hidden(StrOptions({"deprecated"}))],
        "random_state": ["random_state"],
    }

    @property
    def _problem_name(self) -> str:  # type: ignore[override]
        return self._scheme.problem_name

    @abstractmethod
    def _formulate(self, sign: FloatArray, weight: FloatArray) -> Formulation:
        """The two-class formulation."""

    def _formulate_all(
        self, sign: FloatArray, weight: FloatArray, offsets: NDArray[np.intp]
    ) -> JoinedFormulations | None:
        """The formulations of problems that lie one after the other; None if they do not join."""
        found = self._formulate(sign, weight)
        return JoinedFormulations(found, offsets) if found.kind in _SEPARABLE else None

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the machine.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the kernel matrix; for a function
            anything it takes.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a weight of 2 is the same as the row given twice.

        Returns
        -------
        self : object
        """
        X, y, weight = read_training_rows(self, X, y, sample_weight)
        classes, class_index, class_weight = read_classes(y, self.class_weight, weight)
        self._fit_machines(X, class_index, classes, class_weight, weight)
        self.__dict__.pop("_calibration", None)  # of an earlier fit
        if self.probability != "deprecated":
            self._fit_probability(X, y, sample_weight)
        return self

    def _fit_machines(
        self,
        X: Any,
        class_index: NDArray[np.intp],
        classes: NDArray[Any],
        class_weight: FloatArray,
        weight: FloatArray,
    ) -> None:
        scheme = make_scheme(self, len(classes))
        kernel = resolve_kernel(self, X, weight)
        weights = weight * class_weight[class_index]
        if len(classes) == 2:
            found = self._fit_two_classes(X, class_index, weights, kernel)
        elif isinstance(scheme, CodeScheme | PairScheme):
            found = self._fit_subproblems(X, class_index, weights, kernel, scheme)
        else:
            found = fit_all_in_one(self, X, class_index, len(classes), weights, kernel)
        self.classes_ = classes
        self.class_weight_ = class_weight
        self._keep_scheme(scheme)
        self._keep_support(X, found.support)
        self.dual_coef_ = sp.csr_matrix(found.coef) if is_sparse(X) else found.coef
        self.intercept_ = found.intercept
        self._weight_sum = _core.absolute_sum(weights)
        self._n_support = np.bincount(class_index[found.support], minlength=len(classes))
        self.n_iter_ = column(found.solutions, "n_iter").astype(np.int32)
        self._keep_solutions(found.solutions, kernel, np.shape(X))

    def _fit_two_classes(
        self, X: Any, class_index: NDArray[np.intp], weight: FloatArray, kernel: Kernel
    ) -> Functions:
        """The machine of two classes; positive decisions mean the second."""
        formulation = self._formulate(np.where(class_index == 1, 1.0, -1.0), weight)
        gram = make_gram(self, kernel, X, weight, bias=getattr(self, "fit_intercept", True))
        solutions, parameters = self._solve_all([formulation], gram)
        if self._has_sides:
            self._keep_margins(
                solutions, JoinedParameters.of(parameters), np.arange(len(class_index)), gram
            )
        coef, intercept = parameters[0].coef, parameters[0].intercept
        support = coef.nonzero()[0]
        support = support[class_index[support].argsort(kind="stable")]
        return Functions(solutions, support, coef[support][None], np.array([intercept]))

    def _fit_subproblems(
        self,
        X: Any,
        class_index: NDArray[np.intp],
        weight: FloatArray,
        kernel: Kernel,
        scheme: SubproblemScheme,
    ) -> Functions:
        """The two-class machines of a scheme."""
        order, segments = None, None
        rows, sorted_index, weights = X, class_index, weight
        if (scheme.leaves_classes_out or self._has_sides) and not is_precomputed(self.kernel):
            order, segments = class_order(class_index)
            rows, sorted_index, weights = take_rows(X, order), class_index[order], weight[order]
        subproblems = scheme.subproblems(sorted_index)
        deadline = Deadline.after(self.max_time)
        formulations = Formulations(subproblems, weights, self._formulate)
        # wrong parameters cost no kernel value
        made: Sequence[Formulation] = formulations
        plan = subproblem_plan(self, formulations)
        if plan is None and len(subproblems) * len(class_index) <= _MOST_VARIABLES:
            made = list(formulations)
        bias = getattr(self, "fit_intercept", True)
        gram = make_gram(self, kernel, rows, weights, segments, bias)
        if plan is not None and plan.suits(gram):
            found = self._fit_plan(plan, formulations, gram, deadline, scheme)
            return found if order is None else replace(found, support=order[found.support])
        subproblem_rows = SubproblemRows(subproblems) if scheme.leaves_classes_out else None
        solutions, found_singly = self._solve_all(made, gram, deadline, subproblem_rows)
        parameters = JoinedParameters.of(found_singly)
        support, coef = scheme.coefficients(subproblems, parameters.coef, sorted_index)
        if self._has_sides:
            all_rows = subproblems.row_lists(np.arange(len(subproblems))).rows
            self._keep_margins(solutions, parameters, all_rows, gram)
        support = support if order is None else order[support]
        return Functions(solutions, support, coef, parameters.intercept)

    def _fit_plan(
        self,
        plan: SubproblemPlan,
        formulations: Formulations,
        gram: Gram,
        deadline: Deadline,
        scheme: SubproblemScheme,
    ) -> Functions:
        """All problems at once, and one by one those that ask for a closer look."""
        parts, parameters = plan.solve(gram, deadline)
        left = np.flatnonzero(~parts.is_final).tolist()
        solutions = parts.solutions
        self._keep_shift(None, None, 0.0)
        if left:
            made = [formulations[k] for k in left]
            rows = [plan.subproblems[k].rows for k in left] if scheme.leaves_classes_out else None
            found, others = self._solve_all(made, gram, deadline, rows)
            solutions = solutions.replaced(dict(zip(left, found, strict=True)))
            parameters = parameters.replaced(dict(zip(left, others, strict=True)))
        support, coef = scheme.coefficients(
            plan.subproblems, parameters.coef, plan.subproblems.class_index
        )
        if self._has_sides:
            self._keep_margins(solutions, parameters, plan.lists.rows, gram)
        return Functions(solutions, support, coef, parameters.intercept)

    @property
    def _decoding(self) -> str:
        """The name of the decoding; "auto" is that of the loss."""
        if self.decoding != "auto":
            return str(self.decoding)
        return OWN_DECODING.get(getattr(self, "loss", "hinge"), "hinge")

    def _keep_scheme(self, scheme: Scheme) -> None:
        is_paired = isinstance(scheme, PairScheme)
        self.multiclass_ = "one-vs-one" if is_paired else self.multiclass
        self.__dict__.pop("code_", None)
        if isinstance(scheme, CodeScheme):
            self.code_ = scheme.code

    @property
    def _scheme(self) -> Scheme:
        """The scheme that the machine was fitted by; only its decoding may change later."""
        if is_all_in_one(self):
            return AllInOneScheme()
        if "code_" not in vars(self):
            return PairScheme(len(self.classes_))
        is_coded = self.multiclass_ == "code"
        return CodeScheme(self.code_, decoding_named(self._decoding) if is_coded else None)

    def _sums_vanish(self) -> bool:
        return has_free_bias(self) and not is_all_in_one(self)

    def _keep_margins(
        self,
        solutions: Sequence[Solution],
        parameters: JoinedParameters,
        rows: NDArray[np.intp],
        gram: Gram,
    ) -> None:
        """Attributes of machines that learn margins; coefficients are those of these ``rows``."""

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors of each class."""
        check_is_fitted(self)
        return self._n_support.astype(np.int32)

    @property
    def coef_(self) -> Any:
        """Weights of the features; linear kernels only."""
        check_is_fitted(self)
        is_paired = isinstance(self._scheme, PairScheme)
        cuts = np.cumsum(self._n_support)[:-1] if is_paired else np.empty(0, dtype=np.intp)
        return linear_coef(self, cuts)

    def machine_decisions(self, X: Any) -> FloatArray:
        """Values of the machines.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_machines)
            One column for each pair of classes, in the order (0, 1), (0, 2), ..., for each
            column of ``code_``, or for each class; of two classes one.
        """
        return self._machine_decisions(read_new_rows(self, X))

    def _machine_decisions(self, X: Any) -> FloatArray:
        return self._scheme.decisions(self._expanded.exact.evaluate(X), self._bias)

    def _expansion_parts(self) -> ArrayLike | None:
        return None if len(self.classes_) == 2 else self._scheme.parts(self._n_support)

    def decision_function(self, X: Any) -> FloatArray:
        """Decision values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            Two classes: positive means ``classes_[1]``. More: one score a class ("ovr": votes,
            the value of the class against all others, or the negated loss of its code word), or
            the value of each pair ("ovo"), positive meaning its first class.
        """
        X = read_new_rows(self, X)
        if len(self.classes_) == 2:
            return self._machine_decisions(X)[:, 0]
        if self.decision_function_shape == "ovo" and isinstance(self._scheme, PairScheme):
            return self._machine_decisions(X)
        return self._in_blocks(X, lambda rows: self._scheme.scores(self._machine_decisions(rows)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the argmax of :meth:`decision_function`.

        With ``break_ties=False`` ties between more than two classes go to the first.
        """
        X = read_new_rows(self, X)
        screen = self._screen if self._can_screen() else None
        return self.classes_[label_rows(X, self._decide, screen)]

    def _can_screen(self) -> bool:
        """As of any machine, unless sums of many pairs take longer than their kernel values."""
        return len(self.classes_) <= _FEW_CLASSES and super()._can_screen()

    def _decide(self, X: Any) -> NDArray[np.intp]:
        """Position of the class of each row."""
        scheme, bias, ties = self._scheme, self._bias, self.break_ties
        return self._in_blocks(
            X, lambda rows: scheme.classes_of(self._expanded.exact.evaluate(rows), bias, ties)
        )

    def _in_blocks(self, X: Any, work: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
        """``work`` of all rows, so many at a time that the values of all machines fit."""
        parts = list(row_slices(count_rows(X), _WORDS * len(self.intercept_), _BLOCK_BYTES))
        if len(parts) <= 1:
            return work(X)
        return np.concatenate([work(take_rows(X, np.arange(p.start, p.stop))) for p in parts])

    def _screen(self, X: Any) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """:meth:`_decide` in single precision, and where that is certain."""
        values, bound = self._expanded.bounded.evaluate(X)
        return self._scheme.screen(values, bound, self.intercept_)


def is_all_in_one(machine: Any) -> bool:
    """Whether a machine was fitted as one problem of more than two classes."""
    return vars(machine).get("multiclass_") in ALL_IN_ONE


def has_pairs(machine: Any) -> bool:
    """Whether a fitted machine is one of ours, of pairs of classes."""
    return isinstance(machine, KernelClassifier) and isinstance(machine._scheme, PairScheme)
