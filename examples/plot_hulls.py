"""
Two classes and their reduced hulls
===================================

Four algorithms on the way to the nearest points. Prints how far each of them is after ten and after
forty steps, draws the hulls with the course of the last one, and writes a page with a slider for
the steps.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import numpy as np

from mercer.hull import nearest_points
from mercer.lab import Mdm, hull_report, hull_trace, plot_hulls

rng = np.random.default_rng(4)
A = rng.normal(size=(24, 2)) * [1.2, 0.8] + [3.0, 1.0]
B = rng.normal(size=(24, 2))
mu = 0.15

found = nearest_points(A, B, mu=mu)
print(f"distance of the reduced hulls: {found.distance:.8f}, known to {found.gap:.1e}")
solvers = {"MDM": "mdm", "MDM, four vectors": Mdm(step="four-vector")}
solvers |= {"Gilbert": "gilbert", "GSK": "gsk"}
for name, solver in solvers.items():
    trace = hull_trace(A, B, mu=mu, solver=solver, max_steps=40)
    early, late = (trace.distance[min(k, len(trace) - 1)] - found.distance for k in (10, 40))
    print(f"{name:17s} too far by {early:.1e} after 10 steps, {late:.1e} after 40")

folder = Path(tempfile.gettempdir())
axis = plot_hulls(A, B, mu=mu, trace=trace)
axis.figure.savefig(folder / "hulls.png", dpi=120)
hull_report(A, B, mu=mu, file=folder / "hulls.html")
print(f"picture: {folder / 'hulls.png'}, page: {folder / 'hulls.html'}")
