"""How training time grows with the number of rows, on one and on two threads.

    python benchmarks/growth.py [--sizes 10000 20000 40000 80000 160000] [--data DIR] [--repeats 3]

Noisy clusters in 20 features (C = 1, gamma = 1/20). With ``--data`` also mnist (60,000 rows, odd
against even), connect-4 (67,557) and skin (245,057). Wall seconds, medians, one and two threads in
turn: run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from suite import Case, generated, read

from mercer import Gram, Solution, solve
from mercer.formulations import svc
from mercer.kernels import Gaussian


def fit(case: Case, threads: int) -> tuple[float, Solution]:
    problem = svc(case.y.astype(float), case.C).problem
    began = time.perf_counter()
    gram = Gram(Gaussian(gamma=case.gamma), case.X, n_threads=threads)
    solution = solve(problem, gram)
    return time.perf_counter() - began, solution


def report(case: Case, repeats: int) -> tuple[float, float]:
    """Prints a line; returns the seconds on one thread and on two."""
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(repeats):
        for threads, taken in seconds.items():
            passed, solution = fit(case, threads)
            taken.append(passed)
    one, two = (float(np.median(taken)) for taken in seconds.values())
    print(
        f"{case.name:28s} {len(case.y):7d} {np.count_nonzero(solution.coef):7d} {one:8.2f} "
        f"{two:8.2f} {one / two:5.2f} {solution.violation:8.1e} {solution.objective:.6g}",
        flush=True,
    )
    return one, two


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=[10_000, 20_000, 40_000, 80_000, 160_000]
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(
        f"{'case':28s} {'rows':>7s} {'SVs':>7s} {'one':>8s} {'two':>8s} {'ratio':>5s} "
        f"{'viol.':>8s} objective"
    )
    seconds = [report(generated(n, 20), options.repeats) for n in options.sizes]
    if len(seconds) > 1:
        slope = np.polyfit(np.log(options.sizes), np.log([one for one, _ in seconds]), 1)[0]
        print(f"time grows as rows^{slope:.2f}")
    if options.data is not None:
        seconds += [
            report(read(options.data, "mnist", 10.0, gamma=0.02), options.repeats),
            report(read(options.data, "connect-4", 1.0), options.repeats),
            report(read(options.data, "skin_nonskin", 10.0), options.repeats),
        ]
    ratio = np.exp(np.mean([np.log(one / two) for one, two in seconds]))
    print(f"two threads {ratio:.2f} times as fast in geometric mean")


if __name__ == "__main__":
    main()
