"""The arguments of the functions for paths, checked and converted."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from mercer.gram import Gram
from mercer.gram.shift import shift_of_far_rows, shift_of_products
from mercer.kernels import Kernel, Linear, as_kernel
from mercer.lowrank import LowRank
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.solvers.runs.deadline import Deadline
from mercer.training.classes import check_weighted_classes
from mercer.training.numbers import plain
from mercer.training.rows import TrainingRows
from mercer.training.training_set import TrainingSet
from mercer.training.weights import unit_weight

__all__ = [
    "KernelChoice",
    "ValuePrecision",
    "approximate_kernel",
    "read_inputs",
    "read_rows",
]

FloatArray = NDArray[np.float64]
ValuePrecision = Literal["auto", "double"]
_FAR = 2.0**8  # for rows to be moved: errors add up along a path, machines can do with more


def read_inputs(
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    kernel: Any,
    class_weight: Any = None,
    *,
    takes_more: bool = False,
) -> TrainingSet:
    """Rows (also of a Gram), labels of two classes and weights; errors name what is wrong.

    Of two classes or more if ``takes_more``.
    """
    if not (class_weight is None or class_weight == "balanced" or isinstance(class_weight, dict)):
        raise ValueError(f"class_weight must be a dict, 'balanced' or None, got {class_weight!r}")
    rows, labels, weight, training = read_rows(X, y, sample_weight, kernel)
    try:
        data = TrainingSet.of_classes(rows, labels, weight, class_weight, training)
    except TypeError as error:
        raise TypeError(f"y must hold labels of one kind: {error}") from error
    if len(data.classes) < 2 or (len(data.classes) > 2 and not takes_more):
        wanted = "two classes or more" if takes_more else "two classes"
        raise ValueError(f"y must hold {wanted}, got {len(data.classes)}")
    check_weighted_classes(data.classes, data.class_index, data.weight)
    return data


def read_rows(
    X: Any,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
    kernel: Any,
    *,
    has_y: bool = True,
    y_numeric: bool = False,
) -> tuple[Any, Any, FloatArray, TrainingRows]:
    """Rows (also of a Gram), labels or targets, weights, and what other rows must be like."""
    if has_y and y is None:
        raise ValueError("y must be given, got None")
    given, kernel = (X._rows, X.kernel) if isinstance(X, Gram) else (X, kernel)
    training = TrainingRows(kernel)
    return *training.read(given, y, sample_weight, y_numeric=y_numeric), training


@dataclass(frozen=True)
class KernelChoice:
    """A kernel as it is asked for, and how its values are to be had."""

    kernel: Any = "rbf"
    degree: int = 3
    gamma: float | str = "scale"
    coef0: float = 0.0
    low_rank: int | LowRank | None = None
    cache_size: float | str = "auto"
    n_threads: int | None = None
    deadline: Deadline = field(default_factory=Deadline)

    def made(self, rows: Any, weight: FloatArray) -> Kernel:
        """The kernel with all its parameters numbers."""
        made = as_kernel(self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0)
        return made.resolve(rows, sample_weight=unit_weight(weight))

    def values(
        self,
        X: Any,
        rows: Any,
        weight: FloatArray,
        training: TrainingRows,
        *,
        sums_vanish: bool = True,
        precision: ValuePrecision = "double",
    ) -> KernelValues:
        """Kernel values of rows, those of the Gram ``X`` if it is one; finite or refused.

        Rows far from the origin are measured from another one if coefficients add up to zero.
        """
        kernel = X.kernel if isinstance(X, Gram) else self.made(rows, weight)
        find = shift_of_far_rows if self.low_rank is None else shift_of_products
        is_free = sums_vanish and not isinstance(X, Gram) and not kernel.is_normalized
        shift = find(kernel.form(), rows, weight, _FAR) if is_free else None
        given = X if isinstance(X, Gram) else self.gram(kernel, rows, shift, precision)
        given.check_values()
        if self.low_rank is None:
            return KernelValues(kernel, rows, training, gram=given, shift=shift)
        among = np.flatnonzero(weight)
        fitted, features = approximate_kernel(self.low_rank, given, rows, among, self.deadline)
        gram = self.gram(Linear(), features).check_values()
        return KernelValues(kernel, rows, training, fitted, gram)

    def gram(
        self,
        kernel: Kernel,
        rows: Any,
        shift: FloatArray | None = None,
        precision: ValuePrecision = "double",
    ) -> Gram:
        """Values of a kernel, in double precision unless the solver is to choose."""
        return Gram(
            kernel,
            rows,
            cache_size=self.cache_size,  # type: ignore[arg-type]
            precision=precision,
            n_threads=self.n_threads,
            shift=shift,
        )


def approximate_kernel(
    low_rank: int | LowRank, gram: Gram, rows: Any, among: NDArray[np.intp], deadline: Deadline
) -> tuple[LowRank, FloatArray]:
    """A fitted approximation of the kernel, and the features whose products it is.

    A number is the rank of a pivoted incomplete Cholesky factor (Sentelle 2014, algorithm 6): at
    most that many rows represent all others, and n times as many numbers are all that is stored.
    Landmarks are chosen ``among`` the rows of positive weight, as many as the time allows.
    """
    if isinstance(low_rank, LowRank):
        fitted = clone(low_rank)
    elif isinstance(low_rank, Integral) and low_rank > 0:
        fitted = LowRank(rank=int(low_rank), basis="incomplete-cholesky", random_state=0)
    else:
        raise ValueError(
            f"low_rank must be a positive integer or a LowRank, got {plain(low_rank)!r}"
        )
    options: dict[str, Any] = {
        "n_threads": gram.n_threads,
        "shift": gram.shift,
        "deadline": deadline.moment,
    }
    fitted.choose_among(among, gram.kernel, rows, **options).warn_of_loss()
    features = np.ascontiguousarray(fitted.transform(rows))
    diagonal = gram.diagonal(precision="double")
    missing = np.maximum(diagonal - np.einsum("ij,ij->i", features, features), 0.0)
    fitted.trace_error_ = float(missing.sum() / diagonal.sum()) if diagonal.sum() else 0.0
    return fitted, features
