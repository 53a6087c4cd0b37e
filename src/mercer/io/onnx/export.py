"""Writing a fitted estimator as an ONNX model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from mercer.io.archive import replaced
from mercer.io.exchange import describe
from mercer.io.exchange.model import Node
from mercer.io.exchange.walks import first_steps
from mercer.training.feature_count import feature_count

if TYPE_CHECKING:
    from onnx import ModelProto

    from mercer.io.onnx.graph import Graph
    from mercer.io.onnx.machines import Results
    from mercer.io.onnx.preprocessing import Columns

__all__ = ["OPSET", "to_onnx"]

OPSET = 17
ML_OPSET = 3
IR_VERSION = 8


def to_onnx(
    estimator: Any,
    file: str | os.PathLike[str] | None = None,
    *,
    precision: Literal["double", "single"] = "double",
    operators: Literal["plain", "svm"] = "plain",
) -> ModelProto:
    """Return a fitted estimator as an ONNX model, and write it to a file if one is given.

    The graph is made of plain operators of opset 17 in the precision asked for. It takes any
    number of rows. Needs the package onnx: ``pip install 'mercer[onnx]'``.

    Parameters
    ----------
    estimator : estimator
        A fitted machine, tuned, calibrated or not, with a linear, polynomial, Gaussian,
        Laplacian or sigmoid kernel, sums, products, scaled and normalized ones of them; alone or
        behind scalers, SimpleImputer, OneHotEncoder, PCA and ColumnTransformer in a Pipeline;
        inside a CalibratedSVC, CalibratedClassifierCV, CodeClassifier or
        TransformedTargetRegressor.
    file : str or path, default=None
        Where to write it, by custom with the suffix ``.onnx``.
    precision : {"double", "single"}, default="double"
        Type of inputs, constants and results.
    operators : {"plain", "svm"}, default="plain"
        "svm" makes the values of machines by ONNX's ``SVMRegressor``, which some runtimes are
        made for and which computes in single precision: it needs ``precision="single"``, and a
        linear, polynomial or sigmoid kernel or a Gaussian one of one width.

    Returns
    -------
    onnx.ModelProto
        Its input is ``X`` of shape (n_rows, n_features). If a column holds strings, every column
        is an input of shape (n_rows, 1) with its name, or ``x0``, ``x1``, ... Outputs of
        classifiers are ``label``, ``decision`` as by ``decision_function`` and ``probabilities``
        where the estimator has them (a warning tells of those that cannot be exported); of
        regression ``prediction``; of one class ``label`` and ``decision``.

    Raises
    ------
    ValueError
        If the estimator, its kernel or a part of it cannot be exported; the message names it.
    ImportError
        If onnx is not installed.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.io import to_onnx
    >>> to_onnx(SVC().fit([[0.0], [1.0]], ["no", "yes"]), "model.onnx")  # doctest: +SKIP
    """
    if precision not in ("double", "single"):
        raise ValueError(f"precision must be 'double' or 'single', got {precision!r}")
    if operators not in ("plain", "svm"):
        raise ValueError(f"operators must be 'plain' or 'svm', got {operators!r}")
    if operators == "svm" and precision != "single":
        raise ValueError("operators='svm' computes in single precision: precision must be 'single'")
    node = describe(estimator)
    model = _model_of(node, estimator, precision, operators)
    if file is not None:
        with replaced(Path(file)) as target:
            target.write(model.SerializeToString(deterministic=True))
    return model


def _model_of(node: Node, estimator: Any, precision: str, operators: str) -> ModelProto:
    try:
        import onnx
    except ImportError as error:
        raise ImportError("to_onnx needs onnx: pip install 'mercer[onnx]'") from error
    from mercer import __version__
    from mercer.io.onnx.graph import ML, Graph
    from mercer.io.onnx.machines import results

    graph = Graph(precision, operators)
    rows = _inputs(graph, node, estimator)
    _add_outputs(graph, results(graph, node, rows))
    name = type(estimator).__name__
    whole = onnx.helper.make_graph(
        graph.nodes, name, graph.inputs, graph.outputs, initializer=graph.constants
    )
    opsets = [onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid(ML, ML_OPSET)]
    model = onnx.helper.make_model(
        whole, opset_imports=opsets, producer_name="mercer", producer_version=__version__
    )
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    return model


def _inputs(graph: Graph, node: Node, estimator: Any) -> Columns:
    """One array of numbers, or an input for each column if one holds strings."""
    from mercer.io.onnx.preprocessing import Columns, kind_of, text_columns

    width = feature_count(estimator)
    text = text_columns(first_steps(node), width)
    if not any(text):
        return Columns(graph.add_input("X", graph.number, width))
    given = getattr(estimator, "feature_names_in_", [f"x{k}" for k in range(width)])
    names = [str(name) for name in given]
    own = [graph.add_input(n, kind_of(graph, t), 1) for n, t in zip(names, text, strict=True)]
    return Columns(single=tuple(own))


def _add_outputs(graph: Graph, found: Results) -> None:
    if found.prediction is not None:
        value = found.prediction
        if found.width == 1:
            graph.add_output(graph.flat(value), "prediction", graph.number)
        else:
            graph.add_output(value, "prediction", graph.number, "n_targets")  # type: ignore[arg-type]
        return
    assert found.label is not None
    label, kind = _labels(graph, found.label, found.classes)
    wide = (found.label_width,) if found.label_width else ()
    graph.add_output(label, "label", kind, *wide)
    if found.decision is not None and found.width == 1:
        graph.add_output(graph.flat(found.decision), "decision", graph.number)
    elif found.decision is not None:
        graph.add_output(found.decision, "decision", graph.number, found.width)
    if found.probabilities is not None:
        n = found.n_probabilities
        graph.add_output(found.probabilities, "probabilities", graph.number, n)


def _labels(graph: Graph, place: str, classes: NDArray[Any] | None) -> tuple[str, int]:
    """The classes at their places, in their own type: strings, integers, booleans or numbers."""
    from onnx import TensorProto

    if classes is None:
        return place, TensorProto.INT64
    kinds = {"i": np.int64, "u": np.int64, "b": np.bool_, "f": np.float64}
    kind = classes.dtype.kind
    if kind in kinds:
        table: NDArray[Any] = classes.astype(kinds[kind])
        code = {"b": TensorProto.BOOL, "f": TensorProto.DOUBLE}.get(kind, TensorProto.INT64)
    else:
        table, code = np.array([str(label) for label in classes], dtype=object), TensorProto.STRING
    return graph.node("Gather", graph.constant(table), place, axis=0), code
