"""
Every C at once
===============

How coefficients, rows on the margin and the error on new rows move with C, exactly, from one fit.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

from sklearn.datasets import make_moons

from mercer import PathSVC
from mercer.plots import PathDisplay

X, y = make_moons(300, noise=0.3, random_state=0)
machine = PathSVC(cv=5, C_max=1e3).fit(X[:150], y[:150])
display = PathDisplay.from_estimator(machine, X[150:], y[150:])
print(f"chosen: C = {machine.C_:.3g}, test accuracy {machine.score(X[150:], y[150:]):.3f}")

file = Path(tempfile.gettempdir()) / "path.png"
display.figure_.savefig(file, dpi=120)
print(f"picture: {file}")
