"""Whether the parts of a machine fit together.

Compiled code evaluates a machine and trusts its arrays, so those of a file are checked first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier, is_outlier_detector

from mercer.calibration import Calibration
from mercer.calibration.layout import layout_of
from mercer.codes import OutputCode
from mercer.kernels import Kernel
from mercer.lowrank import LowRank
from mercer.machines import SVC, SVDD, ReducedSVC
from mercer.machines.least_squares.machine import LeastSquaresMachine
from mercer.machines.least_squares.streaming import Stream
from mercer.machines.svm.kernel_classifier import KernelClassifier
from mercer.multiclass.formulations import ALL_IN_ONE
from mercer.paths.results.integrity import require
from mercer.problem import Solution, Status
from mercer.training.checked_input import READ_TYPES
from mercer.training.rows import is_precomputed

__all__ = [
    "check_classes",
    "check_kernel",
    "check_shape",
    "check_solutions",
    "check_values",
    "checked_code",
    "checked_solution",
    "completed",
    "is_number",
    "require",
    "require_array",
    "require_rows",
    "revived",
]

# A kernel value takes as many products as the degree says, a call as many threads as it is told:
# more than anybody wants would keep a reader of the file waiting.
MOST = {"degree": 10_000, "n_threads": 1024}


def revived(machine: Any) -> Any:
    """Return the machine with all it derives from its fitted attributes, once checked."""
    return completed(machine, _check)


def completed(machine: Any, check: Callable[[Any], None]) -> Any:
    """Return the machine with all it derives, once its parameters and parts are checked."""
    machine._validate_params()
    _check_bounds(machine.get_params(deep=True))
    if set(vars(machine)) - set(machine.get_params(deep=False)):
        check(machine)
        machine.__setstate__(machine.__getstate__())
    return machine


def require_array(array: Any, name: str, kinds: str, shape: tuple[int, ...]) -> None:
    """Raise ValueError unless it is an array of these kinds and this shape, and finite.

    Of floats only those in double precision will do.
    """
    is_array = isinstance(array, np.ndarray) and array.dtype.kind in kinds
    is_double = is_array and (kinds != "f" or array.dtype == np.float64)
    require(is_double and array.shape == shape, f"{name} must be an array of shape {shape}")
    require(_is_finite(array), f"{name} must be finite")


def require_rows(
    rows: Any, name: str, shape: tuple[int, ...], types: Collection[type] = READ_TYPES
) -> None:
    """The same for rows, which may be sparse, of a type that compiled code reads."""
    is_matrix = isinstance(rows, np.ndarray) or sp.issparse(rows)
    fits = is_matrix and rows.dtype in types and rows.shape == shape
    require(fits, f"{name} must have shape {shape}")
    require(_is_finite(rows), f"{name} must be finite")


def checked_solution(solution: Solution) -> Solution:
    """Return the solution, whose point another fit may start from."""
    for name in ("coef", "gradient"):
        require_array(getattr(solution, name), f"solutions_.{name}", "f", np.shape(solution.coef))
    require(np.ndim(solution.coef) in (1, 2), "solutions_.coef must be a vector or a matrix")
    n_groups = np.size(solution.multiplier)
    require_array(solution.multiplier, "solutions_.multiplier", "f", (n_groups,))
    require(solution.status in get_args(Status), f"the status is {solution.status!r:.40}")
    for name in ("objective", "violation", "infeasibility", "seconds", "error"):
        require(is_number(getattr(solution, name)), f"solutions_.{name} must be a number")
    for name in ("primal", "gap"):
        value = getattr(solution, name)
        require(value is None or is_number(value), f"solutions_.{name} must be a number or None")
    for name in ("n_iter", "n_kernel"):
        require(isinstance(getattr(solution, name), int | np.integer), f"{name} must be a count")
    return solution


def checked_code(code: OutputCode) -> OutputCode:
    """Return the code, whose matrix has been checked when it was made."""
    require(isinstance(code.name, str), "the name of a code must be a string")
    return code


def is_number(value: Any) -> bool:
    """Whether it is a real number, which may be infinite or NaN."""
    return isinstance(value, float | int | np.floating) and not isinstance(value, bool)


def _is_finite(array: Any) -> bool:
    values = array.data if sp.issparse(array) else array
    return values.dtype.kind not in "fcmM" or bool(np.isfinite(values).all())


def _check_bounds(parameters: dict[str, Any]) -> None:
    for path, value in parameters.items():
        name = path.rpartition("__")[2]
        if name in MOST and value is not None and not value <= MOST[name]:
            raise ValueError(f"{name} must be at most {MOST[name]} in a file, got {value}")


def check_shape(machine: Any) -> None:
    """Raise ValueError unless the shape of the rows and the classes are what they can be."""
    shape = machine.shape_fit_
    is_shape = isinstance(shape, tuple) and len(shape) == 2 and all(type(n) is int for n in shape)
    require(is_shape, f"shape_fit_ is {shape!r}")
    require(machine.n_features_in_ == shape[1], f"n_features_in_ must be {shape[1]}")
    if is_classifier(machine):
        check_classes(machine)


def _check(machine: Any) -> None:
    check_shape(machine)
    if "_stream" in vars(machine):
        _check_stream(machine)
    if "alpha_" in vars(machine) or "_stream" not in vars(machine):
        _check_function(machine)


def _check_function(machine: Any) -> None:
    """The evaluated arrays: weights of the features, or coefficients of support vectors."""
    check_kernel(machine.kernel_, is_precomputed(machine.kernel))
    n_coef, n_intercepts = _counts(machine)
    if "coef_" in vars(machine):
        require_array(machine.coef_, "coef_", "f", (n_coef, machine.n_features_in_))
    else:
        _check_support(machine, n_coef)
        _check_vectors(machine)
    require_array(machine.intercept_, "intercept_", "f", (n_intercepts,))
    if "_shift" in vars(machine):
        require_array(machine._shift, "shift", "f", (machine.n_features_in_,))
        require_array(
            vars(machine).get("_near_intercept"), "bias of shifted rows", "f", (2, n_intercepts)
        )
    if is_outlier_detector(machine):
        _check_heights(machine)
    if isinstance(machine, KernelClassifier):
        _check_members(machine)
        _check_probability(machine)
    if "low_rank_" in vars(machine):
        require(isinstance(machine.low_rank_, LowRank), "low_rank_")
    if hasattr(machine, "solutions_"):
        is_one = vars(machine).get("multiclass_") in ALL_IN_ONE
        check_solutions(machine, 1 if is_one else n_intercepts)


def _check_heights(machine: Any) -> None:
    """The height of the boundary, and the numbers that say how exact it is."""
    require_array(machine.offset_, "offset_", "f", (1,))
    missing = None if isinstance(machine, SVDD) else 0.0  # LIBSVM's text does not have them
    for name in ("violation_", "radius_", "_largest"):
        require(is_number(vars(machine).get(name, missing)), f"{name} must be a number")


def _counts(machine: Any) -> tuple[int, int]:
    """The rows of ``dual_coef_`` or ``coef_``, and the entries of ``intercept_``."""
    if isinstance(machine, LeastSquaresMachine):
        n_outputs = np.size(machine.intercept_)
        require(n_outputs > 0, "intercept_ must have an entry")
        if is_classifier(machine):
            _check_outputs(machine, n_outputs)
        else:
            require(machine._n_dimensions in (1, 2), f"{machine._n_dimensions!r:.40} dimensions")
        return n_outputs, n_outputs
    n_classes = len(machine.classes_) if hasattr(machine, "classes_") else 2
    if "code_" in vars(machine):
        require(isinstance(machine, KernelClassifier), "code_")
        _check_code(machine, ("one-vs-all", "code"))
        return machine.code_.n_columns, machine.code_.n_columns
    if vars(machine).get("multiclass_") in ALL_IN_ONE:
        fits = type(machine) is SVC and n_classes > 2
        require(fits, f"multiclass_ is {machine.multiclass_!r:.40}")
        return n_classes, n_classes
    n_pairs = n_classes * (n_classes - 1) // 2
    return (n_pairs if isinstance(machine, ReducedSVC) else n_classes - 1), n_pairs


def _check_outputs(machine: Any, n_outputs: int) -> None:
    """Of least squares: a value for each class or label, of two classes one."""
    require(type(machine.multilabel_) is bool, "multilabel_ must be True or False")
    n_classes = len(machine.classes_)
    expected = 1 if n_classes == 2 and not machine.multilabel_ else n_classes
    if "code_" in vars(machine):
        _check_code(machine, ("one-vs-one", "code"))
        fits = n_classes > 2 and not machine.multilabel_
        require(fits, "code_ is for more than two classes")
        expected = machine.code_.n_columns if machine.code_.has_zeros else n_classes
    require(n_outputs == expected, f"intercept_ must have {expected} entries")
    slope = vars(machine).get("probability_slope_", 1.0)
    require(is_number(slope) and np.isfinite(slope), "probability_slope_ must be a number")


def _check_code(machine: Any, schemes: tuple[str, ...]) -> None:
    """The code of a machine: a row for each class, and a scheme that has one."""
    code, n_classes = machine.code_, len(machine.classes_)
    fits = isinstance(code, OutputCode) and code.n_classes == n_classes > 2
    require(fits, f"code_ must have {n_classes} rows")
    scheme = vars(machine).get("multiclass_")
    require(scheme in schemes, f"multiclass_ is {scheme!r:.40}")
    n_pairs = n_classes * (n_classes - 1) // 2
    expected = {"one-vs-all": n_classes, "one-vs-one": n_pairs}.get(scheme, code.n_columns)
    require(code.n_columns == expected, f"code_ must have {expected} columns")


def _check_stream(machine: Any) -> None:
    stream = machine._stream
    require(isinstance(stream, Stream), "_stream")
    check_kernel(stream.kernel, False)
    if stream.low_rank is None:
        width = machine.n_features_in_ + bool(stream.penalized)
        require(len(stream.moments[0].mean) == width, f"the stream must have {width} features")
    else:
        for features in stream.low_rank.maps_:
            check_kernel(features.kernel, False)
            fits = features.rows.shape[1:] == (machine.n_features_in_,)
            require(fits, "the rows of the stream's basis have another width")


def check_kernel(kernel: Any, is_stored: bool) -> None:
    """Raise ValueError unless it is a kernel, of stored values or of rows."""
    require(isinstance(kernel, Kernel), "kernel_ is not a kernel")
    _check_bounds(kernel.get_params(deep=True))
    require((kernel.row_kind == "stored") == is_stored, f"kernel_ is {kernel!r:.60}")


def check_solutions(machine: Any, n_functions: int) -> None:
    """Raise ValueError unless there are as many solutions as functions, or none."""
    solutions = machine.solutions_
    require(isinstance(solutions, tuple), "solutions_ is not a tuple")
    are_solutions = all(isinstance(solution, Solution) for solution in solutions)
    # LIBSVM's text has none.
    fits = len(solutions) in (0, n_functions)
    require(are_solutions and fits, f"solutions_ must be {n_functions} solutions")


def _check_support(machine: Any, n_coef: int) -> None:
    n_rows = machine.shape_fit_[0]
    n_support = machine.support_vectors_.shape[0]
    if "support_" in vars(machine):
        support = machine.support_
        n_support = np.size(support)
        require_array(support, "support_", "iu", (n_support,))
        inside = bool(((support >= 0) & (support < n_rows)).all())
        require(inside, f"support_ must lie in 0..{n_rows - 1}")
    require_rows(machine.dual_coef_, "dual_coef_", (n_coef, n_support), [np.float64])


def _check_vectors(machine: Any) -> None:
    rows, features = machine.shape_fit_
    if is_precomputed(machine.kernel):
        require("support_" in vars(machine), "support_ is missing")
        require(rows == features, f"a precomputed matrix is square, got {machine.shape_fit_}")
        return
    vectors = machine.support_vectors_
    require_rows(vectors, "support_vectors_", (machine.dual_coef_.shape[1], features))
    if vectors.shape[0]:
        check_values(machine.kernel_, vectors[:1])


def check_values(kernel: Kernel, row: Any) -> None:
    """The kernel itself says whether its parameters suit rows of this width."""
    require(_is_finite(np.asarray(kernel.diag(row))), "kernel_ must have finite values")
    # Numbers suit any width, and a sparse product takes memory for every column there might be.
    vectors = [
        name
        for name, value in kernel.get_params(deep=True).items()
        if np.ndim(value) and not name.endswith("_bounds")
    ]
    if vectors or not sp.issparse(row):
        kernel(row)


def check_classes(machine: Any) -> None:
    """Raise ValueError unless there are two classes or more."""
    classes = machine.classes_
    n_classes = np.size(classes)
    require_array(classes, "classes_", "biufSUmMO", (n_classes,))
    # a stream may wait for its second class
    least = 1 if hasattr(machine, "_has_all_classes") else 2
    require(n_classes >= least, f"classes_ must have {least} entries or more, got {n_classes}")


def _check_members(machine: Any) -> None:
    counts = machine._n_support
    require_array(counts, "n_support_", "iu", machine.classes_.shape)
    adds_up = bool((counts >= 0).all()) and counts.sum() == len(machine.support_)
    require(adds_up, f"n_support_ must add up to {len(machine.support_)}")


def _check_probability(machine: Any) -> None:
    """The map of ``probability=True`` has the same classes."""
    calibration = vars(machine).get("_calibration")
    if calibration is not None:
        check_calibration(calibration, machine)


def check_calibration(calibration: Any, machine: Any) -> None:
    """Raise ValueError unless maps to probabilities suit a fitted classifier."""
    require(isinstance(calibration, Calibration), "calibration must be one")
    own, expected = calibration.layout, layout_of(machine)
    fits = (own.kind, own.n_classes) == (expected.kind, expected.n_classes)
    require(fits, f"calibration is of {own.n_classes} classes")
