"""Support vector classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mercer._sklearn import Interval, StrOptions
from mercer.formulations import (
    Formulation,
    absolute,
    least_squares,
    nu_svc,
    one_sided_huber,
    pinball,
    svc,
)
from mercer.formulations.checks import check_finite_C
from mercer.formulations.classification import joined_nu_svc
from mercer.formulations.joined import JoinedFormulations, JoinedParameters
from mercer.gram import Gram
from mercer.machines.docstrings import documented
from mercer.machines.svm.kernel_classifier import KernelClassifier
from mercer.machines.svm.schemes import MULTICLASS, SCHEME_CONSTRAINTS
from mercer.machines.svm.vanishing_margin import warn_of_overlap
from mercer.multiclass.formulations import ALL_IN_ONE
from mercer.problem import Solution
from mercer.solvers.runs.progress import Callback

__all__ = ["SVC", "NuSVC"]

FloatArray = NDArray[np.float64]


class SVC(KernelClassifier):
    """Support vector classification with a certificate.

    A drop-in replacement for :class:`sklearn.svm.SVC`: parameters and attributes mean the same as
    there, except that ``break_ties`` is on by default.

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter: the weight of the loss. ``inf`` is the hard margin.
    kernel : str, Kernel or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed", a kernel object of
        :mod:`mercer.kernels` or :mod:`sklearn.gaussian_process.kernels`, or a function
        ``k(rows, other_rows)`` asked for blocks.
    degree : int, default=3
        Degree of the kernel "poly".
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Factor of the kernels "poly", "rbf", "sigmoid" and "laplacian": a number, or
        1 / (n_features * variance of the entries), 1 / n_features, or from the median of the
        distances between rows.
    coef0 : float, default=0.0
        Constant of the kernels "poly" and "sigmoid".
    loss : {"hinge", "squared_hinge", "squared_error", "absolute_error", "huber", "pinball"}, \
default="hinge"
        The loss. Squared losses carry C/2. "huber" is the squared hinge with a linear
        weight ``delta`` for margins beyond 1, "pinball" the hinge with the weight ``tau C``.
    delta : float, default=1.0
        Slope of the "huber" loss beyond the margin.
    tau : float, default=0.5
        Slope of the "pinball" loss beyond the margin, as a share of C; in [0, 1].
    fit_intercept : {True, False, "penalized"}, default=True
        Whether there is a bias; "penalized" treats it as a weight (kernel k + 1), and so does
        True where all classes are learned in one machine (see ``multiclass``).
    shrinking : bool, default=True
        Whether solvers set variables aside that are likely to stay at a bound.
    probability : bool, default="deprecated"
        Whether to fit probabilities in an internal cross-validation, for ``predict_proba``;
        deprecated as in scikit-learn; use :class:`~mercer.CalibratedSVC` instead.
    tol : float, default=1e-3
        Largest KKT violation of a fit that counts as converged.
    cache_size : float or "auto", default="auto"
        Memory for kernel rows in MB; "auto" takes up to a quarter of what is available.
    class_weight : dict or "balanced", default=None
        Factors of C by class; "balanced" makes all classes weigh the same.
    verbose : bool, default=False
        Whether to show the progress.
    max_iter : int, default=-1
        Largest number of iterations of the solver for each problem; -1 means a very large one.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Whether ``decision_function`` returns one score per class, or the value of each pair of
        classes, if there are more than two.
    break_ties : bool, default=True
        Whether ties between more than two classes are broken by the scores, so that
        ``predict`` is the argmax of ``decision_function``.
    multiclass : {"one-vs-one", "one-vs-all", "code", "weston-watkins", "crammer-singer", \
"lee-lin-wahba", "bredensteiner-bennett"}, default="one-vs-one"
        How more than two classes are learned: each pair, each class against all others, the
        splits of the classes that ``code`` says, or all classes in one machine. :class:`NuSVC`
        has the first three; the others need ``loss="hinge"``, a finite C and the solver "auto" or
        :class:`mercer.multiclass.AllInOne`.
    code : str or array-like of shape (n_classes, n_machines), default="dense"
        With ``multiclass="code"``: "complete", "dense", "sparse", "hadamard", "bch", a matrix
        with entries -1, 0 and 1, or what :func:`mercer.codes.make_code` makes. Random codes are
        the same in every fit.
    decoding : {"auto", "hamming", "hinge", "squared_hinge", "squared_error", "exponential"}, \
