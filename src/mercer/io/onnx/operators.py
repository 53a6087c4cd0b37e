"""Values of machines by ONNX's own support vector operator, for runtimes that are made for it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.io.exchange.distances import narrowed
from mercer.io.exchange.model import Function
from mercer.io.onnx.graph import ML, Graph
from mercer.kernels import form as shapes

__all__ = ["operator_values"]

FloatArray = NDArray[np.float64]
KINDS = {"linear": "LINEAR", "polynomial": "POLY", "gaussian": "RBF", "sigmoid": "SIGMOID"}


def operator_values(graph: Graph, function: Function, x: str) -> str:
    """Values of all machines, shape (n_rows, n_machines), a node ``SVMRegressor`` for each."""
    kernel = _kernel(function)
    columns = [
        _machine(graph, function, x, kernel, weights, bias)
        for weights, bias in zip(_weights(function).T, function.bias, strict=True)
    ]
    return columns[0] if len(columns) == 1 else graph.node("Concat", *columns, axis=1)


def _kernel(function: Function) -> dict[str, Any]:
    """The kernel as the operator describes it: its kind, and gamma, coef0 and degree."""
    leaf = function.form
    fits = isinstance(leaf, shapes.Leaf) and leaf.kind in KINDS and leaf.transform is None
    if not fits:
        raise ValueError(
            "operators='svm' needs a linear, polynomial or sigmoid kernel or a Gaussian one of one "
            f"width, got {leaf!r:.80}; operators='plain' takes others"
        )
    assert isinstance(leaf, shapes.Leaf)
    return {
        "kernel_type": KINDS[leaf.kind],
        "kernel_params": [float(leaf.gamma), float(leaf.coef0), float(leaf.degree)],
    }


def _weights(function: Function) -> FloatArray:
    """A column of coefficients for each machine, pairs of classes put together."""
    weights = function.weights
    if weights is None:  # the kernel values are the values
        return np.eye(len(function.rows))
    if function.pairs is None:
        return weights
    whole = np.zeros((len(function.rows), function.n_machines))
    width = weights.shape[1]
    for places in function.pairs:
        for machine, place in enumerate(places):
            part, column = divmod(int(place), width)
            rows = slice(function.cuts[part], function.cuts[part + 1])
            whole[rows, machine] += weights[rows, column]
    return whole


def _machine(
    graph: Graph, function: Function, x: str, kernel: dict[str, Any], weights: FloatArray, bias: Any
) -> str:
    used = np.flatnonzero(weights)
    if not len(used):
        used = np.array([0])  # the operator wants a support vector
    return graph.node(
        "SVMRegressor",
        x,
        domain=ML,
        coefficients=narrowed(weights[used], np.float32).tolist(),
        support_vectors=narrowed(function.rows[used], np.float32).ravel().tolist(),
        n_supports=len(used),
        rho=[float(bias)],
        **kernel,
    )
