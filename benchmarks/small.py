"""One thread, RBF kernel, up to some thousand rows: mercer beside its peers, and what time bought.

    python benchmarks/small.py cells [--rows 300 1000 2000 2900 4000] [--features 5 20 100 600]
                                     [--C 1 100] [--peers libsvm intelex] [--repeats 3]
                                     [--solver auto] [--precision auto]
    python benchmarks/small.py machines [--rows 50 100 200 300 1000] [--repeats 3]

``cells`` fits a classifier in every cell of rows x features x C. The rows are drawn by
``make_classification``: half of the features informative, the others noise, four clusters a class,
5 % of the labels flipped. One half trains, the other tests. All get the same rows, C,
gamma="scale", tol=1e-3 and one thread. They run in turns, so that a busy machine slows all, and
medians of CPU milliseconds are reported: of at least ``--repeats`` turns, more for short fits.
Objective and violation are computed by ``certify``,
which trusts no solver's own claim. Of scikit-learn-intelex, where it is installed, the faster of
float32 and float64 rows is shown. "X X'" is how many times as long as one product X @ X.T of
float32 rows a fit takes, which is the least that a matrix of kernel values costs.

``machines`` fits all machines to few rows, in turns with scikit-learn's.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import sklearn.svm
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

import mercer
from mercer.formulations import svc
from mercer.kernels import Gaussian

FEW_ROWS = [50, 100, 200, 300, 1000]
# name of the machine, features, classes (1: targets are numbers), parameters
MACHINES: tuple[tuple[str, int, int, dict[str, float]], ...] = (
    ("SVC", 20, 2, {"C": 1.0}),
    ("SVC", 20, 2, {"C": 100.0}),
    ("SVC", 4, 2, {"C": 1.0}),
    ("SVC", 4, 2, {"C": 100.0}),
    ("SVC", 20, 3, {"C": 1.0}),
    ("SVC", 20, 3, {"C": 100.0}),
    ("SVC", 4, 3, {"C": 1.0}),
    ("SVC", 4, 3, {"C": 100.0}),
    ("NuSVC", 20, 2, {}),
    ("SVR", 20, 1, {}),
    ("NuSVR", 20, 1, {}),
    ("OneClassSVM", 20, 1, {}),
)
# Seconds after which a contender is not asked again: a long fit is not disturbed by much. Short
# fits are repeated for so many seconds, up to so many times.
LONG, ENOUGH, MOST = 1.5, 1.0, 50


@dataclass
class Runs:
    """The times of one contender, and its last machine."""

    make: Callable[[], Any]
    dtype: type = np.float64
    fit_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    machine: Any = None
    accuracy: float = 0.0

    @property
    def milliseconds(self) -> float:
        return 1e3 * median(self.fit_seconds)


@dataclass(frozen=True)
class Split:
    """Rows to train on and rows to test with."""

    X: NDArray[np.float64]
    y: NDArray[np.intp]
    X_test: NDArray[np.float64]
    y_test: NDArray[np.intp]


def draw(rows: int, features: int) -> Split:
    X, y = make_classification(
        2 * rows,
        features,
        n_informative=max(features // 2, 3),
        n_redundant=0,
        n_clusters_per_class=4,
        flip_y=0.05,
        random_state=0,
    )
    return Split(X[:rows], y[:rows], X[rows:], y[rows:])


def contenders(C: float, chosen: argparse.Namespace) -> dict[str, Runs]:
    options = {"n_threads": 1, "solver": chosen.solver, "precision": chosen.precision}
    runs = {"mercer": Runs(lambda: mercer.SVC(C=C, **options))}
    if "libsvm" in chosen.peers:
        runs["libsvm"] = Runs(lambda: sklearn.svm.SVC(C=C))
    if "intelex" in chosen.peers:
        import daal4py
        import sklearnex.svm

        daal4py.daalinit(1)
        for dtype in (np.float32, np.float64):
            runs[f"intelex {dtype.__name__}"] = Runs(lambda: sklearnex.svm.SVC(C=C), dtype)
    return runs


def race(split: Split, runs: dict[str, Runs], repeats: int) -> None:
    """Time everyone in turns; some rows warm up and do not count."""
    rows = {dtype: split.X.astype(dtype) for dtype in {run.dtype for run in runs.values()}}
    for run in runs.values():
        run.make().fit(rows[run.dtype][:200], split.y[:200])
    for turn in range(max(repeats, MOST)):
        spent = max(sum(run.fit_seconds) for run in runs.values())
        if turn >= repeats and spent > ENOUGH:
            break
        for run in runs.values():
            if run.fit_seconds and run.fit_seconds[-1] > LONG:
                continue
            began = process_time()
            run.machine = run.make().fit(rows[run.dtype], split.y)
            fitted = process_time()
            predicted = run.machine.predict(split.X_test)
            run.fit_seconds.append(fitted - began)
            run.predict_seconds.append(process_time() - fitted)
            run.accuracy = float(np.mean(predicted == split.y_test))


def certificate(split: Split, machine: Any, C: float) -> mercer.Certificate:
    problem = svc(np.where(split.y == 1, 1.0, -1.0), C).problem
    coef = np.zeros(len(split.y))
    coef[machine.support_] = machine.dual_coef_[0]
    kernel = Gaussian("scale").resolve(split.X)
    coef = np.clip(coef, problem.lower, problem.upper)
    return mercer.certify(problem, mercer.Gram(kernel, split.X), coef)


def ratio(ours: list[float], theirs: list[float]) -> float:
    """How many times as fast, as the median over the rounds: neighbours in time are compared."""
    return median(their / our for our, their in zip(ours, theirs, strict=False))


def peers_of(runs: dict[str, Runs]) -> Iterator[tuple[str, Runs]]:
    """LIBSVM, and the faster of the precisions of scikit-learn-intelex."""
    if "libsvm" in runs:
        yield "libsvm", runs["libsvm"]
    some = [run for name, run in runs.items() if name.startswith("intelex")]
    if some:
        yield "intelex", min(some, key=lambda run: run.milliseconds)


def times_of_product(split: Split, seconds: float) -> float:
    """How many products of all rows with each other, in single precision, fit into the time."""
    X = split.X.astype(np.float32)
    spent = []
    for _ in range(5):
        began = process_time()
        X @ X.T
        spent.append(process_time() - began)
    return seconds / median(spent)


def show_cell(rows: int, features: int, C: float, chosen: argparse.Namespace) -> dict[str, float]:
    """Prints a line; returns how many times as fast mercer is."""
    split, runs = draw(rows, features), contenders(C, chosen)
    race(split, runs, chosen.repeats)
    ours = runs["mercer"]
    proof = certificate(split, ours.machine, C)
    print(
        f"{rows:5d} x {features:<4d}{C:6g}{ours.milliseconds:9.2f} ms{proof.objective:15.6f}"
        f"{proof.violation:9.1e}{ours.accuracy:7.3f}"
        f"{times_of_product(split, 1e-3 * ours.milliseconds):7.1f}",
        end="",
    )
    times = {}
    for name, peer in peers_of(runs):
        theirs = certificate(split, peer.machine, C)
        times[name] = ratio(ours.fit_seconds, peer.fit_seconds)
        behind = (proof.objective - theirs.objective) / abs(theirs.objective)
        print(
            f" |{peer.milliseconds:9.2f} ms{times[name]:6.2f}{behind:+9.0e}"
            f"{theirs.violation:9.1e}{peer.accuracy:7.3f}"
            f"{ratio(ours.predict_seconds, peer.predict_seconds):6.1f}",
            end="",
        )
    print(flush=True)
    return times


def show_cells(chosen: argparse.Namespace) -> None:
    print("rows x features   C, mercer: CPU time, objective, violation, accuracy, X X'", end="")
    for peer in chosen.peers:
        print(f" | {peer}: time, times as fast, objective +-, violation, accuracy, predict", end="")
    print()
    grid = [(n, d, C) for n in chosen.rows for d in chosen.features for C in chosen.C]
    all_times = [show_cell(*cell, chosen) for cell in grid]
    for peer in chosen.peers:
        times = np.array([some[peer] for some in all_times])
        mean = np.exp(np.log(times).mean())
        print(f"{peer}: geometric mean {mean:.2f}, least {times.min():.2f}")


def draw_few(rows: int, features: int, classes: int) -> tuple[NDArray[Any], NDArray[Any]]:
    X, y = make_classification(
        rows,
        features,
        n_informative=max(features // 2, 3),
        n_redundant=0,
        n_classes=max(classes, 2),
        n_clusters_per_class=4 if (features, classes) == (20, 2) else 1,
        flip_y=0.05,
        random_state=0,
    )
    if classes > 1:
        return X, y
    return X, X[:, 0] + np.sin(X[:, 1]) + 0.1 * np.random.default_rng(0).normal(size=rows)


def race_machine(
    name: str, X: NDArray[Any], y: NDArray[Any], params: dict[str, float], repeats: int
) -> tuple[float, float, float]:
    """Medians of the CPU milliseconds of both, and of how many times as fast ours is."""
    seconds: list[tuple[float, float]] = []
    for repeat in range(repeats + 3):
        began = process_time()
        getattr(mercer, name)(n_threads=1, **params).fit(X, y)
        between = process_time()
        getattr(sklearn.svm, name)(**params).fit(X, y)
        if repeat >= 3:
            seconds.append((between - began, process_time() - between))
    ours, theirs = ([pair[k] for pair in seconds] for k in (0, 1))
    return 1e3 * median(ours), 1e3 * median(theirs), ratio(ours, theirs)


def show_machines(chosen: argparse.Namespace) -> None:
    print("fit in CPU milliseconds of mercer / scikit-learn, times as fast")
    print(f"{'':34}" + "".join(f"{rows:>20} rows" for rows in chosen.rows))
    for name, features, classes, params in MACHINES:
        kind = f"{classes} classes" if classes > 1 else ""
        setting = "".join(f"{key}={value:g}" for key, value in params.items())
        print(f"{name:12}d={features:<4}{kind:11}{setting:7}", end="", flush=True)
        for rows in chosen.rows:
            X, y = draw_few(rows, features, classes)
            rounds = chosen.repeats * max(1, min(20, 2000 // rows))
            ours, theirs, times = race_machine(name, X, y, params, rounds)
            print(f"{ours:11.2f} /{theirs:6.2f}{times:6.2f}", end="", flush=True)
        print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    tables = parser.add_subparsers(required=True)
    cells = tables.add_parser("cells")
    cells.set_defaults(show=show_cells)
    cells.add_argument("--rows", type=int, nargs="+", default=[300, 1000, 2000, 2900, 4000])
    cells.add_argument("--features", type=int, nargs="+", default=[5, 20, 100, 600])
    cells.add_argument("--C", type=float, nargs="+", default=[1.0, 100.0])
    peers = ["libsvm", "intelex"]
    cells.add_argument("--peers", nargs="*", choices=peers, default=peers)
    cells.add_argument("--solver", default="auto")
    cells.add_argument("--precision", default="auto")
    machines = tables.add_parser("machines")
    machines.set_defaults(show=show_machines)
    machines.add_argument("--rows", type=int, nargs="+", default=FEW_ROWS)
    for table in (cells, machines):
        table.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    with threadpool_limits(limits=1):
        chosen.show(chosen)


if __name__ == "__main__":
    main()
