"""xRFM as scikit-learn's estimators are: recursive feature machines (Beaglehole et al. 2025).

Its kernel learns a matrix of the features from the gradients of its own fit. It wants rows that
judge its iterations: a fifth of those given, drawn at random.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import train_test_split


class RecursiveFeatures(BaseEstimator):
    """A fit of xRFM on one thread; its parameters are those of its package."""

    def __init__(
        self,
        is_class: bool,
        kernel: str = "l2",
        bandwidth: float = 10.0,
        exponent: float = 1.0,
        reg: float = 1e-3,
        diag: bool = False,
    ) -> None:
        self.is_class, self.kernel, self.bandwidth = is_class, kernel, bandwidth
        self.exponent, self.reg, self.diag = exponent, reg, diag

    def fit(self, X: np.ndarray, y: np.ndarray) -> RecursiveFeatures:
        import torch
        from xrfm import xRFM

        targets = np.asarray(y, dtype=np.float32)
        if self.is_class:
            self.classes_, targets = np.unique(y, return_inverse=True)
        learned, judging = self._split(targets)
        tensors = [
            torch.as_tensor(
                part[rows], dtype=torch.float32 if k == 0 or not self.is_class else None
            )
            for rows in (learned, judging)
            for k, part in enumerate((np.asarray(X), targets))
        ]
        model = {"kernel": self.kernel, "bandwidth": self.bandwidth, "exponent": self.exponent}
        fit = {"reg": self.reg, "iters": 5, "verbose": False, "early_stop_rfm": True}
        self.machine_ = xRFM(
            {"model": {**model, "diag": self.diag, "bandwidth_mode": "constant"}, "fit": fit},
            device="cpu",
            tuning_metric="accuracy" if self.is_class else "mse",
            n_threads=1,
            random_state=0,
            verbose=False,
        )
        with contextlib.redirect_stdout(io.StringIO()):
            self.machine_.fit(*tensors)
        return self

    def _split(self, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Every class is among the rows learned from."""
        rare = self.is_class and np.bincount(targets).min() < 2
        strata = targets if self.is_class and not rare else None
        rows = np.arange(len(targets))
        learned, judging = train_test_split(rows, test_size=0.2, random_state=0, stratify=strata)
        if self.is_class:
            alone = ~np.isin(targets[judging], targets[learned])
            learned = np.append(learned, judging[alone])
        return learned, judging

    def predict(self, X: np.ndarray) -> np.ndarray:
        found = np.asarray(self.machine_.predict(np.asarray(X, dtype=np.float32)))
        if not self.is_class:
            return found.ravel()
        return self.classes_[found.astype(int).ravel()]

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.machine_.predict_proba(np.asarray(X, dtype=np.float32)))

    def score(self, X: np.ndarray, y: np.ndarray) -> float:
        predicted = self.predict(X)
        if self.is_class:
            return float(np.mean(predicted == y))
        return 1.0 - float(np.mean((predicted - y) ** 2) / np.var(y))


def settings() -> Iterator[dict[str, Any]]:
    """Drawn at random, the defaults first, without an end."""
    yield {}
    random = np.random.default_rng(0)
    while True:
        yield {
            "kernel": str(random.choice(["l2", "l1"])),
            "bandwidth": float(np.exp(random.uniform(np.log(1.0), np.log(200.0)))),
            "exponent": float(random.uniform(0.7, 1.4)),
            "reg": float(np.exp(random.uniform(np.log(1e-6), np.log(10.0)))),
            "diag": bool(random.integers(2)),
        }
