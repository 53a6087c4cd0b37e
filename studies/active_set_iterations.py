"""Inner iterations of the active-set solver on simulated Gaussians (Sentelle 2014, table 5.5).

    python studies/active_set_iterations.py [--draws 5]

Two classes of 500 rows, N(0, I) and N(0.1, I) in d dimensions, linear kernel, every variable priced
at every step, tolerance 1e-3. Beside the iterations (ratio tests) printed for the source's own
program: the mean over several draws, and the ratio. The source does not say which draw it used.
Prints a table in Markdown.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from mercer import ActiveSet, Gram, solve
from mercer.formulations import svc
from mercer.kernels import Linear

PRINTED = {
    (5, 10): 3301, (5, 1000): 3587, (50, 10): 3888, (50, 1000): 5240,
    (100, 10): 3394, (100, 1000): 5768, (200, 10): 2598, (200, 1000): 4600,
}  # fmt: skip


def draw(d: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows and labels."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1.0, -1.0], 500)
    return rng.normal(size=(1000, d)) + 0.1 * (y[:, None] > 0), y


def iterations(d: int, C: float, seed: int) -> tuple[int, int]:
    """Inner iterations and the largest basis of one draw."""
    X, y = draw(d, seed)
    solver = ActiveSet(pricing="full", shrinking=False, refine=False)
    gram = Gram(Linear(), X, precision="double")
    solution = solve(svc(y, C).problem, gram, solver, tol=1e-3)
    return solution.n_iter, solution.trace["largest_basis"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    print("| d | C | source | ours, mean | ratio | least and most | largest basis |")
    print("|---|---|---|---|---|---|---|")
    for (d, C), printed in PRINTED.items():
        found = [iterations(d, C, seed) for seed in range(options.draws)]
        counts, sizes = zip(*found, strict=True)
        mean = np.mean(counts)
        print(
            f"| {d} | {C} | {printed} | {mean:.0f} | {mean / printed:.2f} "
            f"| {min(counts)}, {max(counts)} | {max(sizes)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
