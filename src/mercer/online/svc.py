"""Classification of a stream."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions

from mercer.machines.class_weights import (
    find_classes,
    read_classes,
    weigh_classes,
)
from mercer.machines.fit_context import fit_context
from mercer.machines.least_squares.one_against_all import chosen_class, places_of, signed_labels
from mercer.online.active import ActiveMachine
from mercer.solvers.runs.progress import Callback

__all__ = ["OnlineSVC"]

FloatArray = NDArray[np.float64]


class OnlineSVC(ClassifierMixin, ActiveMachine):
    """Support vector classification of a stream, by LASVM.

    Examples come in chunks and are looked at once. What may become a support vector is kept with
    its kernel row, everything else is forgotten: memory and the time of an example grow with the
    number of support vectors, not with the length of the stream. More than two classes are taken
    one against all others, on the same kept rows.

    :meth:`fit` has all rows at hand and by default goes on to their optimum, certified; for one
    look at each row use :meth:`partial_fit`, or ``finishing="none"``.

    Parameters
    ----------
    C : float, default=1.0
        Price of the loss, finite.
    kernel : str, Kernel or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "laplacian", a kernel object of
        :mod:`mercer.kernels` or :mod:`sklearn.gaussian_process.kernels`, or a function
        ``k(rows, other_rows)`` asked for blocks.
    degree : int, default=3
        Degree of the kernel "poly".
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Factor of the kernels "poly", "rbf", "sigmoid" and "laplacian": a number, or a rule, which
        :meth:`partial_fit` applies to the rows of the first chunk (see ``gamma_source_``).
    coef0 : float, default=0.0
        Constant of the kernels "poly" and "sigmoid".
    selection : {"second-order", "most-violating"}, default="second-order"
        How the partner of an example and the pairs of REPROCESS are chosen. The first needs fewer
        support vectors and comes nearer to the optimum in one pass.
    tol : float, default=1e-3
        KKT violation up to which nothing is done, and the tolerance of finishing.
    n_epochs : int, default=1
        Passes of :meth:`fit` over the rows.
    n_reprocess : int, default=1
        REPROCESS steps after each example.
    finishing : {"all", "kept", "none"}, default="all"
        What :meth:`fit` does after its passes: go on to the optimum of all rows, to that of the
        rows that are kept, or nothing. With ``max_support_vectors`` "all" means "kept".
    keep_rows : bool, default=False
        Whether to keep all examples, for :meth:`finish` on all of them and for :meth:`forget`.
    max_support_vectors : int, default=None
        Most examples that are kept, at least 10; None for as many as it takes.
    eviction : {"removal", "projection", "merging"}, default="removal"
        How an example leaves where there are too many: its coefficient goes to near ones, or is
        spread so that the function changes least, or two become one between them (Gaussian kernels
        only).
    class_weight : dict or "balanced", default=None
        Factors of C by class; "balanced" for :meth:`fit` only.
    shuffle : bool, default=True
        Whether :meth:`fit` takes the rows in random order.
    random_state : int, RandomState or None, default=None
        Seed of the order, and of queries.
    cache_size : float or "auto", default="auto"
        Memory for kernel rows of finishing in MB.
    verbose : bool, default=False
        Whether to show the progress.
    solver : str or Solver, default="auto"
        Solver of finishing.
    precision : {"auto", "single", "double"}, default="auto"
        Precision of kernel values; "auto" is double, but single for rows in single precision or
        bytes. Where single does not carry the rows, double takes its place.
    max_time : float, default=None
        Seconds after which no more examples are taken in.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs. Results do not depend on it.
    callback : callable, default=None
        Called with a :class:`~mercer.solvers.Progress` about every 50 ms, ``iteration`` being the
        number of examples taken in; a true value ends it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, ascending.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C of each class.
    n_seen_ : int
        Examples seen so far; after :meth:`fit` the rows that it was given.
    n_kept_ : int
        Examples that are kept: support vectors, and others that may become some.
    kept_bytes_ : int
        Memory of their kernel rows in bytes; 0 where they are computed when the next chunk comes,
        as after finishing on all rows.
    support_ids_ : ndarray of shape (n_support,)
        Positions of the support vectors in the stream, ascending; negative ones were merged.
    support_vectors_ : array of shape (n_support, n_features)
        The support vectors, in this order.
    dual_coef_ : ndarray of shape (n_functions, n_support)
        Signed coefficients: one function for two classes, else one for each class.
    intercept_ : ndarray of shape (n_functions,)
        The bias of each function.
    coef_ : array of shape (n_functions, n_features)
        Weights of the features; for linear kernels only.
    budget_error_ : ndarray of shape (n_functions,)
        Bound of what the budget has done to each function, in the norm of its space: with what
        was evicted put back f(x) would differ by at most that times sqrt(k(x, x)).
    violation_ : float
        Largest KKT violation: certified after finishing, else on the kept examples.
    objective_ : float
        Dual objective, summed over functions.
    solutions_ : tuple of Solution
        After finishing, until more examples come: one for each function, with its certificate.
    dual_gap_ : float or None
        Largest relative duality gap after finishing.
    fit_status_ : int
        0 if finishing reached ``tol``, 1 if not, or if :meth:`fit` ended before.
    solver_ : str
        Solver that finished.
    kernel_ : Kernel
        The kernel with its parameters as numbers.
    gamma_source_ : str
        "given", or the rows that a rule for gamma was applied to.
    queried_ : ndarray of int
        Rows of the pool that :meth:`active_fit` asked for, in order.
    stop_reason_ : str
        Why it ended.
    shape_fit_ : tuple of int
        Examples seen and features.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import OnlineSVC
    >>> rng = np.random.default_rng(0)
    >>> machine = OnlineSVC(gamma=1.0)
    >>> for _ in range(5):
    ...     X = rng.normal(size=(100, 2))
    ...     machine = machine.partial_fit(X, X[:, 0] > 0, classes=[False, True])
    >>> machine.n_seen_
    500
    """

    _n_sheets = 1
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ActiveMachine._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        selection: str = "second-order",
        tol: float = 1e-3,
        n_epochs: int = 1,
        n_reprocess: int = 1,
        finishing: str = "all",
        keep_rows: bool = False,
        max_support_vectors: int | None = None,
        eviction: str = "removal",
        class_weight: Any = None,
        shuffle: bool = True,
        random_state: Any = None,
        cache_size: float | str = "auto",
        verbose: bool = False,
        solver: Any = "auto",
        precision: str = "auto",
        max_time: float | None = None,
        n_threads: int | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.selection = selection
        self.tol = tol
        self.n_epochs = n_epochs
        self.n_reprocess = n_reprocess
        self.finishing = finishing
        self.keep_rows = keep_rows
        self.max_support_vectors = max_support_vectors
        self.eviction = eviction
        self.class_weight = class_weight
        self.shuffle = shuffle
        self.random_state = random_state
        self.cache_size = cache_size
        self.verbose = verbose
        self.solver = solver
        self.precision = precision
        self.max_time = max_time
        self.n_threads = n_threads
        self.callback = callback

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from all rows, from the beginning.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; to the optimum of all rows a weight of 2 is the row given twice.

        Returns
        -------
        self : object
        """
        with self._as_it_was():
            self._check_combination()
            X, y, weight = self._validate_fit(X, y, sample_weight)
            classes, labels, class_weight = read_classes(y, self.class_weight, weight)
            self.classes_, self.class_weight_ = classes, class_weight
            self._begin(X, weight)
            self._check_kernel_values(X)
        self._learn_epochs(X, labels, weight * class_weight[labels])
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from a chunk of a stream, in its order, looking at each row once.

        A chunk that is refused leaves the machine as it was. After an interrupt or ``max_time`` it
        is as after the last whole example; ``n_seen_`` tells which.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A chunk of rows.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes there are; required at the first chunk unless it has them all.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: factors of C. Rows of weight 0 are passed over; those of the first chunk must
            not all be.

        Returns
        -------
        self : object
        """
        with self._as_it_was():
            X, labels, weight = self._read_chunk(X, y, classes, sample_weight)
            self._check_kernel_values(X)
        self._learn_chunk(X, labels, weight)
        return self

    def _read_chunk(
        self, X: Any, y: Any, classes: ArrayLike | None, sample_weight: ArrayLike | None
    ) -> tuple[Any, NDArray[np.intp], FloatArray]:
        """Checked rows, class of each, and weights; the first chunk begins a stream."""
        self._check_combination()
        first = not hasattr(self, "_stream")
        if not first:
            self._check_fixed()
        X, y, weight = self._validate_chunk(X, y, sample_weight, first=first)
        if self.class_weight == "balanced":
            raise ValueError("class_weight='balanced' needs all rows: use a dict in partial_fit")
        if first and classes is not None:
            self.classes_ = np.unique(np.asarray(classes))
        elif first:
            self.classes_ = find_classes(y)[0]
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"classes must be those of the first chunk, {self.classes_.tolist()}, got "
                f"{np.unique(classes).tolist()}"
            )
        labels = self._labels(y)
        ones = np.ones(len(self.classes_))
        self.class_weight_ = weigh_classes(self.class_weight, self.classes_, self.classes_, ones)
        if first:
            self._begin(X, weight)
        return X, labels, weight * self.class_weight_[labels]

    def _labels(self, y: NDArray[Any]) -> NDArray[np.intp]:
        """The class of each row of a chunk."""
        is_plain = y.ndim == 1 and y.dtype.kind == self.classes_.dtype.kind == "i"
        if is_plain and len(self.classes_) > 1:
            places = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1)
            if (self.classes_[places] == y).all():
                return places
        found, labels = find_classes(y)
        return places_of(found, self.classes_)[labels]

    @property
    def _n_functions(self) -> int:
        n_classes = len(self.classes_)
        return 1 if n_classes == 2 else n_classes

    def _terms(self, targets: NDArray[Any], weight: FloatArray) -> FloatArray:
        """Labels -1 and +1, and boxes [0, C w] and [-C w, 0]."""
        sign = signed_labels(targets, len(self.classes_))
        size = (self.C * weight)[:, None]
        lower, upper = np.where(sign > 0, 0.0, -size), np.where(sign > 0, size, 0.0)
        return np.stack([sign, lower, upper], axis=2).reshape(len(sign), -1)

    def decision_function(self, X: Any) -> FloatArray:
        """Decision values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive means ``classes_[1]``. More: the value of each class against all
            others.
        """
        values = self._values(X)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the argmax of :meth:`decision_function`."""
        values = self._values(X)
        return self.classes_[chosen_class(values)]
