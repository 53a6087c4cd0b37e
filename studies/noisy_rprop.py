"""NoisyRprop on the four noisy functions of Glasmachers 2008, section 11.4.

    python studies/noisy_rprop.py [--evals 10000000] [--seeds 3] [--figure FILE.png]

m and n are uniform on [0, 1] and drawn anew for every gradient:

    f1  the sign of x, with probability 3/4, else its opposite              optimum 0
    f2  (x - m)^2 + (y - n)^2                                               optimum (1/2, 1/2)
    f3  (x - m)^2 + 1.8 (x - m)(y - n) + (y - n)^2                          optimum (1/2, 1/2)
    f4  slope -3 left of m, +1 right of it                                  optimum 3/4, median 1/2

The error after powers of ten of gradients, for each seed; the figure has it all along.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mercer.selection.optimizers.noisy_rprop import Coordinate

BLOCK = 100_000


def f1(place: list[float], draws: list[float]) -> list[float]:
    sign = float(np.sign(place[0]))
    return [sign if draws[0] < 0.75 else -sign]


def f2(place: list[float], draws: list[float]) -> list[float]:
    return [2.0 * (x - m) for x, m in zip(place, draws, strict=True)]


def f3(place: list[float], draws: list[float]) -> list[float]:
    x, y = (at - m for at, m in zip(place, draws, strict=True))
    return [2.0 * x + 1.8 * y, 1.8 * x + 2.0 * y]


def f4(place: list[float], draws: list[float]) -> list[float]:
    return [-3.0 if place[0] < draws[0] else 1.0]


Gradient = Callable[[list[float], list[float]], list[float]]
CASES: dict[str, tuple[Gradient, list[float], list[float]]] = {
    "f1": (f1, [1.0037], [0.0]),
    "f2": (f2, [1.2071, 1.2071], [0.5, 0.5]),
    "f3": (f3, [1.2071, 1.2071], [0.5, 0.5]),
    "f4": (f4, [1.7537], [0.75]),
}


def search(name: str, seed: int, evals: int) -> dict[int, float]:
    """Errors at growing numbers of gradients."""
    gradient, start, optimum = CASES[name]
    random, place, errors, count = np.random.default_rng(seed), list(start), {}, 0
    coordinates, due = [Coordinate(0.01) for _ in place], 10.0
    while count < evals:
        for draws in random.random((min(BLOCK, evals - count), len(place))).tolist():
            count += 1
            found = gradient(place, draws)
            for k, coordinate in enumerate(coordinates):
                place[k] += coordinate.take(found[k])
            if count >= due:
                errors[count] = float(np.hypot.reduce(np.subtract(place, optimum)))
                due *= 10.0**0.05
    errors[count] = float(np.hypot.reduce(np.subtract(place, optimum)))
    return errors


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--evals", type=int, default=10_000_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    found: dict[str, list[dict[int, float]]] = {}
    for name in CASES:
        found[name] = [search(name, seed, options.evals) for seed in range(options.seeds)]
        for errors in found[name]:
            powers = [10**k for k in range(3, 12) if 10**k <= options.evals]
            shown = [errors[min(errors, key=lambda count: abs(count - p))] for p in powers]
            print(name, *(f"{p:.0e}: {e:.1e}" for p, e in zip(powers, shown, strict=True)))
    if options.figure:
        draw(found, options.figure)


def draw(found: dict[str, list[dict[int, float]]], file: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(found), figsize=(14, 3.2), layout="constrained")
    for ax, (name, runs) in zip(axes, found.items(), strict=True):
        for errors in runs:
            counts = [count for count in errors if errors[count] > 0.0]
            ax.loglog(counts, [errors[count] for count in counts])
        ax.set_title(name)
        ax.set_xlabel("gradients")
    axes[0].set_ylabel("distance from the optimum")
    figure.savefig(file, dpi=110)


if __name__ == "__main__":
    main()
