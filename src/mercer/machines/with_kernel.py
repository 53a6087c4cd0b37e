"""A machine with another kernel."""

from __future__ import annotations

from typing import Any

from mercer.kernels import Kernel
from mercer.kernels.convert import DEFAULTS

__all__ = ["with_kernel"]


def with_kernel(machine: Any, kernel: Kernel) -> Any:
    """The machine with a kernel that has all its numbers in place of its own.

    What a named kernel was made of is part of the kernel now, and refused beside it.
    """
    unused = {name: value for name, value in DEFAULTS.items() if hasattr(machine, name)}
    return machine.set_params(kernel=kernel, **unused)
