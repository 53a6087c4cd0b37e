"""Files that hold a model, told apart by their ending."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mercer.cli.errors import InputError
from mercer.io import load, load_libsvm, read_metadata, save, save_libsvm, to_c, to_onnx
from mercer.io.opening import open_regular

__all__ = ["format_inside", "format_of", "read_model", "write_model"]

LIBSVM = (".libsvm", ".model", ".svm", ".txt")
ENDINGS = {".mercer": "mercer", ".onnx": "onnx", ".c": "c"} | dict.fromkeys(LIBSVM, "libsvm")


def format_of(path: Path) -> str:
    """The format that the ending of a file tells: mercer, onnx, c or libsvm."""
    if path.suffix.lower() not in ENDINGS:
        raise InputError(
            f"{path}: the ending must be one of {', '.join(ENDINGS)}, got {path.suffix!r}"
        )
    return ENDINGS[path.suffix.lower()]


def format_inside(path: Path) -> str:
    """The format of a file that is there: an archive is one of ours, whatever its ending."""
    with open_regular(path) as file:
        is_archive = file.read(2) == b"PK"
    known = path.suffix.lower() in ENDINGS
    return "mercer" if is_archive or not known else format_of(path)


def read_model(path: Path) -> tuple[Any, dict[str, Any]]:
    """The estimator in a file, and its metadata if it has any."""
    kind = format_inside(path)
    if kind == "mercer":
        metadata = read_metadata(path)
        return load(path), {k: v for k, v in metadata.items() if k != "written_by"}
    if kind == "libsvm":
        return load_libsvm(path), {}
    raise InputError(
        f"{path}: a model cannot be read back from {kind}; .mercer and LIBSVM text can"
    )


def write_model(
    estimator: Any, path: Path, metadata: dict[str, Any], precision: str = "double"
) -> None:
    """Write an estimator in the format that the ending of the file tells."""
    match format_of(path):
        case "mercer":
            save(estimator, path, metadata=metadata)
        case "libsvm":
            save_libsvm(estimator, path)
        case "onnx":
            to_onnx(estimator, path, precision=precision)  # type: ignore[arg-type]
        case "c":
            to_c(estimator, path, precision=precision)  # type: ignore[arg-type]
