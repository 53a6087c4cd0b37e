"""The classes of the core, one of each kind for each precision of kernel values."""

from __future__ import annotations

from typing import Literal, TypeAlias

from mercer import _core

__all__ = [
    "GRAM_TYPES",
    "KERNEL_TYPES",
    "ROWS_TYPES",
    "CoreGram",
    "CoreKernel",
    "CoreRows",
    "Precision",
]

Precision = Literal["single", "double"]

CoreRows: TypeAlias = _core.RowsSingle | _core.RowsDouble
CoreKernel: TypeAlias = _core.KernelSingle | _core.KernelDouble
CoreGram: TypeAlias = _core.GramSingle | _core.GramDouble

ROWS_TYPES: dict[Precision, type[_core.RowsSingle] | type[_core.RowsDouble]] = {
    "single": _core.RowsSingle,
    "double": _core.RowsDouble,
}
KERNEL_TYPES: dict[Precision, type[_core.KernelSingle] | type[_core.KernelDouble]] = {
    "single": _core.KernelSingle,
    "double": _core.KernelDouble,
}
GRAM_TYPES: dict[Precision, type[_core.GramSingle] | type[_core.GramDouble]] = {
    "single": _core.GramSingle,
    "double": _core.GramDouble,
}
