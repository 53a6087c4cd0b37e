"""Paths of many small hard problems: is every one followed, and optimal everywhere?

    python studies/random_paths.py [--problems 5000] [--first 0] [--accuracy 0]

Lattices, duplicates, contradictory labels, unbalanced and weighted classes, kernels of low rank:
the problems of the tests, as many as one likes. At breakpoints and between them the KKT conditions
are checked to 1e-8, or the duality gap of an approximate path to its accuracy. Prints every
failure.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from paths.path_cases import path_of, some_C, violation
from solvers.active_set_cases import random_case


def failure(seed: int, accuracy: float) -> tuple[str, int]:
    """What is wrong with one problem, "" if nothing; and its number of events."""
    case = random_case(seed, max_rows=30 if seed % 3 else 70)
    path = path_of(case, accuracy=accuracy)
    if path.status not in ("complete", "C_max", "trivial"):
        return path.status, len(path.events)
    for C in some_C(path, case.rng, 3):
        found = path.certificate(C).relative_gap if accuracy else violation(path, C)
        if found > max(accuracy * (1 + 1e-6), 1e-8):
            return f"off by {found:.1e} at C = {C:.6g}", len(path.events)
    return "", len(path.events)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--accuracy", type=float, default=0.0)
    options = parser.parse_args()
    failures = events = 0
    for seed in range(options.first, options.first + options.problems):
        wrong, count = failure(seed, options.accuracy)
        events += count
        if wrong:
            failures += 1
            print(f"problem {seed}: {wrong}", flush=True)
    print(f"{options.problems} problems, {events} events, {failures} failures")


if __name__ == "__main__":
    main()
