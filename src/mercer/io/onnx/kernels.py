"""Kernel values as a graph."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import helper

from mercer.io.exchange.distances import goes_by_differences, inverse_lengths, transformed
from mercer.io.onnx.graph import Graph
from mercer.kernels import form as shapes

__all__ = ["kernel_values"]

FloatArray = NDArray[np.float64]


def kernel_values(graph: Graph, form: shapes.Form, x: str, rows: FloatArray) -> str:
    """Values of the rows of `x` with fixed rows, shape (n_rows, len(rows))."""
    match form:
        case shapes.Leaf():
            return _leaf(graph, form, x, rows)
        case shapes.Constant():
            equal = graph.numbers(np.full((1, len(rows)), form.value))
            return graph.node("Expand", equal, _shape(graph, x, len(rows)))
        case shapes.Scaled():
            part = kernel_values(graph, form.part, x, rows)
            return graph.scaled(part, form.factor, len(rows))
        case shapes.Sum() | shapes.Product():
            operation = "Add" if isinstance(form, shapes.Sum) else "Mul"
            parts = [kernel_values(graph, part, x, rows) for part in form.parts]
            return reduce(lambda a, b: graph.node(operation, a, b), parts)
        case shapes.Normalized():
            return _normalized(graph, form.part, x, rows)
    raise TypeError(f"no graph for {form!r}")


def _shape(graph: Graph, x: str, width: int) -> str:
    """(n_rows, width)."""
    n_rows = graph.node("Gather", graph.node("Shape", x), graph.integers([0]), axis=0)
    return graph.node("Concat", n_rows, graph.integers([width]), axis=0)


def _leaf(graph: Graph, leaf: shapes.Leaf, x: str, rows: FloatArray) -> str:
    mapped, near = _transformed(graph, leaf, x), transformed(leaf, rows)
    if leaf.kind not in shapes.EXPONENTIALS:
        gamma = 1.0 if leaf.kind == "linear" else leaf.gamma
        return _outer(graph, leaf, graph.node("MatMul", mapped, graph.numbers(gamma * near.T)))
    if shapes.COMPUTED_FROM[leaf.kind] == "squares":
        distances = _squared_distances(graph, leaf, mapped, near)
    else:
        distances = _by_differences(graph, mapped, near, absolute=True)
    return graph.node("Exp", graph.node("Mul", distances, graph.numbers(-leaf.gamma)))


def _transformed(graph: Graph, leaf: shapes.Leaf, x: str) -> str:
    if leaf.transform is None:
        return x
    if leaf.transform.ndim == 1:
        return graph.scaled(x, leaf.transform, len(leaf.transform))
    return graph.node("MatMul", x, graph.numbers(leaf.transform))


def _outer(graph: Graph, leaf: shapes.Leaf, products: str) -> str:
    """The function of gamma x'z that the kernel is."""
    if leaf.kind == "linear":
        return products
    inner = graph.node("Add", products, graph.numbers(leaf.coef0))
    match leaf.kind:
        case "polynomial":
            return graph.node("Pow", inner, graph.numbers(leaf.degree))
        case "sigmoid":
            return graph.node("Tanh", inner)
    raise TypeError(f"no graph for kernels of kind {leaf.kind!r}")


def _squared_distances(graph: Graph, leaf: shapes.Leaf, x: str, rows: FloatArray) -> str:
    """|x|^2 + |z|^2 - 2 x'z of rows measured from their mean, or sums of squared differences."""
    mean = rows.mean(axis=0) if len(rows) else np.zeros(rows.shape[1])
    centred = rows - mean
    if goes_by_differences(leaf, centred, graph.precision):  # type: ignore[arg-type]
        return _by_differences(graph, x, rows, absolute=False)
    near = graph.node("Sub", x, graph.numbers(mean))
    squares = graph.sum_of_rows(graph.node("Mul", near, near))
    own = graph.numbers(np.einsum("ij,ij->i", centred, centred)[None])
    products = graph.node("MatMul", near, graph.numbers(-2.0 * centred.T))
    found = graph.node("Add", graph.node("Add", squares, own), products)
    return graph.node("Max", found, graph.numbers(0.0))


