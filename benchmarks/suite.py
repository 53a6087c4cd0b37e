"""The binary problems the trainer is measured on: generated, or read from ``--data DIR``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.preprocessing import StandardScaler

from mercer.lab import make_chessboard


@dataclass(frozen=True)
class Case:
    """Rows, labels in {-1, +1}, C and gamma."""

    name: str
    X: np.ndarray
    y: np.ndarray
    C: float
    gamma: float


def load(path: Path) -> dict[str, np.ndarray]:
    """Arrays of a data file; CSR matrices are put together from their parts."""
    parts, out = np.load(path), {}
    for key in parts.files:
        if key.endswith("_indptr"):
            stem = key.removesuffix("_indptr")
            data = parts[stem + "_data"].astype(np.float64)
            shape = tuple(parts[stem + "_shape"])
            out[stem] = sp.csr_matrix((data, parts[stem + "_indices"], parts[key]), shape=shape)
        elif not key.endswith(("_data", "_indices", "_shape")):
            out[key] = parts[key]
    return out


def read(
    directory: Path, name: str, C: float, *, rows: int | None = None, gamma: float | None = None
) -> Case:
    """A data set made binary (more than two values are cut at the median), standardised."""
    arrays = load(directory / f"{name}.npz")
    X, y = arrays.get("X", arrays.get("X_train")), arrays.get("y", arrays.get("y_train"))
    X = X.toarray() if sp.issparse(X) else X.astype(np.float64)
    order = np.random.default_rng(0).permutation(len(y))[:rows]
    X, y = X[order], y[order].astype(np.float64)
    cut = np.median(y) if len(np.unique(y)) > 2 else y.mean()
    if not (y > cut).any():
        cut -= 0.5
    labels = np.where(y > cut, 1, -1)
    if X.min() >= 0 and X.max() <= 1 and np.isin(X[:100], (0.0, 1.0)).all():
        scaled = X  # one-hot rows stay sparse
    elif name == "mnist":
        scaled = X / 255.0
    else:
        scaled = StandardScaler().fit_transform(X)
    width = 1.0 / X.shape[1] if gamma is None else gamma
    return Case(f"{name} C={C:g}", scaled.astype(np.float32), labels, C, width)


def chess(C: float, noise: float = 0.0) -> Case:
    """The chess board."""
    X, y = make_chessboard(10_000, noise=noise, random_state=0)
    return Case(f"chess noise={noise:g} C={C:g}", X.astype(np.float32), y, C, 0.5)


def generated(n: int, d: int, C: float = 1.0) -> Case:
    """Noisy clusters."""
    X, y = make_classification(n, d, n_informative=10, flip_y=0.1, random_state=0)
    X = StandardScaler().fit_transform(X).astype(np.float32)
    return Case(f"generated {n}x{d} C={C:g}", X, np.where(y > 0, 1, -1), C, 1.0 / d)


HELD_OUT = (
    "abalone", "banana", "codrna_rowz", "mushrooms", "pendigits", "poker", "ringnorm", "satimage",
    "spambase", "sylva", "twonorm", "waveform", "ailerons", "california_housing", "kin40k", "pol",
)  # fmt: skip


def cases(directory: Path | None) -> dict[str, Callable[[], Case]]:
    """Name -> a function that makes the case."""
    out: dict[str, Callable[[], Case]] = {
        "chess-1e3": lambda: chess(1e3),
        "chess-1e6": lambda: chess(1e6),
        "chess-noise": lambda: chess(10.0, noise=0.1),
        "generated-10k": lambda: generated(10_000, 20),
        "generated-50k": lambda: generated(50_000, 20),
        "generated-100": lambda: generated(10_000, 100),
    }
    if directory is not None:
        out |= {
            "shuttle": lambda: read(directory, "shuttle", 1e3),
            "letter": lambda: read(directory, "letter", 10.0),
            "ijcnn1": lambda: read(directory, "ijcnn1", 32.0),
            "a9a": lambda: read(directory, "a9a", 1.0),
            "a9a-100": lambda: read(directory, "a9a", 100.0),
            "connect-4": lambda: read(directory, "connect-4", 1.0, rows=30_000),
            "usps": lambda: read(directory, "usps", 10.0),
            "mnist": lambda: read(directory, "mnist", 10.0, rows=10_000, gamma=0.02),
        }
        out |= {name: (lambda name=name: read(directory, name, 10.0)) for name in HELD_OUT}
    return out
