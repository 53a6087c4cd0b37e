"""Regularized least-squares classification."""

from __future__ import annotations

from typing import Any, Literal

from mercer.machines.docstrings import documented
from mercer.machines.least_squares.classifier import LeastSquaresClassifier
from mercer.machines.svm.classifiers import SVC

__all__ = ["RLSC"]

OF_PROBLEMS = ("solutions_", "objective_", "dual_gap_", "violation_", "fit_status_", "n_support_")


@documented(like=SVC, without=OF_PROBLEMS)
class RLSC(LeastSquaresClassifier):
    """Regularized least-squares classification.

    Minimizes ``1/2 |w|^2 + 1/(2 alpha) sum_i w_i (y_i - f(x_i))^2`` on labels -1 and +1: one
    linear system (K + alpha) c = y, and one factorization for every class, every alpha and
    every left-out row.

    Parameters
    ----------
    alpha : float, array-like, "loo" or "gcv", default=1.0
        The number on the diagonal: lambda n of regularization, 1/C of the LS-SVM. Of several values
        the one with the least leave-one-out error is chosen. "loo" uses a grid that spans the
        spectrum of the kernel matrix; "gcv" chooses from the same grid by generalized
        cross-validation.
    fit_intercept : {False, True, "penalized"}, default=False
        Whether there is a bias; "penalized" treats it as a weight (kernel k + 1).
    class_weight : dict or "balanced", default=None
        Factors of the weights of the classes, in the fit and in the choice of alpha.
    multiclass : {"one-vs-all", "one-vs-one", "code"}, default="one-vs-all"
        How more than two classes are learned: each class against all others, each pair, or
        the splits of the classes that ``code`` says.
    code : str or array-like of shape (n_classes, n_machines), default="dense"
        With ``multiclass="code"``: "complete", "dense", "sparse", "hadamard", "bch", a matrix
        with entries -1, 0 and 1, or what :func:`mercer.codes.make_code` makes. Codes without
        zeros take no longer than one class against all others: their machines are sums of those
        of the classes.
    decoding : {"auto", "hamming", "hinge", "squared_hinge", "squared_error", "exponential"}, \
default="auto"
        With ``multiclass="code"``: how the values of the machines tell the class; "auto" is
        "squared_error".
    low_rank : int, LowRank or None, default=None
        Approximates the kernel matrix by the columns of this many random rows (the same in every
        fit), or as the object says.
    solver : str or Solver, default="auto"
        "direct" (Cholesky), "eigen" (all alphas at once), "cg", "smo", a
        :class:`~mercer.solvers.linear_system.ConjugateGradient` or
        :class:`~mercer.Smo`; for linear kernels also "primal", "smw" and "lsqr".
    penalty : {"norm", "coefficients"}, default="norm"
        What is penalized: |w|^2 = c'Kc, or |c|^2 as in the nonlinear proximal SVM.
    sparse : {None, "prune", "l0"}, default=None
        How the number of support vectors is reduced: by dropping the smallest coefficients as long
        as the error on held-out rows does not grow, or by reweighting towards zeros.
    loo : bool, default=True
        Whether leave-one-out values are also computed for a single alpha, which doubles the time of
        the fit.
    scoring : str, callable or None, default=None
        Score on left-out rows that chooses alpha: any scorer of scikit-learn that works on
        predictions or decision values. None is the share of wrong rows, or the mean squared error.
    tol : float, default=1e-6
        Relative residual at which "cg", "lsqr" and "smo" end.
    max_iter : int, default=-1
        Bound on their iterations; -1 means ten times the size of the system.
    max_time : float, default=None
        Seconds after which no iteration, round or pass over the rows begins; the result so far is
        kept, with a warning. A factorization that has begun is finished.
    precision : {"auto", "single", "double"}, default="auto"
        Precision of kernel values; "auto" is double.
    n_threads : int, default=None
        Threads for kernel values; None means ``OMP_NUM_THREADS`` or all CPUs.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    alpha_ : float
        The alpha used.
    alphas_ : ndarray of shape (n_alphas,)
        The values it was chosen from.
    loo_values_ : ndarray of shape (n_samples,) or (n_samples, n_classes), or None
        Decision value of each training row by the machine of all others (alpha fixed, the row
        left out with all its weight; landmarks of low_rank are kept). None for solvers that do not
        factor: "cg", "lsqr", "smo".
    loo_error_ : float or None
        Weighted share of rows that are wrong when left out.
    loo_errors_ : ndarray of shape (n_alphas,) or None
        The same for each alpha.
    loo_scores_ : ndarray of shape (n_alphas,) or None
        The score of each alpha, with ``scoring``.
    multiclass_ : str
        The scheme that was used.
    code_ : OutputCode
        The code, if there are more than two classes and ``multiclass`` is not "one-vs-all".
    multilabel_ : bool
        Whether the targets were several labels a row.
    probability_slope_ : float
        Slope of the probabilities of :meth:`predict_proba`, fitted to values of left-out rows.
    gcv_ : float or None
        Generalized cross-validation, the mean over outputs.
    dof_ : float or None
        Effective degrees of freedom, the trace of the smoother.
    residual_ : float
        The certificate: largest relative residual of the linear system over the outputs.
    condition_ : float or None
        Condition of the matrix of the system; "direct" and "cg" estimate it from below.
    solver_ : str
        Solver that was used.
    n_iter_ : int or None
        Iterations of the solver, if it has any.
    dual_coef_ : ndarray of shape (n_outputs, n_support)
        Coefficients of ``support_vectors_``, which are the rows ``support_``. There is one output
        for two classes. For more there is one for each class (for a code without zeros that of the
        targets 0 and 1, which determine all its machines), for each pair of classes, or for each
        column of a code with zeros.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of the weights of each class.
    coef_ : ndarray of shape (n_outputs, n_features)
        Weights of the features, for linear kernels (also scaled ones and their sums); solvers of
        linear kernels have these instead of the dual coefficients.
    intercept_ : ndarray of shape (n_outputs,)
        The bias.
    low_rank_ : LowRank
        The fitted approximation, with ``basis_`` and ``trace_error_``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import RLSC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = RLSC(alpha="loo").fit(X, y)
    >>> bool(machine.loo_error_ < 0.06)
    True
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        fit_intercept: bool | Literal["penalized"] = False,
        class_weight: Any = None,
        multiclass: str = "one-vs-all",
        code: Any = "dense",
        decoding: str = "auto",
        low_rank: Any = None,
        solver: Any = "auto",
        penalty: str = "norm",
        sparse: str | None = None,
        loo: bool = True,
        scoring: Any = None,
        tol: float = 1e-6,
        max_iter: int = -1,
        max_time: float | None = None,
        precision: str = "auto",
        n_threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.multiclass = multiclass
        self.code = code
        self.decoding = decoding
        self.low_rank = low_rank
        self.solver = solver
        self.penalty = penalty
        self.sparse = sparse
        self.loo = loo
        self.scoring = scoring
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.precision = precision
        self.n_threads = n_threads
