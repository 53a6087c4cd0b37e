"""Small streams with known properties."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.online import OnlineSVC


def board(n: int, seed: int = 0, noise: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """A chess board of 3 x 3 fields; a share of the labels is turned."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.0, 3.0, (n, 2))
    y = np.where(np.floor(X).sum(axis=1) % 2 == 0, 1, -1)
    return X, np.where(rng.random(n) < noise, -y, y)


def three(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three overlapping clouds in four dimensions."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return rng.normal(size=(n, 4)) + 2.0 * np.eye(3, 4)[y], y


def streamed(machine: Any, X: Any, y: np.ndarray, cuts: Any, **options: Any) -> Any:
    """The machine after the chunks between the cuts."""
    classes = {"classes": np.unique(y)} if isinstance(machine, OnlineSVC) else {}
    for begin, end in zip([0, *cuts], [*cuts, len(y)], strict=True):
        if begin < end:
            some = {name: value[begin:end] for name, value in options.items()}
            machine.partial_fit(X[begin:end], y[begin:end], **classes, **some)
    return machine


def learned(machine: Any) -> tuple[bytes, ...]:
    """Every bit of what a machine has learned."""
    parts = (machine.support_ids_, machine.dual_coef_, machine.intercept_)
    return tuple(part.tobytes() for part in parts)
