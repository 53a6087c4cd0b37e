"""How many classes become two-class problems, and how the values of these tell a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._sklearn import StrOptions
from mercer.codes import Decoding, OutputCode, make_code
from mercer.codes.decoding import DECODINGS, decoding_named
from mercer.codes.making import CODES, as_code
from mercer.machines.svm.all_in_one import check_all_in_one
from mercer.machines.svm.label_screening import certain_winners
from mercer.machines.svm.one_vs_one import (
    ClassPairs,
    dual_coefficients,
    pair_bounds,
    pair_classes,
    pair_decisions,
    scores,
    votes,
    winners,
)
from mercer.machines.svm.subproblems import Columns, Subproblems
from mercer.multiclass import AllInOne
from mercer.multiclass.formulations import ALL_IN_ONE

__all__ = [
    "MULTICLASS",
    "OWN_DECODING",
    "SCHEME_CONSTRAINTS",
    "AllInOneScheme",
    "CodeScheme",
    "PairScheme",
    "Scheme",
    "SubproblemScheme",
    "make_scheme",
    "one_against_all",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
Labels = NDArray[Any]
BoolArray = NDArray[np.bool_]

MULTICLASS = ("one-vs-one", "one-vs-all", "code")
SCHEME_CONSTRAINTS: dict[str, list[Any]] = {
    "multiclass": [StrOptions(set(MULTICLASS))],
    "code": [StrOptions(set(CODES)), "array-like", OutputCode],
    "decoding": [StrOptions({"auto", *DECODINGS})],
}
# The decoding "auto" of each loss: the same function of margins, or the one nearest to it.
OWN_DECODING = {
    "squared_hinge": "squared_hinge",
    "squared_error": "squared_error",
    "huber": "squared_hinge",
}


class Scheme(Protocol):
    """What a fitted classifier of several classes asks of its scheme."""

    # what its problems are called
    problem_name: ClassVar[str]

    def parts(self, n_support: IntArray) -> ArrayLike | None:
        """Offsets that cut the expansion of several machines; None for one part."""

    def decisions(self, values: FloatArray, bias: FloatArray) -> FloatArray:
        """Values of all machines, (n_rows, n_machines), from those of the expansion."""

    def scores(self, decisions: FloatArray) -> FloatArray:
        """A score for each class."""

    def choose(self, decisions: FloatArray, break_ties: bool) -> Labels:
        """Positions of the chosen classes."""

    def classes_of(self, values: FloatArray, bias: FloatArray, break_ties: bool) -> Labels:
        """:meth:`choose` of :meth:`decisions`."""

    def screen(
        self, values: FloatArray, bound: FloatArray, bias: FloatArray
    ) -> tuple[Labels, BoolArray]:
        """The same from values that may be wrong by ``bound``, and where that is certain."""


class SubproblemScheme(Scheme, Protocol):
    """A scheme of two-class problems."""

    @property
    def leaves_classes_out(self) -> bool:
        """Whether problems are about some of the classes only."""

    def subproblems(self, class_index: IntArray) -> Subproblems:
        """The problems on rows of these classes."""

    def coefficients(
        self, subproblems: Subproblems, coef: FloatArray, class_index: IntArray
    ) -> tuple[IntArray, FloatArray]:
        """Support vectors, by class and then by row, and ``dual_coef_``.

        ``coef`` are the coefficients of the rows of each problem, one after the other.
        """

    def count_doubtful(self, decisions: FloatArray, tol: float, break_ties: bool) -> int:
        """Rows whose class may change within the tolerance that biases are known to."""


@dataclass(frozen=True)
class PairScheme:
    """Class against class; the class that wins most pairs is chosen."""

    n_classes: int
    problem_name: ClassVar[str] = "class pairs"

    @property
    def leaves_classes_out(self) -> bool:
        """Whether problems are about some of the classes only."""
        return self.n_classes > 2

    def subproblems(self, class_index: IntArray) -> Subproblems:
        """The pairs of classes."""
        return ClassPairs(class_index, self.n_classes)

    def coefficients(
        self, subproblems: Subproblems, coef: FloatArray, class_index: IntArray
    ) -> tuple[IntArray, FloatArray]:
        """Support vectors and coefficients in LIBSVM's layout, (n_classes - 1, n_support)."""
        return dual_coefficients(subproblems, coef, class_index, self.n_classes)  # type: ignore[arg-type]

    def parts(self, n_support: IntArray) -> ArrayLike | None:
        """The support vectors of each class have coefficients of their own."""
        return np.concatenate([[0], np.cumsum(n_support)])

    def decisions(self, values: FloatArray, bias: FloatArray) -> FloatArray:
        """Values of all pairs."""
        return values[0] + bias if self.n_classes == 2 else pair_decisions(values, bias)

    def scores(self, decisions: FloatArray) -> FloatArray:
        """Votes, ties broken by summed decisions."""
        return scores(decisions, self.n_classes)

    def choose(self, decisions: FloatArray, break_ties: bool) -> Labels:
        """The class of the largest score, or the first of those with most votes."""
        if self.n_classes == 2:
            return (decisions[:, 0] > 0).astype(np.intp)
        if break_ties:
            return winners(decisions, self.n_classes)
        return votes(decisions, self.n_classes).argmax(axis=1)

    def count_doubtful(self, decisions: FloatArray, tol: float, break_ties: bool) -> int:
        """Rows that another class wins if all values move together.

        A kernel near the identity gives values that are smaller than the tolerance.
        """
        near = decisions[(np.abs(decisions) <= tol).any(axis=1)]
        if not len(near):
            return 0
        low, high = (self.choose(near + step, break_ties) for step in (-tol, tol))
        return int(np.count_nonzero(low != high))

    def classes_of(self, values: FloatArray, bias: FloatArray, break_ties: bool) -> Labels:
        """:meth:`choose` of :meth:`decisions`."""
        if self.n_classes == 2:
            return self.choose(self.decisions(values, bias), break_ties)
        return pair_classes(values, bias, break_ties)

    def screen(
        self, values: FloatArray, bound: FloatArray, bias: FloatArray
    ) -> tuple[Labels, BoolArray]:
        """The winners, certain where no pair is near a tie."""
        if self.n_classes == 2:
            decision = values[0, :, 0] + bias
            return (decision > 0).astype(np.intp), np.abs(decision) > bound[0]
        return certain_winners(pair_decisions(values, bias), pair_bounds(bound), self.n_classes)


