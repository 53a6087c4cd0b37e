"""What a stream has taught so far, worked out when it is asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.bounded_expansion import LazyExpansion
from mercer.online.kept_rows import Ids
from mercer.online.stream import State, Stream

__all__ = ["Reading"]

FloatArray = NDArray[np.float64]


class Reading:
    """Support vectors, coefficients and biases of a stream that stands still.

    Parameters
    ----------
    stream : Stream
        The stream.
    intercept : ndarray of shape (n_functions,), default=None
        The biases, if they are known better than from the ends of the gradients.
    precision : {"single", "double"}, default="double"
        That of values.
    n_threads : int, default=None
        Number of threads.
    """

    def __init__(
        self,
        stream: Stream,
        intercept: FloatArray | None = None,
        precision: Any = "double",
        n_threads: int | None = None,
    ) -> None:
        self._stream, self.given_intercept = stream, intercept
        self._precision, self._n_threads = precision, n_threads

    @cached_property
    def state(self) -> State:
        """Kept examples in the order of slots."""
        return self._stream.state()

    @cached_property
    def _all_coef(self) -> FloatArray:
        """Coefficients of kept examples, those of one in a row."""
        rules = self._stream.rules
        beta = self.state["beta"].reshape(-1, rules.n_functions, rules.variables_per_row)
        return np.asarray(beta.sum(axis=2))

    @cached_property
    def _support(self) -> NDArray[np.intp]:
        """Kept examples with a coefficient, in the order of their ids."""
        found = np.flatnonzero(self._all_coef.any(axis=1))
        return found[np.argsort(self.state["ids"][found])]

    @cached_property
    def ids(self) -> Ids:
        """Ids of the support vectors, ascending."""
        return np.asarray(self.state["ids"][self._support])

    @cached_property
    def coef(self) -> FloatArray:
        """Coefficients, shape (n_functions, n_support)."""
        return np.ascontiguousarray(self._all_coef[self._support].T)

    @cached_property
    def vectors(self) -> Any:
        """The support vectors."""
        kept = self._stream.kept
        return kept.rows_of(self.ids) if len(self.ids) else kept.empty

    @cached_property
    def _ends(self) -> tuple[FloatArray, FloatArray]:
        """Of each function: largest gradient that may grow, smallest that may fall."""
        if self.state["gradient"] is None:
            self.state["gradient"] = self._stream.learner.state()["gradient"]
        rules = self._stream.rules
        shape = (len(self.state["ids"]), rules.n_functions, rules.variables_per_row)
        terms = self.state["terms"].reshape(*shape, 3)
        beta, gradient = (self.state[name].reshape(shape) for name in ("beta", "gradient"))
        up = np.where(beta < terms[..., 2], gradient, -np.inf).max(axis=(0, 2), initial=-np.inf)
        down = np.where(beta > terms[..., 1], gradient, np.inf).min(axis=(0, 2), initial=np.inf)
        return up, down

    @cached_property
    def intercept(self) -> FloatArray:
        """Bias of each function: in the middle of the ends of its gradient."""
        if self.given_intercept is not None:
            return self.given_intercept
        up, down = self._ends
        up, down = np.where(np.isinf(up), down, up), np.where(np.isinf(down), up, down)
        is_open = np.isinf(up)
        return 0.5 * (np.where(is_open, 0.0, up) + np.where(is_open, 0.0, down))

    @cached_property
    def violation(self) -> FloatArray:
        """KKT violation of each function on the kept examples."""
        up, down = self._ends
        return np.maximum(up - down, 0.0)

    @cached_property
    def objective(self) -> FloatArray:
        """Dual objective of each function: b'(linear + gradient) / 2."""
        _ = self._ends
        beta, linear = self.state["beta"], self.state["terms"][:, ::3]
        twice = (beta * (linear + self.state["gradient"])).sum(axis=0)
        return np.asarray(0.5 * twice.reshape(self._stream.rules.n_functions, -1).sum(axis=1))

    @cached_property
    def expanded(self) -> LazyExpansion:
        """The functions without their biases."""
        return LazyExpansion(
            self._stream.kernel,
            self.vectors,
            self.coef.T,
            precision=self._precision,
            n_threads=self._n_threads,
            sums_vanish=True,
        )

    def values(self, X: Any) -> FloatArray:
        """Values of the functions, shape (n_rows, n_functions)."""
        if not len(self.ids):
            return np.tile(self.intercept, (X.shape[0] if hasattr(X, "shape") else len(X), 1))
        return np.asarray(self.expanded.exact.evaluate(X)[0] + self.intercept)
