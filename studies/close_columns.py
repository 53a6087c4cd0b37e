"""Whether a machine of a code gains from the solution of a column that is like its own.

    python studies/close_columns.py --data DIR [--sets satimage,pendigits,glass] [--rows 2000]

The columns of the complete code (of up to six classes) or of a dense one are brought into an order
in which neighbours agree in as many classes as can be, up to their sign. Their machines, Gaussian
kernel, are then trained one after the other on one Gram, from zero and from the solution before,
moved into the box. Shown are steps, CPU seconds (the less of two runs) and the sum of objectives.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from codes import read
from mercer import Gram, solve
from mercer.codes import make_code
from mercer.formulations import svc
from mercer.kernels import Gaussian

PRICES = (1.0, 10.0, 100.0)
Column = NDArray[np.int64]


def in_order_of_likeness(columns: list[Column]) -> list[Column]:
    """Each column followed by the nearest of the others, negated where that is nearer."""
    order, left = columns[:1], columns[1:]
    while left:
        nearest = max(range(len(left)), key=lambda k: abs(int(left[k] @ order[-1])))
        column = left.pop(nearest)
        order.append(column if int(column @ order[-1]) >= 0 else -column)
    return order


def train(
    gram: Gram, labels: NDArray[np.intp], columns: list[Column], C: float, *, warm: bool
) -> tuple[int, float, float]:
    """Steps, seconds and summed objectives of all machines."""
    steps, objective, before = 0, 0.0, None
    began = time.process_time()
    for column in columns:
        problem = svc(column[labels].astype(float), C).problem
        start = None
        if warm and before is not None:
            start = np.clip(before, problem.lower, problem.upper)
        found = solve(problem, gram, tol=1e-3, start=start)
        before = found.coef
        steps, objective = steps + found.n_iter, objective + found.objective
    return steps, time.process_time() - began, objective


def compare(directory: Path, name: str, rows: int) -> None:
    data = read(directory, name)
    X, y = data.X[:rows], data.y[:rows]
    classes, labels = np.unique(y, return_inverse=True)
    code = make_code("complete" if len(classes) <= 6 else "dense", len(classes))
    columns = in_order_of_likeness([column.astype(np.int64) for column in code.matrix.T])
    for C in PRICES:
        found = {}
        for warm in (False, True):
            runs = []
            for _ in range(2):
                gram = Gram(Gaussian(1.0 / X.shape[1]), X, n_threads=1)
                runs.append(train(gram, labels, columns, C, warm=warm))
            found[warm] = min(runs, key=lambda run: run[1])
        cold, warm_run = found[False], found[True]
        print(
            f"{name:10} {len(columns):3} columns  C={C:<5g} "
            f"steps {cold[0]:7} {warm_run[0]:7}  seconds {cold[1]:.3f} {warm_run[1]:.3f}  "
            f"objective {cold[2]:.6g} {warm_run[2]:.6g}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default="satimage,pendigits,glass")
    parser.add_argument("--rows", type=int, default=2000)
    options = parser.parse_args()
    print("             from zero, from the column before")
    for name in options.sets.split(","):
        compare(options.data, name, options.rows)


if __name__ == "__main__":
    main()
