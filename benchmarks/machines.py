"""Other machines and kernels next to scikit-learn's, one thread.

    python benchmarks/machines.py [--rows 8000] [--repeats 3] [--data DIR]

Regression, the nu family, one-class, linear and polynomial kernels on generated rows; with
``--data`` also a9a as sparse rows and 20newsgroups as sparse text, where LIBLINEAR stands beside.
Medians of CPU seconds of whole fits in turns; the dual objective of both is recomputed from the
coefficients, and the score on the training rows is shown.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import sklearn.svm
from sklearn.datasets import make_classification
from sklearn.preprocessing import StandardScaler
from suite import load
from threadpoolctl import threadpool_limits

import mercer


@dataclass(frozen=True)
class Job:
    """A machine of both libraries, and what it is fitted to."""

    name: str
    machine: str
    settings: dict[str, Any]
    X: Any
    y: Any


def generated_jobs(rows: int) -> Iterator[Job]:
    X, labels = make_classification(rows, 20, n_informative=10, flip_y=0.05, random_state=0)
    X = StandardScaler().fit_transform(X)
    rng = np.random.default_rng(0)
    targets = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] / 4 + 0.2 * rng.normal(size=rows)
    yield Job("SVC rbf", "SVC", {"C": 1.0}, X, labels)
    yield Job("SVC linear", "SVC", {"C": 0.1, "kernel": "linear"}, X, labels)
    yield Job("SVC polynomial", "SVC", {"C": 1.0, "kernel": "poly", "coef0": 1.0}, X, labels)
    yield Job("NuSVC rbf", "NuSVC", {"nu": 0.3}, X, labels)
    yield Job("SVR rbf", "SVR", {"C": 1.0, "epsilon": 0.1}, X, targets)
    yield Job("NuSVR rbf", "NuSVR", {"C": 1.0, "nu": 0.5}, X, targets)
    yield Job("OneClassSVM rbf", "OneClassSVM", {"nu": 0.2}, X, None)


def data_jobs(directory: Path) -> Iterator[Job]:
    a9a = load(directory / "a9a.npz")
    X, y = a9a.get("X", a9a.get("X_train")), a9a.get("y", a9a.get("y_train"))
    yield Job("SVC rbf a9a, sparse", "SVC", {"C": 1.0, "gamma": 1.0 / X.shape[1]}, X, y)
    news = load(directory / "20news_bydate.npz")
    X, y = news.get("X", news.get("X_train")), news.get("y", news.get("y_train"))
    one = np.where(y == np.unique(y)[0], 1, -1)
    yield Job("SVC linear 20news, sparse", "SVC", {"C": 1.0, "kernel": "linear"}, X, one)
    yield Job("SVC rbf 20news, sparse", "SVC", {"C": 1.0, "gamma": 0.5}, X, one)
    yield Job("LinearSVC 20news, sparse", "LinearSVC", {"C": 1.0, "loss": "hinge"}, X, one)


def fit(library: Any, job: Job) -> tuple[float, Any]:
    options = dict(job.settings)
    if library is mercer:
        options["n_threads"] = 1
    elif job.machine != "LinearSVC":
        options["cache_size"] = 1000
    machine = getattr(library, job.machine)(**options)
    began = time.process_time()
    machine.fit(job.X, job.y)
    return time.process_time() - began, machine


def share_right(machine: Any, job: Job) -> float:
    """Score on some of the training rows; of one-class machines the share inside."""
    some = np.arange(0, job.X.shape[0], max(job.X.shape[0] // 500, 1))
    if job.y is None:
        return float(np.mean(machine.predict(job.X[some]) > 0))
    return float(machine.score(job.X[some], np.asarray(job.y)[some]))


def row(job: Job, repeats: int) -> float:
    """Prints a line; returns how many times as fast."""
    if not hasattr(mercer, job.machine):
        seconds, machine = fit(sklearn.svm, job)
        score = share_right(machine, job)
        print(f"{job.name:28s} {'':9s} {seconds:9.3f} {'':6s} {'':8s} {score:8.4f}")
        return float("nan")
    ours, theirs = [], []
    for repeat in range(repeats):
        seconds, machine = fit(mercer, job)
        ours.append(seconds)
        if repeat == 0 or theirs[0] < 5.0:
            seconds, peer = fit(sklearn.svm, job)
            theirs.append(seconds)
    ratio = median(theirs) / median(ours)
    print(
        f"{job.name:28s} {median(ours):9.3f} {median(theirs):9.3f} {ratio:6.1f} "
        f"{share_right(machine, job):8.4f} {share_right(peer, job):8.4f} "
        f"{machine.violation_:8.1e} {len(machine.support_):6d} {len(peer.support_):6d}",
        flush=True,
    )
    return ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    print(
        f"{'machine':28s} {'mercer':>9s} {'sklearn':>9s} {'ratio':>6s} {'score':>8s} "
        f"{'score':>8s} {'viol.':>8s} {'SVs':>6s} {'SVs':>6s}"
    )
    jobs = list(generated_jobs(options.rows))
    if options.data is not None:
        jobs += data_jobs(options.data)
    with threadpool_limits(1):
        ratios = np.array([row(job, options.repeats) for job in jobs])
    ratios = ratios[np.isfinite(ratios)]
    print(f"geometric mean {np.exp(np.log(ratios).mean()):.1f}, least {ratios.min():.1f}")


if __name__ == "__main__":
    main()
