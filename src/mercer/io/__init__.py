"""Model files: a safe format of our own, and LIBSVM's text."""

from __future__ import annotations

from mercer.io.c import to_c
from mercer.io.libsvm_reader import load_libsvm
from mercer.io.libsvm_writer import save_libsvm
from mercer.io.model_file import load, read_metadata, save
from mercer.io.onnx import to_onnx
from mercer.io.sklearn import from_sklearn, to_sklearn

__all__ = [
    "from_sklearn",
    "load",
    "load_libsvm",
    "read_metadata",
    "save",
    "save_libsvm",
    "to_c",
    "to_onnx",
    "to_sklearn",
]
