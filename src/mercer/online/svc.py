"""Classification of a stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from mercer._sklearn import StrOptions
from mercer.machines.available import available_or_told
from mercer.machines.fit_context import fit_context
from mercer.machines.least_squares.one_against_all import chosen_class
from mercer.online.active import ActiveMachine
from mercer.online.beginning import begun, check_kernel_values
from mercer.online.class_task import ClassTask, grown
from mercer.online.parameters import check_combination
from mercer.online.uninterrupted import as_it_was
from mercer.solvers.runs.progress import Callback
from mercer.training.classes import read_classes
from mercer.training.rows import read_training_rows

__all__ = ["OnlineSVC"]

FloatArray = NDArray[np.float64]


def _has_probability(machine: Any) -> bool:
    if not machine.probability:
        raise AttributeError("predict_proba needs probability=True from the first chunk on")
    return True


class OnlineSVC(ClassifierMixin, ActiveMachine):
    """Support vector classification of a stream, by LASVM.

    Examples come in chunks and are looked at once. What may become a support vector is kept,
    everything else is forgotten: memory and the time of an example grow with the number of support
    vectors, not with the length of the stream. Large chunks are learned as a whole, in one problem
    with what is kept; small ones row by row, by LASVM (see ``selection``). More than two classes
    are taken one against all others, on the same kept rows.

    :meth:`fit` has all rows at hand and by default goes on to their optimum, certified; for one
    look at each row use :meth:`partial_fit`, or ``finishing="none"``.

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter, finite.
    kernel : str, Kernel or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "laplacian", a kernel object of
        :mod:`mercer.kernels` or :mod:`sklearn.gaussian_process.kernels`, or a function
        ``k(rows, other_rows)`` asked for blocks.
    degree : int, default=3
        Degree of the kernel "poly".
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Factor of the kernels "poly", "rbf", "sigmoid" and "laplacian": a number, or a rule, which
        :meth:`partial_fit` applies to the first chunk if that has 100 rows and is learned as a
        whole, else to the first 100 rows: until these are there it is worked out anew with each
        chunk, and all of them learned again (see ``gamma_source_``).
    coef0 : float, default=0.0
        Constant of the kernels "poly" and "sigmoid".
    selection : {"auto", "second-order", "most-violating"}, default="auto"
        "auto" learns chunks of at least 100 rows as a whole, to the optimum of the chunk and the
        kept examples; fewer rows, a budget and kernels that are Python functions go row by row by
        LASVM with second-order pairs. The other two always go row by row, and say how the partner
        of an example and the pairs of REPROCESS are chosen; then no cut of the stream into chunks
        changes a bit. Of both "second-order" needs fewer support vectors and comes nearer to the
        optimum in one pass.
    tol : float, default=1e-3
        KKT violation up to which nothing is done, and the tolerance of finishing.
    n_epochs : int, default=1
        Passes of :meth:`fit` over the rows.
    n_reprocess : int, default=1
        REPROCESS steps after each example that is learned row by row. More of them forget more.
    finishing : {"all", "kept", "none"}, default="all"
        What :meth:`fit` does after its passes: go on to the optimum of all rows, to that of the
        rows that are kept, or nothing. With ``max_support_vectors`` "all" means "kept".
    keep_rows : bool, default=False
        Whether to keep all examples, for :meth:`finish` on all of them and for :meth:`forget`.
    max_support_vectors : int, default=None
        Most examples that are kept, at least 10; None for as many as it takes.
    eviction : {"auto", "merging", "removal", "projection"}, default="auto"
        How an example leaves where there are too many: two become one between them (Gaussian
        kernels only), or its coefficient goes to the nearest one, or is spread so that the function
        changes least. "auto" is merging with a Gaussian kernel, else removal.
    window : int, default=None
        Learn from the last so many examples only, of positive weight: the machine is the optimum
        of these, certified, as if it had never seen older ones. None for no end.
    class_weight : dict or "balanced", default=None
        Factors of C by class, those that :meth:`partial_fit` has not met yet included;
        "balanced" for :meth:`fit` only.
    probability : bool, default=False
        Whether there is to be :meth:`predict_proba`: then each chunk is predicted before it is
        learned.
    shuffle : bool, default=True
        Whether :meth:`fit` takes the rows in random order.
    random_state : int, RandomState or None, default=None
        Seed of the order, and of queries.
    cache_size : float or "auto", default="auto"
        Memory for kernel rows in MB ("auto": for those of kept examples 2 GB): of solving, and of
        learning row by row, where the least recently used rows are dropped and computed again when
        a step asks for them. That changes no bit of the result; kernels that are Python functions
        have all rows kept. With ``selection="auto"`` examples are learned as a whole where the
        rows would take more.
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
        number of examples that are in, plus the steps of finishing, and ``seconds`` the time since
        the call began; a true value ends all of the call.

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
    n_recomputed_ : int
        Kernel rows that were computed again because ``cache_size`` had no room for them, since the
        machine was made or loaded.
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ActiveMachine._parameter_constraints,
        "probability": ["boolean"],
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
        selection: str = "auto",
        tol: float = 1e-3,
        n_epochs: int = 1,
        n_reprocess: int = 1,
        finishing: str = "all",
        keep_rows: bool = False,
        max_support_vectors: int | None = None,
        eviction: str = "auto",
        window: int | None = None,
        class_weight: Any = None,
        probability: bool = False,
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
        self.window = window
        self.class_weight = class_weight
        self.probability = probability
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
        with as_it_was(self):
            check_combination(self)
            X, y, weight = read_training_rows(self, X, y, sample_weight)
            self.classes_, labels, self.class_weight_ = read_classes(y, self.class_weight, weight)
            task = ClassTask(self.classes_, False, self.C)
            self._learned = begun(self, task, X, weight, is_chunk=False)
            check_kernel_values(self._learned.kernel, X)
        return self._learn_epochs(X, labels, weight * self.class_weight_[labels])

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from a chunk of a stream, in its order, looking at each row once.

        A chunk that is refused leaves the machine as it was. After an interrupt it is as after the
        last whole example, or before the chunk if that is learned as a whole; after ``max_time``
        such a chunk is in, but not solved to the end. ``n_seen_`` tells what was learned.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A chunk of rows.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes there are. Without them classes are added as they come; with them, given at
            the first chunk or later, any other is refused.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: factors of C. Rows of weight 0 are passed over; those of the first chunk must
            not all be.

        Returns
        -------
        self : object
        """
        with as_it_was(self):
            X, y, weight = self._read_chunk(X, y, sample_weight)
            if self.class_weight == "balanced":
                raise ValueError(
                    "class_weight='balanced' needs all rows: use a dict in partial_fit"
                )
            before = self._learned.task if hasattr(self, "_learned") else None
            task = ClassTask.of_chunk(y, classes, before, self.C)
            labels = task.labels(y)
            self.classes_, self.class_weight_ = task.classes, task.weights(self.class_weight)
            if before is None:
                self._learned = begun(self, task, X, weight)
            elif task is not before:
                self._learned = grown(self, self._learned, task)
            check_kernel_values(self._learned.kernel, X)
            return self._learn_chunk(X, labels, weight * self.class_weight_[labels])

    def _restored_task(self, saved: Mapping[str, Any]) -> ClassTask:
        return ClassTask(self.classes_, saved.get("_has_all_classes", True), self.C)

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

    @available_or_told(_has_probability)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class, columns as in ``classes_``.

        softmax(slope f), for two classes expit(2 slope f): the most probable class is the predicted
        one. The slope is that of the greatest likelihood of the last 1,000 examples, each judged by
        the machine as it was before it learned from them; of a first chunk half is learned first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        values = self._values(X)
        if len(self.classes_) == 1:
            return np.ones((len(values), 1))
        judged = self._learned.judged
        if judged is None:
            raise ValueError(
                "predict_proba needs examples that came after others were learned, with "
                "probability=True: got none so far"
            )
        return judged.probabilities(values)