def _by_differences(graph: Graph, x: str, rows: FloatArray, absolute: bool) -> str:
    """Sums over the features of |x - z| or (x - z)^2, feature by feature.

    A loop in the graph: no array is larger than the values.
    """
    shape = _shape(graph, x, len(rows))
    zero = helper.make_tensor("value", graph.number, [1], [0.0])
    start = graph.node("ConstantOfShape", shape, value=zero)
    by_feature = graph.node("Transpose", x, perm=[1, 0])
    body = _difference_body(graph, len(rows), absolute)
    fixed = graph.numbers(rows.T)
    return graph.node("Scan", start, by_feature, fixed, body=body, num_scan_inputs=2)


def _difference_body(graph: Graph, width: int, absolute: bool) -> Any:
    """One feature more: sum + |a - b|, or + (a - b)^2."""
    nodes = [
        helper.make_node("Unsqueeze", ["a", "last"], ["a_column"]),
        helper.make_node("Sub", ["a_column", "b"], ["difference"]),
        helper.make_node("Abs", ["difference"], ["term"])
        if absolute
        else helper.make_node("Mul", ["difference", "difference"], ["term"]),
        helper.make_node("Add", ["sum", "term"], ["sum_out"]),
    ]
    info = helper.make_tensor_value_info
    inputs = [
        info("sum", graph.number, ["n_rows", width]),
        info("a", graph.number, ["n_rows"]),
        info("b", graph.number, [width]),
    ]
    outputs = [info("sum_out", graph.number, ["n_rows", width])]
    last = helper.make_tensor("last", 7, [1], [1])
    return helper.make_graph(nodes, "feature", inputs, outputs, [last])


def _normalized(graph: Graph, part: shapes.Form, x: str, rows: FloatArray) -> str:
    """k(x, z) / sqrt(k(x, x) k(z, z)); rows without a length have 1 among them, 0 with others."""
    own = inverse_lengths(part, rows)
    zero = graph.numbers(0.0)
    diagonal = _diagonal(graph, part, x)
    has_length = graph.node("Greater", diagonal, zero)
    safe = graph.node("Where", has_length, diagonal, graph.numbers(1.0))
    lengths = graph.node("Where", has_length, graph.node("Sqrt", safe), graph.numbers(np.inf))
    values = kernel_values(graph, part, x, rows)
    values = graph.node("Mul", graph.node("Div", values, lengths), graph.numbers(own[None]))
    if own.all():
        return values
    without = graph.node("Cast", graph.node("Not", has_length), to=graph.number)
    ones = graph.node("Mul", without, graph.numbers((own == 0.0).astype(float)[None]))
    return graph.node("Add", values, ones)


def _diagonal(graph: Graph, form: shapes.Form, x: str) -> str:
    """k(x, x) as a column."""
    match form:
        case shapes.Leaf() if form.kind not in shapes.EXPONENTIALS:
            mapped = _transformed(graph, form, x)
            squares = graph.sum_of_rows(graph.node("Mul", mapped, mapped))
            if form.kind != "linear":
                squares = graph.node("Mul", squares, graph.numbers(form.gamma))
            return _outer(graph, form, squares)
        case shapes.Scaled():
            part = _diagonal(graph, form.part, x)
            return graph.node("Mul", part, graph.numbers(form.factor))
        case shapes.Sum() | shapes.Product():
            operation = "Add" if isinstance(form, shapes.Sum) else "Mul"
            parts = [_diagonal(graph, part, x) for part in form.parts]
            return reduce(lambda a, b: graph.node(operation, a, b), parts)
    value = form.value if isinstance(form, shapes.Constant) else 1.0
    return graph.node("Expand", graph.numbers([[value]]), _shape(graph, x, 1))