default="auto"
        With ``multiclass="code"``: how the class is decided from the values of the machines.
        "hamming" counts signs, the others add up losses; "auto" is the loss the machines were
        trained with, or the most similar one.
    random_state : int, RandomState or None, default=None
        Has no effect: the folds of ``probability`` are the same in every fit.
    solver : str or Solver, default="auto"
        Solver of :mod:`mercer.solvers`.
    precision : {"auto", "single", "double"}, default="auto"
        Precision of kernel values; the certificate is always computed in double.
    max_time : float, default=None
        Seconds after which the best iterate so far is kept.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs. Results do not depend on it.
    warm_start : bool, default=False
        Whether to start from the solution of the last fit.
    callback : callable, default=None
        Called with a :class:`~mercer.solvers.Progress` about every 50 ms; a true value ends the
        fit. If pairs of classes are solved together, the report covers all of them.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, ascending.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C of each class.
    support_ : ndarray of shape (n_support,)
        Positions of the support vectors among the training rows; those of a classifier by
        class.
    support_vectors_ : array of shape (n_support, n_features)
        The support vectors, stored as the training rows were; empty for a precomputed kernel.
    n_support_ : ndarray of int32
        Number of support vectors, of each class if there are any.
    dual_coef_ : array of shape (n_classes - 1, n_support), (n_machines, n_support), or \
(1, n_support)
        Coefficients of the support vectors, signed; for pairs of more than two classes one row
        for each other class, as scikit-learn lays them out; in other schemes one for each
        machine, or for each class of one machine.
    coef_ : array of shape (n_machines, n_features), or (1, n_features)
        Weights of the features; for linear kernels only.
    intercept_ : ndarray of shape (n_machines,), or (1,)
        The bias of each function.
    multiclass_ : str
        The scheme that was used; two classes are one pair.
    code_ : OutputCode
        The code, if there are more than two classes and ``multiclass`` is "one-vs-all" or "code".
    n_iter_ : ndarray of shape (n_machines,), or int
        Iterations of the solver.
    fit_status_ : int
        0 if every problem was solved to ``tol``, 1 if not.
    shape_fit_ : tuple of int
        Shape of the training rows.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if all are strings.
    solutions_ : sequence of Solution
        One for each pair of classes or machine, with coefficients and certificate; if all classes
        are in one machine they have shape (n_classes, n_samples). For the pairs (0, 1), (0, 2),
        ..., (1, 2), ... ``coef`` has the rows of the first class and then those of the second, each
        in their original order; with two classes, with machines of all rows and with a precomputed
        kernel all rows are in their original order. With many pairs this is a sequence that creates
        a solution each time it is accessed, so that ``in`` and ``index``, which compare objects, do
        not find it.
    objective_ : float
        Dual objective, summed over them.
    dual_gap_ : float or None
        Largest relative duality gap; None for indefinite kernels.
    violation_ : float
        Largest KKT violation.
    solver_ : str
        Solver that was used.
    kernel_ : Kernel
        The kernel with its parameters as numbers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = SVC(C=10).fit(X, y)
    >>> machine.violation_ <= machine.tol
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClassifier._parameter_constraints,
        **SCHEME_CONSTRAINTS,
        "multiclass": [StrOptions({*MULTICLASS, *ALL_IN_ONE})],
        "C": [Interval(Real, 0.0, None, closed="right")],
        "loss": [
            StrOptions(
                {"hinge", "squared_hinge", "squared_error", "absolute_error", "huber", "pinball"}
            )
        ],
        "delta": [Interval(Real, 0.0, None, closed="left")],
        "tau": [Interval(Real, 0.0, 1.0, closed="both")],
        "fit_intercept": ["boolean", StrOptions({"penalized"})],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        loss: str = "hinge",
        delta: float = 1.0,
        tau: float = 0.5,
        fit_intercept: bool | Literal["penalized"] = True,
        shrinking: bool = True,
        probability: bool | str = "deprecated",
        tol: float = 1e-3,
        cache_size: float | str = "auto",
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = True,
        multiclass: str = "one-vs-one",
        code: Any = "dense",
        decoding: str = "auto",
        random_state: Any = None,
        solver: Any = "auto",
        precision: str = "auto",
        max_time: float | None = None,
        n_threads: int | None = None,
        warm_start: bool = False,
        callback: Callback | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.loss = loss
        self.delta = delta
        self.tau = tau
        self.fit_intercept = fit_intercept
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.multiclass = multiclass
        self.code = code
        self.decoding = decoding
        self.random_state = random_state
        self.solver = solver
        self.precision = precision
        self.max_time = max_time
        self.n_threads = n_threads
        self.warm_start = warm_start
        self.callback = callback

    def _formulate(self, sign: FloatArray, weight: FloatArray) -> Formulation:
        bias = self.fit_intercept
        if self.loss not in ("hinge", "squared_hinge"):
            check_finite_C(self.C, self.loss)
        if self.loss == "squared_error":
            return least_squares(sign, 1.0 / self.C, weight, fit_intercept=bias)
        if self.loss == "absolute_error":
            return absolute(sign, self.C, weight, fit_intercept=bias)
        if self.loss == "pinball":
            return pinball(sign, self.C, self.tau, weight, fit_intercept=bias)
        if self.loss == "huber":
            return one_sided_huber(sign, self.C, self.delta, weight, fit_intercept=bias)
        return svc(sign, self.C, weight, loss=self.loss, fit_intercept=bias)  # type: ignore[arg-type]


