"""
Choose C three ways on whole paths
==================================

By cross-validation, by leave-one-out and by a validation set: each error is known exactly for every
C, so nothing can fall between the points of a grid. The picture goes to a file whose name is
printed.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from mercer import PathSVC

X, y = make_moons(1200, noise=0.35, random_state=3)
train, validation, test = slice(0, 200), slice(200, 400), slice(400, None)
options = {"gamma": 1.0, "C_max": 1e4}

folds = PathSVC(cv=5, **options).fit(X[train], y[train])
rows = PathSVC(cv="loo", **options).fit(X[train], y[train])
path = folds.path_
held_out = path.error(X[validation], y[validation])

# In the middle of the widest range with the least error, as PathSVC does it.
low, high = 0.5 * path.first_event, path.end
pieces = [(max(a, low), min(b, high)) for a, b, e in held_out.pieces() if e == held_out.minimum]
widest = max(pieces, key=lambda piece: np.log(piece[1] / piece[0]))
chosen = {
    "5 folds": (folds.C_, folds.cv_error_),
    "leave one out": (rows.C_, rows.cv_error_),
    "validation set": (float(np.sqrt(widest[0] * widest[1])), held_out),
}

truth = path.error(X[test], y[test])
print(f"{path.summary().n_events} events; the least test error of all C is {truth.minimum:.3f}")
for name, (C, error) in chosen.items():
    print(f"{name:15s} C = {C:8.3f}, estimated error {error(C):.3f}, test error {truth(C):.3f}")

figure, axis = plt.subplots(figsize=(7.0, 3.6), layout="constrained")
for (name, (C, error)), color in zip(chosen.items(), ("C0", "C1", "C2"), strict=True):
    edges = np.geomspace(low, min(high, error.end), 2000)
    axis.step(edges, error(edges), where="post", color=color, lw=1.2, label=name)
    axis.plot(C, error(C), "o", color=color)
edges = np.geomspace(low, min(high, truth.end), 2000)
axis.step(edges, truth(edges), where="post", color="0.6", lw=1.2, label="test rows")
axis.set(xscale="log", xlabel="C", ylabel="error", ylim=(0.08, 0.25))
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False, ncols=2)
file = Path(tempfile.gettempdir()) / "choose_C.png"
figure.savefig(file, dpi=120)
print(f"picture: {file}")
