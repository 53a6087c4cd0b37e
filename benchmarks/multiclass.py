"""Many classes: one-vs-one and one-vs-all next to scikit-learn's, and what sharing saves.

    python benchmarks/multiclass.py --data DIR [--rows 15000] [--threads 2] [--classes 3]
                                    [--no-peer] [--sharing] [--all-in-one]
    python benchmarks/multiclass.py --many-classes

letter (15,000 rows, 16 features, 26 classes) and the first ``--rows`` rows of mnist (784 features,
10 classes), Gaussian kernel, tol=1e-3. The peer of one-vs-one is ``sklearn.svm.SVC``, that of
one-vs-all ``OneVsRestClassifier(SVC)``, of which ``--classes`` classes are timed and scaled to all.
CPU seconds of both are shown, and ours shared by the threads, which is the time on a machine that
does nothing else; scores are those of the test rows. ``--sharing`` counts kernel evaluations of one
thread with one Gram for all machines, and with one for each. ``--all-in-one`` fits machines that
learn all classes in one problem, each in a process of its own, to a relative gap of 1e-3, and
shows the peak memory of the process, one-vs-all beside them. ``--many-classes`` needs no data: CPU
time for each pair of many small Gaussian classes, the median of several fits of one thread, and
what of it a prediction of all rows takes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.svm
from suite import load

import mercer
from mercer.multiclass import AllInOne
from mercer.multiclass.formulations import ALL_IN_ONE


@dataclass(frozen=True)
class Data:
    """Rows to train and to test on, and the parameters that suit them."""

    name: str
    X: Any
    y: Any
    X_test: Any
    y_test: Any
    C: float
    gamma: float


def letter(directory: Path) -> Data:
    parts = load(directory / "letter.npz")
    scale = lambda X: np.asarray(X, dtype=np.float64) / 7.5 - 1.0  # noqa: E731
    return Data(
        "letter",
        *(scale(parts["X_train"]), parts["y_train"], scale(parts["X_test"]), parts["y_test"]),
        C=16.0,
        gamma=4.0,
    )


def mnist(directory: Path, rows: int) -> Data:
    parts = load(directory / "mnist.npz")
    scale = lambda X: np.asarray(X, dtype=np.float32) / np.float32(255.0)  # noqa: E731
    return Data(
        "mnist",
        *(scale(parts["X_train"][:rows]), parts["y_train"][:rows]),
        *(scale(parts["X_test"]), parts["y_test"]),
        C=5.0,
        gamma=0.02,
    )


def ours(data: Data, scheme: str, threads: int, solver: Any = "auto") -> tuple[float, float, Any]:
    """CPU and wall seconds of a fit, and the machine."""
    machine = mercer.SVC(
        C=data.C, gamma=data.gamma, multiclass=scheme, n_threads=threads, solver=solver
    )
    began, clock = time.process_time(), time.perf_counter()
    machine.fit(data.X, data.y)
    return time.process_time() - began, time.perf_counter() - clock, machine


def peer(data: Data, scheme: str, n_classes: int) -> tuple[float, float | None]:
    """CPU seconds of scikit-learn, and its score if all classes were fitted."""
    machine = sklearn.svm.SVC(C=data.C, gamma=data.gamma, cache_size=1000)
    if scheme == "one-vs-one":
        began = time.process_time()
        machine.fit(data.X, data.y)
        seconds = time.process_time() - began
        return seconds, float(machine.score(data.X_test[:2000], data.y_test[:2000]))
    classes = np.unique(data.y)
    chosen = classes[:: max(len(classes) // n_classes, 1)][:n_classes]
    began = time.process_time()
    for label in chosen:
        machine.fit(data.X, data.y == label)
    return (time.process_time() - began) * len(classes) / len(chosen), None


def row(data: Data, scheme: str, options: argparse.Namespace) -> None:
    cpu, wall, machine = ours(data, scheme, options.threads)
    began = time.process_time()
    score = float(machine.score(data.X_test, data.y_test))
    predicting = time.process_time() - began
    line = (
        f"{data.name:7s} {len(data.y):6d} {scheme:11s} {cpu:8.2f} {wall:8.2f} "
        f"{machine.violation_:8.1e} {len(machine.support_):6d} {score:7.4f} {predicting:8.2f}"
    )
    if not options.no_peer:
        theirs, other = peer(data, scheme, options.classes)
        first = "" if other is None else f"{other:7.4f}"
        same = f"{machine.score(data.X_test[:2000], data.y_test[:2000]):7.4f}"
        line += f" {theirs:9.1f} {theirs / cpu:6.1f} {theirs * options.threads / cpu:6.1f}"
        line += f"   {same} {first}"
    print(line, flush=True)


def sharing(data: Data, scheme: str) -> None:
    """Kernel values with one Gram for all machines, and with one for each."""
    machine = ours(data, scheme, 1)[2]
    together = sum(solution.n_kernel for solution in machine.solutions_)
    alone = 0
    for i, first in enumerate(machine.classes_):
        others = machine.classes_[i + 1 :] if scheme == "one-vs-one" else [None]
        for second in others:
            rows = slice(None) if second is None else np.isin(data.y, (first, second))
            part = mercer.SVC(C=data.C, gamma=data.gamma, n_threads=1)
            part.fit(data.X[rows], data.y[rows] == first)
            alone += part.solutions_[0].n_kernel
    n = len(data.y)
    print(
        f"{data.name:7s} {n:6d} {scheme:11s} {together / 1e6:10.0f} {alone / 1e6:10.0f} "
        f"{alone / together:6.2f} {n * (n + 1) / 2e6:10.0f}",
        flush=True,
    )


SCHEMES = ("one-vs-all", *ALL_IN_ONE)


def all_in_one(data: Data, scheme: str, threads: int) -> str:
    """A row of the table, and what this process took at most; call it in one of its own."""
    solver = AllInOne(stopping="gap") if scheme in ALL_IN_ONE else "auto"
    cpu, wall, machine = ours(data, scheme, threads, solver)
    # ru_maxrss is in KB on Linux
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    score = float(machine.score(data.X_test, data.y_test))
    return (
        f"{data.name:7s} {len(data.y):6d} {scheme:21s} {cpu:8.2f} {wall:8.2f} "
        f"{machine.violation_:8.1e} {machine.dual_gap_:8.1e} {peak:8.0f} "
        f"{len(machine.support_):6d} {score:7.4f} {set(s.status for s in machine.solutions_)}"
    )


def print_all_in_one(sets: list[Data], threads: int) -> None:
    print(
        f"{'data':7s} {'rows':>6s} {'scheme':21s} {'CPU s':>8s} {'wall s':>8s} {'viol.':>8s} "
        f"{'gap':>8s} {'peak MB':>8s} {'SVs':>6s} {'score':>7s} status"
    )
    context = multiprocessing.get_context("spawn")
    for data in sets:
        for scheme in SCHEMES:
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                print(pool.submit(all_in_one, data, scheme, threads).result(), flush=True)


# Classes, and rows of each.
MANY = ((30, 10), (30, 50), (100, 10), (12, 100), (20, 100))


def medians(machines: list[Any], X: Any, y: Any, times: int = 9) -> list[list[float]]:
    """CPU seconds of a fit and of a prediction by each machine, in turns."""
    seconds = np.empty((times, len(machines), 2))
    for turn in seconds:
        for machine, found in zip(machines, turn, strict=True):
            began = time.process_time()
            machine.fit(X, y)
            middle = time.process_time()
            machine.predict(X)
            found[:] = middle - began, time.process_time() - middle
    return np.median(seconds, axis=0).tolist()


def print_many_classes() -> None:
    print(
        f"{'classes':>7s} {'rows':>5s} {'pairs':>6s} {'viol.':>8s} {'gap':>8s} {'us a pair':>10s} "
        f"{'sklearn':>8s} {'ratio':>6s} {'predict, ms':>12s} {'sklearn':>8s} {'same labels':>12s}"
    )
    for n_classes, each in MANY:
        rng = np.random.default_rng(0)
        y = np.repeat(np.arange(n_classes), each)
        X = 1.5 * rng.normal(size=(n_classes, 5))[y] + rng.normal(size=(len(y), 5))
        machine, other = mercer.SVC(n_threads=1), sklearn.svm.SVC(break_ties=True)
        (fit, predict), (their_fit, their_predict) = medians([machine, other], X, y)
        n_pairs, ratio = len(machine.solutions_), fit / their_fit
        own, theirs = (1e6 * seconds / n_pairs for seconds in (fit, their_fit))
        same = float((machine.predict(X) == other.predict(X)).mean())
        print(
            f"{n_classes:7d} {each:5d} {n_pairs:6d} {machine.violation_:8.1e} "
            f"{machine.dual_gap_:8.1e} {own:10.0f} {theirs:8.0f} {ratio:6.2f} "
            f"{predict * 1e3:12.1f} {their_predict * 1e3:8.1f} {same:12.4f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rows", type=int, default=15_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--classes", type=int, default=3)
    parser.add_argument("--only", choices=["letter", "mnist"])
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--sharing", action="store_true")
    parser.add_argument("--all-in-one", action="store_true")
    parser.add_argument("--many-classes", action="store_true")
    options = parser.parse_args()
    if options.many_classes:
        print_many_classes()
        return
    if options.data is None:
        parser.error("--data is needed for all but --many-classes")
    makers = {
        "letter": lambda: letter(options.data),
        "mnist": lambda: mnist(options.data, options.rows),
    }
    sets = [make() for name, make in makers.items() if options.only in (None, name)]
    if options.all_in_one:
        print_all_in_one(sets, options.threads)
        return
    if options.sharing:
        print(
            f"{'data':7s} {'rows':>6s} {'scheme':11s} {'shared, M':>10s} {'alone, M':>10s} "
            f"{'ratio':>6s} {'matrix, M':>10s}"
        )
    else:
        print(
            f"{'data':7s} {'rows':>6s} {'scheme':11s} {'CPU s':>8s} {'wall s':>8s} {'viol.':>8s} "
            f"{'SVs':>6s} {'score':>7s} {'predict':>8s} {'sklearn':>9s} {'ratio':>6s} "
            f"{'ideal':>6s}   scores on 2,000"
        )
    for data in sets:
        for scheme in ("one-vs-one", "one-vs-all"):
            if options.sharing:
                sharing(data, scheme)
            else:
                row(data, scheme, options)


if __name__ == "__main__":
    main()
