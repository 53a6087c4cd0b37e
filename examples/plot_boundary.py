"""
Boundary and margins
====================

The decision of two machines over two features: lines at f = -1, 0 and 1, support vectors ringed. A
larger C follows single rows.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from mercer import SVC
from mercer.plots import BoundaryDisplay

X, y = make_moons(150, noise=0.25, random_state=0)
figure, axes = plt.subplots(1, 2, figsize=(9.0, 4.0), layout="constrained")
for C, ax in zip((0.5, 500.0), axes, strict=True):
    machine = SVC(C=C).fit(X, y)
    BoundaryDisplay.from_estimator(machine, X, y, ax=ax)
    ax.set_title(f"C = {C:g}, {len(machine.support_)} support vectors")
    print(f"C = {C:g}: {len(machine.support_)} support vectors")

file = Path(tempfile.gettempdir()) / "boundary.png"
figure.savefig(file, dpi=120)
print(f"picture: {file}")
