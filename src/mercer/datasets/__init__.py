"""An example data set; samples of known Bayes error are in :mod:`mercer.lab`."""

from __future__ import annotations

from mercer.datasets.example import load_example

__all__ = ["load_example"]