class AllInOneScheme:
    """A function for each class; the largest value chooses."""

    problem_name: ClassVar[str] = "machines"

    def parts(self, n_support: IntArray) -> ArrayLike | None:
        """All support vectors have coefficients in all functions."""
        return None

    def decisions(self, values: FloatArray, bias: FloatArray) -> FloatArray:
        """Values of all functions."""
        return values[0] + bias

    def scores(self, decisions: FloatArray) -> FloatArray:
        """The value of each class."""
        return decisions

    def choose(self, decisions: FloatArray, break_ties: bool) -> Labels:
        """The class of the largest score; ties go to the first."""
        return self.scores(decisions).argmax(axis=1)

    def classes_of(self, values: FloatArray, bias: FloatArray, break_ties: bool) -> Labels:
        """:meth:`choose` of :meth:`decisions`."""
        return self.choose(self.decisions(values, bias), break_ties)

    def screen(
        self, values: FloatArray, bound: FloatArray, bias: FloatArray
    ) -> tuple[Labels, BoolArray]:
        """The largest value, certain where no other one is near."""
        found = self.decisions(values, bias)
        best = np.partition(found, -2, axis=1)
        return found.argmax(axis=1), best[:, -1] - best[:, -2] > 2.0 * bound[0]


@dataclass(frozen=True, eq=False)
class CodeScheme(AllInOneScheme):
    """The columns of a code; a class is told by the losses of its row, or by its own machine.

    Attributes
    ----------
    code : OutputCode
        The code.
    decoding : Decoding or None
        None for one against all: the largest value chooses, as it does by every loss.
    """

    code: OutputCode
    decoding: Decoding | None

    @property
    def leaves_classes_out(self) -> bool:
        """Whether problems are about some of the classes only."""
        return self.code.has_zeros

    def subproblems(self, class_index: IntArray) -> Subproblems:
        """The columns of the code."""
        return Columns(self.code, class_index)

    def coefficients(
        self, subproblems: Subproblems, coef: FloatArray, class_index: IntArray
    ) -> tuple[IntArray, FloatArray]:
        """Support vectors and coefficients, (n_machines, n_support)."""
        if self.code.has_zeros:
            lists = subproblems.row_lists(np.arange(len(subproblems)))
            full = np.zeros((len(subproblems), len(class_index)))
            full[np.repeat(np.arange(len(subproblems)), np.diff(lists.offsets)), lists.rows] = coef
        else:
            full = coef.reshape(len(subproblems), len(class_index))
        support = np.flatnonzero(full.any(axis=0))
        support = support[np.argsort(class_index[support], kind="stable")]
        return support, full[:, support]

    def count_doubtful(self, decisions: FloatArray, tol: float, break_ties: bool) -> int:
        """Rows that another class may win.

        Errors of many columns are unlike: their sum is off by the root of their number.
        """
        n_summed = 1 if self.decoding is None else decisions.shape[1]
        bound = np.full((1, len(decisions)), tol / np.sqrt(n_summed))
        _, is_certain = self.screen(decisions[None], bound, np.zeros(decisions.shape[1]))
        return int(np.count_nonzero(~is_certain))

    def scores(self, decisions: FloatArray) -> FloatArray:
        """The value of each class, or its negated loss."""
        return decisions if self.decoding is None else self.decoding.scores(self.code, decisions)

    def screen(
        self, values: FloatArray, bound: FloatArray, bias: FloatArray
    ) -> tuple[Labels, BoolArray]:
        """The largest score, certain where no other one is near."""
        if self.decoding is None:
            return super().screen(values, bound, bias)
        decisions = self.decisions(values, bias)
        found = self.scores(decisions)
        certain = self.decoding.is_certain(self.code, decisions, bound[0], found)
        return found.argmax(axis=1), certain


def one_against_all(n_classes: int) -> CodeScheme:
    """A machine for each of more than two classes; the largest value chooses."""
    return CodeScheme(make_code("one-vs-all", n_classes), None)


def make_scheme(machine: Any, n_classes: int) -> Scheme:
    """The scheme that a classifier's parameters ask for; two classes are one pair in all of them.

    Parameters that do not fit are refused however many classes there are.
    """
    multiclass = machine.multiclass
    if machine.decision_function_shape == "ovo" and multiclass != "one-vs-one":
        raise ValueError(
            "decision_function_shape='ovo' needs multiclass='one-vs-one', got "
            f"multiclass={multiclass!r}"
        )
    if multiclass in ALL_IN_ONE:
        check_all_in_one(machine)
    elif isinstance(machine.solver, AllInOne):
        raise ValueError(
            f"solver must be one of mercer.solvers for multiclass={multiclass!r}, got "
            f"{machine.solver!r}"
        )
    code = as_code(machine.code, n_classes, machine.max_time) if multiclass == "code" else None
    if n_classes == 2 or multiclass == "one-vs-one":
        return PairScheme(n_classes)
    if multiclass in ALL_IN_ONE:
        return AllInOneScheme()
    if code is None:
        return one_against_all(n_classes)
    return CodeScheme(code, decoding_named(machine._decoding))
