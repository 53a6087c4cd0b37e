"""The output of ``mercer info`` for exported models: ONNX and C."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from mercer.cli.errors import InputError
from mercer.cli.output.report import framed, size_text
from mercer.io.opening import open_regular

__all__ = ["describe_c", "describe_onnx"]

HEAD = 2**16  # bytes of a C file that are looked at


def describe_c(path: Path) -> RenderableType:
    """Return the comment on top of a C file that mercer wrote."""
    with open_regular(path) as file:
        head = file.read(HEAD).decode(errors="replace")
    comment, end, _ = head.partition("*/")
    if not end or "written by mercer" not in comment:
        raise InputError(f"{path} is not a C file written by mercer")
    lines = [line.removeprefix(" *").strip() for line in comment.splitlines()[1:]]
    told: list[str | Text] = [line for line in lines if line]
    size: list[str | Text] = [size_text(path.stat().st_size)]
    return framed(str(path), {"C source": told, "size": size})


def describe_onnx(path: Path) -> RenderableType:
    """Return inputs, outputs and operators of an ONNX model."""
    model = _read_onnx(path)
    versions = ", ".join(f"{own.domain or 'ai.onnx'} {own.version}" for own in model.opset_import)
    operators = sorted({node.op_type for node in model.graph.node})
    producer = f"{model.producer_name} {model.producer_version}".strip() or "unknown"
    sections: dict[str, list[str | Text]] = {
        "ONNX graph": [model.graph.name],
        "inputs": [_words(own) for own in model.graph.input],
        "outputs": [_words(own) for own in model.graph.output],
        "opsets": [versions],
        "operators": [", ".join(operators)],
        "size": [size_text(path.stat().st_size)],
        "written by": [producer],
    }
    return framed(str(path), sections)


def _read_onnx(path: Path) -> Any:
    try:
        import onnx
    except ImportError:
        raise InputError(f"{path}: onnx is needed: pip install 'mercer[onnx]'") from None
    with open_regular(path) as file:
        content = file.read()
    try:
        return onnx.load_model_from_string(content)
    except Exception as error:
        # protobuf has errors of its own
        raise InputError(f"{path} is not an ONNX model: {error}") from None


def _words(value: Any) -> str:
    import onnx

    tensor = value.type.tensor_type
    sizes = [own.dim_param or str(own.dim_value) for own in tensor.shape.dim]
    kind = onnx.TensorProto.DataType.Name(tensor.elem_type).lower()
    return f"{value.name}: {kind} ({', '.join(sizes)})"
