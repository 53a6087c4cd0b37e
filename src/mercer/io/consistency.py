"""Whether the arrays of a machine fit together.

Compiled code evaluates a machine and trusts its arrays, so those of a file are checked first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.kernels import Kernel

__all__ = ["revived"]


def revived(machine: Any) -> Any:
    """Return the machine with all it derives from its fitted attributes, once checked."""
    if hasattr(machine, "dual_coef_"):
        _check(machine)
        machine.__setstate__(machine.__getstate__())
    return machine


def _check(machine: Any) -> None:
    _require(isinstance(machine.kernel_, Kernel), "kernel_ is not a kernel")
    _check_support(machine)
    _check_vectors(machine)
    n_functions = 1
    if hasattr(machine, "classes_"):
        n_functions = _check_classes(machine)
    _check_array(machine.intercept_, "intercept_", "f", (n_functions,))
    solutions = machine.solutions_
    _require(isinstance(solutions, tuple), "solutions_ is not a tuple")


def _require(condition: bool, fault: str) -> None:
    if not condition:
        raise ValueError(f"its arrays do not fit together: {fault}")


def _check_array(array: Any, name: str, kinds: str, shape: tuple[int, ...]) -> None:
    is_array = isinstance(array, np.ndarray) and array.dtype.kind in kinds
    _require(is_array and array.shape == shape, f"{name} must be an array of shape {shape}")


def _is_matrix(matrix: Any, kinds: str) -> bool:
    is_matrix = isinstance(matrix, np.ndarray) or sp.issparse(matrix)
    return is_matrix and matrix.dtype.kind in kinds


def _check_support(machine: Any) -> None:
    support = machine.support_
    _check_array(support, "support_", "iu", (np.size(support),))
    shape = machine.shape_fit_
    is_shape = isinstance(shape, tuple) and len(shape) == 2 and all(type(n) is int for n in shape)
    _require(is_shape, f"shape_fit_ is {shape!r}")
    inside = bool(((support >= 0) & (support < shape[0])).all())
    _require(inside, f"support_ must lie in 0..{shape[0] - 1}")
    coef = machine.dual_coef_
    n_rows = len(machine.classes_) - 1 if hasattr(machine, "classes_") else 1
    expected = (n_rows, len(support))
    fits = _is_matrix(coef, "f") and coef.shape == expected
    _require(fits, f"dual_coef_ must have shape {expected}")


def _check_vectors(machine: Any) -> None:
    rows, features = machine.shape_fit_
    _require(machine.n_features_in_ == features, f"n_features_in_ must be {features}")
    vectors = machine.support_vectors_
    if machine._is_precomputed():
        _require(rows == features, f"a precomputed matrix is square, got {machine.shape_fit_}")
        return
    expected = (len(machine.support_), features)
    fits = _is_matrix(vectors, "fiub") and vectors.shape == expected
    _require(fits, f"support_vectors_ must have shape {expected}")
    if len(machine.support_):
        # The kernel itself says whether its parameters suit rows of this width.
        machine.kernel_(vectors[:1])


def _check_classes(machine: Any) -> int:
    """The number of pairs of classes."""
    classes = machine.classes_
    n_classes = np.size(classes)
    _check_array(classes, "classes_", "biufSUO", (n_classes,))
    _require(n_classes >= 2, f"classes_ must have two entries or more, got {n_classes}")
    counts = machine._n_support
    _check_array(counts, "n_support_", "iu", (n_classes,))
    adds_up = bool((counts >= 0).all()) and counts.sum() == len(machine.support_)
    _require(adds_up, f"n_support_ must add up to {len(machine.support_)}")
    return n_classes * (n_classes - 1) // 2
