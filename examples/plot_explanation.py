"""
Why it said so
==============

Exact Shapley values: mean sizes over many rows, and the way to the prediction of one.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from mercer import SVC
from mercer.plots import ExplanationDisplay

data = load_breast_cancer(as_frame=True)
X = StandardScaler().set_output(transform="pandas").fit_transform(data.data)
machine = SVC().fit(X, data.target)
figure, axes = plt.subplots(1, 2, figsize=(13.0, 4.6), layout="constrained")
many = ExplanationDisplay.from_estimator(machine, X[:50], background=X[::20], ax=axes[0])
ExplanationDisplay.from_estimator(machine, X[:1], background=X[::20], ax=axes[1])
print(f"{many.explanation.values.shape[0]} rows explained by {X.shape[1]} features")

file = Path(tempfile.gettempdir()) / "explanation.png"
figure.savefig(file, dpi=120)
print(f"picture: {file}")
