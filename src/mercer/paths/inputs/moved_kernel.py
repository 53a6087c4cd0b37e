"""A kernel with one of its parameters at another value."""

from __future__ import annotations

import numpy as np

from mercer.kernels import Kernel

__all__ = ["kernel_at"]


def kernel_at(kernel: Kernel, parameter: str, value: float) -> Kernel:
    """The kernel with one positive parameter, of ``kernel.parameter_names``, at a value."""
    theta = kernel.theta
    theta[kernel.parameter_names.index(parameter)] = np.log(value)
    return kernel.clone_with_theta(theta)
