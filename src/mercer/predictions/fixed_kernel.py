"""Whether a kernel is the same for all rows."""

from __future__ import annotations

from typing import Any

from mercer.kernels import as_kernel

__all__ = ["has_fixed_kernel"]


def has_fixed_kernel(machine: Any, X: Any) -> bool:
    """Whether one row more or less leaves the kernel of a machine as it is: no "scale"."""
    if not isinstance(machine.kernel, str):
        kernel = as_kernel(machine.kernel)
        return kernel.resolve(X) is kernel
    return machine.kernel == "linear" or not isinstance(machine.gamma, str)
