"""Overflow ends in an error or a status that says what is wrong; NumPy's warnings would not."""

from __future__ import annotations

import numpy as np

__all__ = ["without_warnings"]

# A decorator for what users call, whose results are checked.
without_warnings = np.errstate(over="ignore", invalid="ignore", divide="ignore")
