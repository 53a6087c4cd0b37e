"""A fitted estimator as a small tree of arrays: steps that prepare rows, functions, outputs.

Exporters walk the tree and know nothing of estimators. A node has *values*, one column for each
machine, and an output says what they mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.io.exchange.preparation import Step
from mercer.kernels import form as shapes

__all__ = [
    "Calibrated",
    "Curve",
    "Decoded",
    "Function",
    "Labels",
    "Largest",
    "Machine",
    "Member",
    "Node",
    "Numbers",
    "OneClassValues",
    "Output",
    "Prepared",
    "Rescaled",
    "SideBySide",
    "TwoClasses",
    "Votes",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Function:
    """``f_c(x) = sum_j weights[j, c] k(rows[j], x - shift) + bias_c``.

    Attributes
    ----------
    form : Form
        The kernel.
    rows : ndarray of shape (n_rows, n_features)
        The rows expanded over, already shifted.
    weights : ndarray of shape (n_rows, n_columns) or None
        Coefficients; None means that the kernel values are the values.
    cuts : tuple of int
        Offsets that cut the rows into parts, each with sums of its own.
    pairs : pair of ndarrays or None
        The value of a pair of classes is the sum of two columns of the parts side by side; None
        for one part, whose columns are the values.
    bias : ndarray of shape (n_machines,)
        What is added.
    shift : ndarray of shape (n_features,) or None
        Where rows are measured from, if it is not zero.
    """

    form: shapes.Form
    rows: FloatArray
    weights: FloatArray | None
    cuts: tuple[int, ...]
    pairs: tuple[IntArray, IntArray] | None
    bias: FloatArray
    shift: FloatArray | None

    @property
    def n_features(self) -> int:
        """Number of features of a row."""
        return self.rows.shape[1]

    @property
    def n_machines(self) -> int:
        """Number of values of a row."""
        return len(self.bias)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Values are predictions; ``is_flat`` tells that there is one, without a second axis."""

    is_flat: bool


@dataclass(frozen=True, eq=False)
class OneClassValues:
    """One class: values of at most ``zero`` are 0, and 0 is inside."""

    zero: float


@dataclass(frozen=True, eq=False)
class TwoClasses:
    """A positive value means the second class."""

    classes: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Votes:
    """Every pair of classes votes; ties go to the larger sum of values, or to the first class.

    ``by_pairs`` tells that decision values are those of the pairs.
    """

    classes: NDArray[Any]
    break_ties: bool
    by_pairs: bool


@dataclass(frozen=True, eq=False)
class Largest:
    """The class of the largest value."""

    classes: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Decoded:
    """The class whose code word has the least loss.

    ``mixes`` tells that there is a value for each class, and that those of the columns of the code
    are sums of these (docs/theory/multiclass.md#least-squares).
    """

    classes: NDArray[Any]
    matrix: FloatArray
    loss: str
    mixes: bool


@dataclass(frozen=True, eq=False)
class Labels:
    """Several labels a row: each is there where its value is positive."""

    n_labels: int


Output = Numbers | OneClassValues | TwoClasses | Votes | Largest | Decoded | Labels


@dataclass(frozen=True, eq=False)
class Machine:
    """A function and what its values mean.

    ``slope`` is that of softmax probabilities; ``curves`` make probabilities of decision values,
    one for two classes, otherwise one for each class.
    """

    function: Function
    output: Output
    slope: float | None = None
    curves: tuple[Curve, ...] = ()

    @property
    def calibrated(self) -> Calibrated | None:
        """The probabilities of the curves: those of the one member that this machine is."""
        if not self.curves or not isinstance(self.output, TwoClasses | Largest | Decoded):
            return None
        places = range(len(self.curves)) if len(self.curves) > 1 else (1,)
        return Calibrated((Member(self, self.curves, tuple(places)),), self.output.classes)


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Nodes of one value each: two-class ones for the columns of a code, or one for each target."""

    members: tuple[Node, ...]
    output: Output


@dataclass(frozen=True, eq=False)
class Curve:
    """From a decision value to a probability, by ``kind``.

    "sigmoid": 1 / (1 + exp(a f + b)); "isotonic": straight lines between the points (x, y), and
    constant beyond; "temperature": softmax(a f).
    """

    kind: str
    a: float = 0.0
    b: float = 0.0
    x: FloatArray | None = None
    y: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Member:
    """A classifier and the curves of its decision values, with the places of their classes."""

    node: Node
    curves: tuple[Curve, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Calibrated:
    """The mean of the probabilities of the members; the most probable class is chosen."""

    members: tuple[Member, ...]
    classes: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A node behind steps that prepare its rows."""

    steps: tuple[Step, ...]
    node: Node


@dataclass(frozen=True, eq=False)
class Rescaled:
    """Predictions in other units, by steps of arithmetic on their columns."""

    node: Node
    steps: tuple[Step, ...]


Node = Machine | SideBySide | Calibrated | Prepared | Rescaled
