"""Least squares machines next to scikit-learn's, in turns, with the accuracy beside the time.

    python benchmarks/least_squares.py [--data DIR] [--parts loo text low-rank stream] [--threads 1]

loo        leave-one-out errors of 100 alphas next to one eigendecomposition, GridSearchCV of
           KernelRidge and refitted leave-one-out (some of their cells are timed and scaled)
text       conjugate gradients on the 20 newsgroups (from --data, else a generated stand-in) next
           to RidgeClassifier(solver="sparse_cg") at the same tolerance
low-rank   d = 20, m = 1,000: next to Nystroem + Ridge on the same basis at --peer-rows (it needs
           16 bytes a row and basis row: 16 GB for 10^6), alone at --rows
stream     m = 2,000, --rows rows from a memory map and as blocks: time and peak memory

Times are medians: CPU seconds on one thread, wall seconds on more.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from suite import load
from threadpoolctl import threadpool_limits

from mercer import LSSVR, RLSC, LowRank
from mercer.gram.cross import cross_block
from mercer.kernels import Gaussian

ALPHAS = np.logspace(-6, 3, 100)


class Clock:
    """Times of several competitors, taken in turns."""

    def __init__(self, threads: int) -> None:
        self.now = time.process_time if threads == 1 else time.perf_counter
        self.times: dict[str, list[float]] = {}

    def run(self, name: str, work: Callable[[], Any]) -> Any:
        began = self.now()
        result = work()
        self.times.setdefault(name, []).append(self.now() - began)
        return result

    def __getitem__(self, name: str) -> float:
        return median(self.times[name])


def curve(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows and a smooth noisy target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    direction = np.random.default_rng(1).normal(size=(d, 3)) / np.sqrt(d)
    y = np.sin(X @ direction).sum(axis=1)
    return X, y + 0.2 * rng.normal(size=n)


def loo(args: argparse.Namespace) -> None:
    n, gamma = args.loo_rows, 0.02
    X, y = curve(n, 20)
    labels, clock = np.where(y > 0, 1, -1), Clock(args.threads)
    order = np.random.default_rng(0).permutation(n)
    fold, rest = order[: n // 5], order[n // 5 :]
    for _ in range(args.repeats):
        K = cross_block(Gaussian(gamma), X, X, n_threads=args.threads)
        clock.run("eigh", lambda K=K: eigh(K, overwrite_a=True, check_finite=False))
        machine = RLSC(alpha=ALPHAS, gamma=gamma, n_threads=args.threads)
        clock.run("loo", lambda m=machine: m.fit(X, labels))
        peer = KernelRidge(alpha=machine.alpha_, kernel="rbf", gamma=gamma)
        values = clock.run("cell", lambda p=peer: p.fit(X[rest], labels[rest]).predict(X[fold]))
        clock.run("refit", lambda p=peer: p.fit(X[1:], labels[1:]).predict(X[:1]))
    grid, refits = 5 * len(ALPHAS) * clock["cell"], n * len(ALPHAS) * clock["refit"]
    error = np.mean(np.where(values > 0, 1, -1) != labels[fold])
    print(f"\nleave-one-out of {len(ALPHAS)} alphas, n={n}")
    print(f"  scipy.linalg.eigh of the matrix      {clock['eigh']:12.2f} s")
    print(f"  RLSC, kernel values included         {clock['loo']:12.2f} s   "
          f"{clock['loo'] / clock['eigh']:.2f} eigh, error {machine.loo_error_:.4f}")  # fmt: skip
    print(f"  GridSearchCV(KernelRidge), 5 folds   {grid:12.2f} s   "
          f"{grid / clock['loo']:.0f} times RLSC, error of a fold {error:.4f}")  # fmt: skip
    print(f"  refitted leave-one-out               {refits:12.2f} s   "
          f"{refits / clock['loo']:.0f} times RLSC")  # fmt: skip


def newsgroups(directory: Path | None) -> tuple[Any, ...]:
    if directory is not None:
        d = load(directory / "20news_bydate.npz")
        weights = TfidfTransformer(sublinear_tf=True).fit(d["X_train"])
        rows = (weights.transform(d[part]) for part in ("X_train", "X_test"))
        return (*rows, d["y_train"], d["y_test"])
    rng = np.random.default_rng(0)
    X = sp.random(13_000, 100_000, 1.5e-3, format="csr", random_state=0)
    y = (X @ rng.normal(size=(100_000, 20))).argmax(axis=1)
    return X[:11_000], X[11_000:], y[:11_000], y[11_000:]


def text(args: argparse.Namespace) -> None:
    X, Z, y, labels = newsgroups(args.data)
    print(f"\nlinear, {X.shape[0]} x {X.shape[1]}, {X.nnz} entries, {len(np.unique(y))} classes")
    for bias in (False, True):
        clock = Clock(args.threads)
        ours = RLSC(kernel="linear", solver="cg", tol=1e-4, fit_intercept=bias)
        peer = RidgeClassifier(solver="sparse_cg", tol=1e-4, fit_intercept=bias)
        for _ in range(args.repeats):
            clock.run("ours", lambda m=ours: m.fit(X, y))
            clock.run("peer", lambda m=peer: m.fit(X, y))
        exact = RLSC(kernel="linear", solver="cg", tol=1e-10, fit_intercept=bias).fit(X, y)
        size = np.abs(exact.coef_).max()
        print(f"  fit_intercept={bias}: ratio {clock['peer'] / clock['ours']:.2f}")
        for name, m in (("ours", ours), ("peer", peer)):
            error = np.abs(m.coef_ - exact.coef_).max() / size
            print(f"    {name}  {clock[name]:7.2f} s   test error {1 - m.score(Z, labels):.4f}   "
                  f"error of the weights {error:.1e}")  # fmt: skip


def low_rank(args: argparse.Namespace) -> None:
    gamma, alpha, m = 0.02, 1.0, args.rank
    Z, truth = curve(20_000, 20, seed=7)
    X, y = curve(args.peer_rows, 20)
    clock = Clock(args.threads)
    settings = {"alpha": alpha, "gamma": gamma, "n_threads": args.threads}
    features = Nystroem(gamma=gamma, n_components=m, random_state=0)
    basis = LowRank(basis=features.fit(X).component_indices_)
    machines = {
        "ours": LSSVR(low_rank=basis, loo=False, **settings),
        "ours with loo": LSSVR(low_rank=basis, **settings),
        "peer": make_pipeline(features, Ridge(alpha=alpha, copy_X=False)),
    }
    if args.no_loo:
        del machines["ours with loo"]
    for _ in range(args.repeats):
        for name, machine in machines.items():
            clock.run(name, lambda machine=machine: machine.fit(X, y))
    print(f"\nlow rank, n={args.peer_rows}, d=20, m={m}: "
          f"ratio {clock['peer'] / clock['ours']:.2f}")  # fmt: skip
    for name, machine in machines.items():
        error = np.mean((machine.predict(Z) - truth) ** 2)
        print(f"  {name:14s} {clock[name]:8.2f} s   squared error {error:.5f}")
    if not args.no_loo:
        print(f"  leave-one-out error {machines['ours with loo'].loo_error_:.5f}")
    if args.rows:
        del X, y
        X, y = curve(args.rows, 20)
        clock.run("alone", lambda: machines["ours"].fit(X, y))
        error = np.mean((machines["ours"].predict(Z) - truth) ** 2)
        print(f"  alone, n={args.rows}: {clock['alone']:.1f} s, squared error {error:.5f}")


def peak() -> float:
    """Megabytes of memory this process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def stream(args: argparse.Namespace) -> None:
    n, size, m = args.rows, 50_000, args.stream_rank
    Z, truth = curve(20_000, 20, seed=7)
    clock, blocks = Clock(args.threads), range(0, n, size)
    machine = LSSVR(
        gamma=0.02, low_rank=LowRank(m, random_state=0), loo=False, n_threads=args.threads
    )
    print(f"\nstream, n={n}, d=20, m={m}")
    for start in blocks:
        block = curve(min(size, n - start), 20, seed=start)
        clock.run("blocks", lambda block=block: machine.partial_fit(*block))
    values, base = machine.predict(Z), peak()
    print(f"  partial_fit    {sum(clock.times['blocks']):8.1f} s   squared error "
          f"{np.mean((values - truth) ** 2):.5f}, peak memory {base:.0f} MB",
          flush=True)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        rows = np.lib.format.open_memmap(Path(folder) / "rows.npy", "w+", float, (n, 20))
        y = np.empty(n)
        for start in blocks:
            part = slice(start, min(start + size, n))
            rows[part], y[part] = curve(part.stop - start, 20, seed=start)
        rows.flush()
        stored = np.load(Path(folder) / "rows.npy", mmap_mode="r")
        clock.run("map", lambda: machine.fit(stored, y))
    print(f"  memory map     {clock['map']:8.1f} s   squared error "
          f"{np.mean((machine.predict(Z) - truth) ** 2):.5f}, peak memory {peak():.0f} MB, the "
          f"{rows.nbytes / 2**20:.0f} MB of the map among them")  # fmt: skip


def main() -> None:
    parts = {"loo": loo, "text": text, "low-rank": low_rank, "stream": stream}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--parts", nargs="+", choices=parts, default=list(parts))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--loo-rows", type=int, default=5_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--peer-rows", type=int, default=200_000)
    parser.add_argument("--rank", type=int, default=1_000)
    parser.add_argument("--no-loo", action="store_true", help="leave out low rank with loo")
    parser.add_argument("--stream-rank", type=int, default=2_000)
    args = parser.parse_args()
    with threadpool_limits(args.threads):
        for part in args.parts:
            parts[part](args)


if __name__ == "__main__":
    main()
