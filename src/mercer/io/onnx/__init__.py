"""Machines as ONNX graphs."""

from __future__ import annotations

from mercer.io.onnx.export import to_onnx

__all__ = ["to_onnx"]