@documented(like=SVC)
class NuSVC(KernelClassifier):
    """Support vector classification with the fraction ``nu`` in place of C.

    A drop-in replacement for :class:`sklearn.svm.NuSVC`, except that ``break_ties`` is on by
    default.

    Parameters
    ----------
    nu : float, default=0.5
        Lower bound of the weighted fraction of support vectors and upper bound of that of
        margin errors; at most twice the share of the lighter class of a pair.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The loss; with the squared hinge nu has no effect.

    Attributes
    ----------
    rho_ : ndarray of shape (n_machines,)
        Functional margin of each machine before coefficients were scaled to margin 1;
        ``1 / rho_`` is the C of the equivalent :class:`SVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = NuSVC(nu=0.2).fit(X, y)
    >>> len(machine.support_) >= 0.2 * len(X)
    True
    """

    _has_sides = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClassifier._parameter_constraints,
        **SCHEME_CONSTRAINTS,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
    }

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        loss: str = "hinge",
        shrinking: bool = True,
        probability: bool | str = "deprecated",
        tol: float = 1e-3,
        cache_size: float | str = "auto",
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = True,
        multiclass: str = "one-vs-one",
        code: Any = "dense",
        decoding: str = "auto",
        random_state: Any = None,
        solver: Any = "auto",
        precision: str = "auto",
        max_time: float | None = None,
        n_threads: int | None = None,
        warm_start: bool = False,
        callback: Callback | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.loss = loss
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.multiclass = multiclass
        self.code = code
        self.decoding = decoding
        self.random_state = random_state
        self.solver = solver
        self.precision = precision
        self.max_time = max_time
        self.n_threads = n_threads
        self.warm_start = warm_start
        self.callback = callback

    def _formulate(self, sign: FloatArray, weight: FloatArray) -> Formulation:
        return nu_svc(sign, self.nu, weight, loss=self.loss)  # type: ignore[arg-type]

    def _formulate_all(
        self, sign: FloatArray, weight: FloatArray, offsets: NDArray[np.intp]
    ) -> JoinedFormulations | None:
        loss: Any = self.loss
        return joined_nu_svc(sign, self.nu, weight, offsets, loss=loss)

    def _keep_margins(
        self,
        solutions: Sequence[Solution],
        parameters: JoinedParameters,
        rows: NDArray[np.intp],
        gram: Gram,
    ) -> None:
        self.rho_ = parameters.rho
        warn_of_overlap(self.nu, solutions, parameters, rows, gram)
