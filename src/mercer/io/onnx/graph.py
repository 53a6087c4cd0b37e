"""A growing ONNX graph: constants and nodes, each of which exists once."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from mercer.io.exchange.distances import narrowed

__all__ = ["ML", "Graph"]

ML = "ai.onnx.ml"
OUTPUTS = ("label", "decision", "probabilities", "prediction")


class Graph:
    """Nodes and constants of a graph in one floating type.

    Equal constants are kept once, and so is what is computed from the same inputs in the same
    way: two machines with the same rows share their kernel values.

    Parameters
    ----------
    precision : {"double", "single"}
        Type of the numbers.
    operators : {"plain", "svm"}
        What the values of machines are made of.
    """

    def __init__(self, precision: str = "double", operators: str = "plain") -> None:
        self.precision = precision
        self.operators = operators
        self.dtype: Any = np.float64 if precision == "double" else np.float32
        self.number = TensorProto.DOUBLE if precision == "double" else TensorProto.FLOAT
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self.inputs: list[ValueInfoProto] = []
        self.outputs: list[ValueInfoProto] = []
        self._known: dict[Any, Any] = {}
        self._taken: set[str] = set()

    def numbers(self, values: Any) -> str:
        """A constant in the floating type of the graph."""
        return self.constant(narrowed(values, self.dtype))

    def integers(self, values: Any) -> str:
        """A constant of 64-bit integers."""
        return self.constant(np.asarray(values, dtype=np.int64))

    def constant(self, array: NDArray[Any]) -> str:
        """A constant of any type."""
        text = array.dtype.kind in "UO"
        content: Any = tuple(array.ravel().tolist()) if text else sha256(array.tobytes()).digest()
        key = ("constant", array.dtype.str, array.shape, content)
        if key not in self._known:
            name = self._fresh(f"c{len(self.constants)}")
            cells = array.astype(object) if text else np.ascontiguousarray(array)
            self.constants.append(numpy_helper.from_array(cells.reshape(array.shape), name))
            self._known[key] = name
        return str(self._known[key])

    def node(self, operation: str, *inputs: str, **attributes: Any) -> str:
        """The output of a node."""
        plain = {k: v for k, v in attributes.items() if not hasattr(v, "SerializeToString")}
        key = (operation, inputs, repr(sorted(plain.items())))
        if len(plain) == len(attributes) and key in self._known:
            return str(self._known[key])
        name = self._fresh(f"t{len(self.nodes)}")
        domain = attributes.pop("domain", None)
        self.nodes.append(
            helper.make_node(operation, list(inputs), [name], domain=domain, **attributes)
        )
        self._known[key] = name
        return name

    def _fresh(self, name: str) -> str:
        """This name, or a longer one where a column of the rows is called so."""
        while name in self._taken:
            name += "_"
        return name

    def add_input(self, name: str, kind: int, width: int) -> str:
        """An input of any number of rows."""
        if not name or name in self._taken or name in OUTPUTS:
            raise ValueError(
                "columns that are inputs of a graph must have names of their own, other than "
                f"{', '.join(OUTPUTS)} and the empty one, got {name!r}: rename it and fit again"
            )
        self._taken.add(name)
        self.inputs.append(helper.make_tensor_value_info(name, kind, ["n_rows", width]))
        return name

    def add_output(self, value: str, name: str, kind: int, *shape: int) -> None:
        """Give a value as an output of any number of rows."""
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(helper.make_tensor_value_info(name, kind, ["n_rows", *shape]))

    def cast(self, value: str) -> str:
        """A value in the floating type of the graph."""
        return self.node("Cast", value, to=self.number)

    def scaled(self, value: str, factors: Any, width: int) -> str:
        """Columns times numbers, one for all of them or one each.

        Never a product with a single number next to a MatMul: onnxruntime fuses the two, and
        rounds the number to single precision on the way.
        """
        spread = np.broadcast_to(np.asarray(factors, dtype=np.float64), (width,))
        if width == 1:
            return self.node("MatMul", value, self.numbers(spread[None]))
        return self.node("Mul", value, self.numbers(spread[None]))

    def column(self, value: str, place: int) -> str:
        """One column, as an array of shape (n_rows, 1)."""
        return self.node("Gather", value, self.integers([place]), axis=1)

    def flat(self, value: str) -> str:
        """A column of shape (n_rows, 1) without its second axis."""
        return self.node("Reshape", value, self.integers([-1]))

    def sum_of_rows(self, value: str) -> str:
        """The sum of each row, as a column."""
        return self.node("ReduceSum", value, self.integers([1]), keepdims=1)
