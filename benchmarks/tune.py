"""TunedSVC against GridSearchCV over 10 x 10 cells of scikit-learn's SVC, 5 folds.

    python benchmarks/tune.py [--cells 10] [--threads 2] [--repeats 3]
    python benchmarks/tune.py --data DIR [--sets NAME ...] [--rows 20000] [--exhaustive]

Time, cross-validated and test accuracy side by side. Of GridSearchCV some cells, spread evenly over
C and gamma, are timed one after the other and scaled to all of them, unless --cells is 100; from
5,000 training rows on one fold of each, times five. A cell that takes more than --cap seconds of
CPU is given up and counts as that much: ratios are then lower bounds, marked by >. Up to 4,000
training rows the choice of GridSearchCV is found, by our criterion "cv", which has the same values,
among all cells, else among those that were timed. --exhaustive measures ``svc_grid`` of two classes
too, which solves every cell. Sets come from ``DIR/<set>.npz`` (X and y, or X_train, y_train, X_test
and y_test), at most --rows of them, shuffled. 70 % are trained on; features are standardized. Of
our seconds the median of --repeats is taken.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification, make_moons
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mercer
from mercer import TunedSVC, svc_grid
from mercer.kernels import Gaussian
from mercer.selection import make_objective

CS, GAMMAS = np.logspace(-2, 4, 10), np.logspace(-4, 1, 10)
SETS = ["german_numer", "titanic", "splice", "spambase", "banana", "svmguide1", "segment"]
SETS += ["satimage", "waveform", "pendigits"]
FEW_ROWS, MANY_ROWS = 4000, 5000
Sets = dict[str, tuple[np.ndarray, np.ndarray]]


def generated() -> Sets:
    return {
        "moons 2,000": make_moons(2000, noise=0.3, random_state=0),
        "blobs 3,000 x 20": make_classification(
            3000, 20, n_informative=8, n_classes=3, random_state=0
        ),
        "blobs 8,000 x 20": make_classification(8000, 20, n_informative=10, random_state=0),
    }


def stored(folder: Path, names: list[str], most: int) -> Sets:
    found = {}
    for name in names:
        with np.load(folder / f"{name}.npz", allow_pickle=False) as file:
            parts = [part for part in ("X", "X_train", "X_test") if part in file.files]
            X = np.concatenate([file[part] for part in parts]).astype(np.float64)
            y = np.concatenate([file[part.replace("X", "y")] for part in parts])
        some = np.random.default_rng(0).permutation(len(y))[:most]
        found[name] = X[some], y[some]
    return found


def cells(count: int) -> list[tuple[int, int]]:
    """Positions of C and gamma, spread evenly over both."""
    spread = [
        (g, (3 * g + shift) % 10) for shift in (0, 5, 2, 7, 1, 6, 3, 8, 4, 9) for g in range(10)
    ]
    return [(c, g) for g, c in spread][:count]


def tuned(
    X: np.ndarray, y: np.ndarray, threads: int, repeats: int
) -> tuple[TunedSVC, float, float]:
    """The machine, and the median seconds of time and of CPU."""
    seconds = []
    for _ in range(repeats):
        began, cpu = time.perf_counter(), time.process_time()
        machine = TunedSVC(n_threads=threads).fit(X, y)
        seconds.append((time.perf_counter() - began, time.process_time() - cpu))
    wall, cpu = np.median(seconds, axis=0)
    return machine, float(wall), float(cpu)


def choice(X: np.ndarray, y: np.ndarray, scores: dict[tuple[int, int], float]) -> tuple[int, int]:
    """The cell that the grid search of the peer takes."""
    if len(X) <= FEW_ROWS and len(scores) < CS.size * GAMMAS.size:
        objective = make_objective("cv", mercer.SVC(kernel=Gaussian(1.0)), X, y, cv=5)
        for g, gamma in enumerate(GAMMAS):
            thetas = [np.log([C, gamma]) for C in CS]
            for c, losses in enumerate(objective.series(thetas)):  # type: ignore[attr-defined]
                scores.setdefault((c, g), 1.0 - float(losses.mean()))
    return max(scores, key=scores.__getitem__)


def in_child(work: Callable[[], float], cap: float) -> tuple[float, float]:
    """What some work gives, and the seconds of CPU it took in a process of its own.

    No number if that were more than ``cap``.
    """
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def run() -> None:
        spent = time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (int(np.ceil(spent + cap)),) * 2)
        found = work()
        sender.send((found, time.process_time() - spent))

    child = multiprocessing.get_context("fork").Process(target=run)
    child.start()
    sender.close()
    try:
        found: tuple[float, float] = receiver.recv()
    except EOFError:
        found = np.nan, cap
    child.join()
    return found


def peer_grid(X: np.ndarray, y: np.ndarray, options: argparse.Namespace) -> tuple[dict, float, int]:
    """Scores of the cells that were timed, seconds of all cells, and how many were given up."""
    folds = list(StratifiedKFold(5).split(X, y))
    timed = folds if len(X) < MANY_ROWS else folds[:1]
    scores, seconds, n_capped = {}, 0.0, 0
    for c, g in cells(options.cells):
        peer = SVC(C=CS[c], gamma=GAMMAS[g], cache_size=1000)
        score, spent = in_child(
            lambda peer=peer: float(cross_val_score(peer, X, y, cv=timed).mean()), options.cap
        )
        seconds += spent * len(folds) / len(timed)
        n_capped += int(np.isnan(score))
        scores[c, g] = -np.inf if np.isnan(score) else score
    return scores, seconds * CS.size * GAMMAS.size / options.cells, n_capped


def exhaustive(X: np.ndarray, y: np.ndarray, grid: float, mark: str, threads: int) -> None:
    """Every cell by ``svc_grid``."""
    spent = time.process_time()
    found = svc_grid(X, y, Cs=CS, gammas=GAMMAS, cv=5, n_threads=threads)
    cpu = time.process_time() - spent
    print(f"{'':16s} svc_grid CPU {cpu:.2f} s, ratio {mark}{grid / cpu:.1f}, best {found.best}")


def compare(name: str, X: np.ndarray, y: np.ndarray, options: argparse.Namespace) -> list[float]:
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    scaler = StandardScaler().fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    machine, wall, cpu = tuned(X, y, options.threads, options.repeats)
    scores, grid, n_capped = peer_grid(X, y, options)
    mark = ">" if n_capped else ""
    best = choice(X, y, scores)
    peer = SVC(C=CS[best[0]], gamma=GAMMAS[best[1]], cache_size=1000)
    test = in_child(lambda: float(peer.fit(X, y).score(X_test, y_test)), 5 * options.cap)[0]
    print(
        f"{name:16s} {len(X):6d} x {X.shape[1]:<3d} {len(machine.classes_):2d} classes  tuned "
        f"{wall:6.2f} s, CPU {cpu:6.2f}  grid {mark}{grid:8.1f} s CPU ({n_capped} given up)  ratio "
        f"{mark}{grid / wall:6.1f}, CPU {mark}{grid / cpu:6.1f}  cv {machine.best_score_:.4f} / "
        f"{scores[best]:.4f}  test {machine.score(X_test, y_test):.4f} / {test:.4f}",
        flush=True,
    )
    if options.exhaustive and len(machine.classes_) == 2:
        exhaustive(X, y, grid, mark, options.threads)
    return [grid / wall, grid / cpu]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--cells", type=int, default=10)
    parser.add_argument("--cap", type=float, default=60.0)
    parser.add_argument("--exhaustive", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sets = stored(options.data, options.sets, options.rows) if options.data else generated()
    ratios = np.array([compare(name, X, y, options) for name, (X, y) in sets.items()])
    for kind, own in zip(("time", "CPU time"), ratios.T, strict=True):
        print(f"{kind}: geometric mean {np.exp(np.log(own).mean()):.1f}, least {own.min():.1f}")


if __name__ == "__main__":
    main()
