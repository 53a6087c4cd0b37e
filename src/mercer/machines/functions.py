"""The functions that a fitted machine is made of, as sums of kernel values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer.gram.expansion import Expansion
from mercer.kernels import Kernel, Linear
from mercer.machines.base import KernelMachine
from mercer.machines.least_squares.machine import LeastSquaresMachine
from mercer.machines.svm.kernel_classifier import KernelClassifier
from mercer.machines.svm.reduced import ReducedSVC
from mercer.machines.svm.schemes import PairScheme

__all__ = ["MachineFunctions", "best_inside", "functions_of", "kernel_machine", "machine_and_rows"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MachineFunctions:
    """``f_c(x) = sum_i coef[i, c] k(rows[i], x) + bias_c``.

    Attributes
    ----------
    kernel : Kernel
        The kernel.
    rows : array or sparse matrix of shape (n_support, n_features)
        The rows expanded over.
    coef : ndarray of shape (n_support, n_functions)
        Coefficients.
    bias : ndarray of shape (n_functions,)
        What is added.
    shift : ndarray of shape (n_features,) or None
        Where the rows may be measured from without a change but of rounding.
    values : callable
        From checked rows to values of the functions, (n_rows, n_functions).
    names : list of str or None
        What each function is for; None if there is one.
    """

    kernel: Kernel
    rows: Any
    coef: FloatArray
    bias: FloatArray
    shift: FloatArray | None
    values: Callable[[Any], FloatArray]
    names: list[str] | None

    def combined(self, matrix: FloatArray, names: list[str]) -> MachineFunctions:
        """Linear combinations of the functions, one for each column of the matrix."""
        own = self.values
        return replace(
            self,
            coef=self.coef @ matrix,
            bias=self.bias @ matrix,
            values=lambda X: own(X) @ matrix,
            names=names,
        )


def best_inside(machine: Any) -> Any:
    """What a search has found, of one target; other machines as they are."""
    found = getattr(machine, "best_estimator_", machine)
    if isinstance(found, list):
        raise TypeError(
            f"{type(machine).__name__} was fitted to {len(found)} targets, each with a machine of "
            "its own: give one of its estimators_"
        )
    return found


def kernel_machine(machine: Any) -> KernelMachine:
    """The fitted machine itself, or the one that a search has found."""
    found = machine if isinstance(machine, KernelMachine) else best_inside(machine)
    if hasattr(found, "steps"):
        raise TypeError(
            "machine must be a machine of mercer, got a Pipeline: give its last step, and rows "
            "that its other steps have transformed"
        )
    if not isinstance(found, KernelMachine):
        raise TypeError(f"machine must be a fitted machine of mercer, got {found!r}")
    check_is_fitted(found)
    return found


def machine_and_rows(machine: Any, *rows: Any) -> tuple[KernelMachine, *tuple[Any, ...]]:
    """The fitted machine, and rows as it takes them; None stays None.

    A tuned machine that has scaled the features takes them scaled, feature by feature.
    """
    found = best_inside(machine)
    if found is machine or not hasattr(found, "steps"):
        return kernel_machine(machine), *rows
    scaled = (None if own is None else found[:-1].transform(own) for own in rows)
    return kernel_machine(found[-1]), *scaled


def functions_of(machine: KernelMachine, output: str = "classes") -> MachineFunctions:
    """The functions of a machine: one, one for each class, or one for each of its machines."""
    if output not in ("classes", "machines"):
        raise ValueError(f"output must be 'classes' or 'machines', got {output!r}")
    if isinstance(machine, LeastSquaresMachine):
        return _of_least_squares(machine, output)
    expansion = _in_double(machine._expanded.exact)
    scheme = machine._scheme if isinstance(machine, KernelClassifier) else None
    read = (lambda values, bias: values[0] + bias) if scheme is None else scheme.decisions
    near = np.asarray(machine._bias)
    found = MachineFunctions(
        kernel=expansion.kernel,
        rows=expansion.rows,
        coef=read(_by_part(expansion), np.zeros_like(near)),
        bias=np.asarray(machine.intercept_, dtype=np.float64),
        shift=expansion.shift,
        values=lambda X: read(expansion.evaluate(X), near),
        names=None,
    )
    return _named(machine, found, output)


def _of_least_squares(machine: Any, output: str) -> MachineFunctions:
    """A machine that has weights of the features is an expansion over these, by x'z."""
    has_rows = not hasattr(machine, "coef_")
    expansion = _in_double(machine._expanded.exact) if has_rows else None
    weights = None if has_rows else np.atleast_2d(np.asarray(machine.coef_, dtype=np.float64))
    found = MachineFunctions(
        kernel=Linear() if expansion is None else expansion.kernel,
        rows=weights if expansion is None else expansion.rows,
        coef=np.eye(len(machine.coef_)) if expansion is None else expansion.weights,
        bias=np.asarray(machine.intercept_, dtype=np.float64),
        shift=None,
        values=machine._outputs,
        names=None,
    )
    return _named(machine, found, output)


def _in_double(expansion: Expansion) -> Expansion:
    return expansion if expansion.precision == "double" else expansion._in_double


def _by_part(expansion: Expansion) -> FloatArray:
    """What each row expanded over adds to the values of each part, its kernel value aside."""
    weights = expansion.weights
    out = np.zeros((len(expansion.parts), *weights.shape))
    for k, part in enumerate(expansion.parts):
        out[k, part] = weights[part]
    return out


def _named(machine: Any, found: MachineFunctions, output: str) -> MachineFunctions:
    """The functions with their names, or those of the classes or machines made of them."""
    count = found.coef.shape[1]
    if count == 1:
        return found
    classes = [str(name) for name in getattr(machine, "classes_", range(count))]
    code = _class_code(machine, len(classes))
    if code is None:
        return replace(found, names=classes)
    # of a code without zeros least squares machines keep a function for each class
    is_of_classes = isinstance(machine, LeastSquaresMachine) and not machine.code_.has_zeros
    if output == "machines":
        names = _machine_names(code, classes)
        return found.combined(code, names) if is_of_classes else replace(found, names=names)
    if is_of_classes:
        return replace(found, names=classes)
    # the mean of the machines that are about a class, each with its sign
    return found.combined(code.T / np.count_nonzero(code, axis=1), classes)


def _class_code(machine: Any, n_classes: int) -> FloatArray | None:
    """Signs of the classes in the machines, (n_classes, n_machines); None if those are classes."""
    scheme = getattr(machine, "multiclass_", None)
    if scheme in ("one-vs-one", "code") and hasattr(machine, "code_"):
        return np.asarray(machine.code_.matrix, dtype=np.float64)
    is_paired = isinstance(getattr(machine, "_scheme", None), PairScheme)
    if not is_paired and not isinstance(machine, ReducedSVC):
        return None
    pairs = list(combinations(range(n_classes), 2))
    code = np.zeros((n_classes, len(pairs)))
    for k, (first, second) in enumerate(pairs):
        code[first, k], code[second, k] = 1.0, -1.0
    return code


def _machine_names(code: FloatArray, classes: list[str]) -> list[str]:
    """``"a, b against c"`` for each column."""
    sides = [
        [", ".join(name for name, sign in zip(classes, column, strict=True) if sign == side)
         for side in (1, -1)]
        for column in code.T
    ]  # fmt: skip
    return [" against ".join(pair) for pair in sides]
