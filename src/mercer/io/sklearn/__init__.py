"""Fitted machines of scikit-learn as ours, and back."""

from __future__ import annotations

from mercer.io.sklearn.reading import from_sklearn
from mercer.io.sklearn.writing import to_sklearn

__all__ = ["from_sklearn", "to_sklearn"]
