"""Model files: a safe format of our own, and LIBSVM's text."""

from __future__ import annotations

from mercer.io.libsvm_reader import load_libsvm
from mercer.io.libsvm_writer import save_libsvm
from mercer.io.model_file import load, read_metadata, save

__all__ = ["load", "load_libsvm", "read_metadata", "save", "save_libsvm"]
