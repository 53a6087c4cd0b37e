"""The widths of a kernel, those of its parts included."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.kernels.adapters.sklearn import SklearnKernel
from mercer.kernels.base import Kernel

__all__ = ["widths_of"]

FloatArray = NDArray[np.float64]


def widths_of(kernel: Kernel) -> list[FloatArray]:
    """The factor gamma of each part that has one to be chosen, or what stands for it."""
    found = []
    for part in kernel._parts().values():
        found += widths_of(part)
    for entry in kernel._parameters():
        if entry.name == "gamma" and not entry.fixed:
            found.append(np.asarray(kernel.gamma, dtype=np.float64))  # type: ignore[attr-defined]
    if isinstance(kernel, SklearnKernel):
        scales = [
            name.split("__")[-1].startswith("length_scale") for name in kernel.parameter_names
        ]
        if any(scales):
            found.append(0.5 * np.exp(-2.0 * kernel.theta[scales]))
    return found
