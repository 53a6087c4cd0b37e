"""
Inside a fit
============

The kernel matrix, rows of a class side by side, and the way of the solver to the optimum.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from mercer import SVC
from mercer.plots import ConvergenceDisplay, KernelMatrixDisplay

X, y = load_iris(return_X_y=True)
machine = SVC(C=10, tol=1e-6).fit(X, y)
figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.2), layout="constrained")
KernelMatrixDisplay.from_estimator(machine, X, y, ax=axes[0])
steps = ConvergenceDisplay.from_estimator(machine, X, y, ax=axes[1])
print(f"{steps.iteration[-1]:.0f} steps of the first pair of classes")

file = Path(tempfile.gettempdir()) / "inside.png"
figure.savefig(file, dpi=120)
print(f"picture: {file}")
