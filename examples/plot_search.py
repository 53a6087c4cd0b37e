"""
What a search looked at
=======================

Every cell of C and gamma that a tuned machine evaluated, and the course of the search.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from mercer import TunedSVC
from mercer.plots import SearchDisplay

X, y = make_moons(300, noise=0.25, random_state=0)
machine = TunedSVC().fit(X, y)
figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.0), layout="constrained")
SearchDisplay.from_estimator(machine, ax=axes[0])
SearchDisplay.from_estimator(machine, kind="history", ax=axes[1])
print(f"best: C = {machine.C_:.3g}, accuracy {machine.best_score_:.3f}")

file = Path(tempfile.gettempdir()) / "search.png"
figure.savefig(file, dpi=120)
print(f"picture: {file}")
