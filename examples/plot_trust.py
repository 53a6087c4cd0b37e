"""
Can it be trusted?
==================

Probabilities against what happens, and conformal sets against what they promise, on rows that were
not trained on.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from mercer import SVC, CalibratedSVC, ConformalSVC
from mercer.plots import CalibrationDisplay, CoverageDisplay

X, y = make_moons(1200, noise=0.35, random_state=0)
train, test = slice(0, 400), slice(400, None)
figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.6), layout="constrained")
calibrated = CalibratedSVC(SVC()).fit(X[train], y[train])
CalibrationDisplay.from_estimator(calibrated, X[test], y[test], ax=axes[0])
sets = ConformalSVC(SVC(), kind="cross").fit(X[train], y[train])
coverage = CoverageDisplay.from_estimator(sets, X[test], y[test], ax=axes[1])
print("asked:", coverage.asked, "observed:", coverage.observed.round(3))

file = Path(tempfile.gettempdir()) / "trust.png"
figure.savefig(file, dpi=120)
print(f"picture: {file}")
