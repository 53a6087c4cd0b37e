"""Some of the rows of a task."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import take_rows
from mercer.kernels import Kernel

__all__ = ["some_rows"]


def some_rows(kernel: Kernel, rows: Any, chosen: NDArray[np.intp]) -> Any:
    """Some of the rows, to be compared with each other; of kernel values their columns, too."""
    some = take_rows(rows, chosen)
    return some[:, chosen] if kernel.row_kind == "stored" else some
