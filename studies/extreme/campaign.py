"""Run random problems of extreme magnitudes and say what went wrong, if anything.

    python studies/extreme/campaign.py --count 300 --seconds 120

Every batch of problems runs in a child process with limits of time and memory. Wrong are: a
signal, a child that hangs, an exception other than ValueError or TypeError, numbers that are not
finite where every status says "converged", and a converged solution that is not feasible. The
exit status tells.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from problems import numbers_of, problem, solutions_of

_BATCH = 25
_DONE = ("converged", "complete", "C_max", "nu_min", "trivial")


def fault_of(seed: int) -> str | None:
    """What is wrong with the result of a problem; None if nothing."""
    extreme = problem(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = extreme.run()
            return _judge(result, extreme.X)
        except (ValueError, TypeError):
            return None
        except Exception as error:
            return f"{type(error).__name__}: {error}"


def _judge(result: Any, X: Any) -> str | None:
    solutions = solutions_of(result)
    for solution in solutions:
        is_done = solution.status == "converged"
        if is_done and not getattr(solution, "infeasibility", 0.0) <= 1e-9:
            return f"converged, but infeasible by {solution.infeasibility}"
        if is_done and not np.isfinite(solution.violation):
            return f"converged with a violation of {solution.violation}"
    if all(solution.status in _DONE for solution in solutions):
        for values in numbers_of(result, X):
            if not np.isfinite(values).all():
                return "numbers that are not finite, and no status says so"
    return None


def _limit(gigabytes: float) -> None:
    if gigabytes > 0:
        size = int(gigabytes * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def run_batch(seeds: range) -> None:
    """Print a line before each problem, and one for each fault."""
    for seed in seeds:
        print("begin", seed, flush=True)
        fault = fault_of(seed)
        if fault is not None:
            print("fault", seed, fault.replace("\n", " "), flush=True)


def _faults_of_child(seeds: range, patience: float, gigabytes: float) -> list[str]:
    command = [sys.executable, __file__, "--batch", str(seeds.start), str(seeds.stop)]
    environment = os.environ | {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"}
    try:
        child = subprocess.run(
            command, capture_output=True, text=True, timeout=patience, check=False,
            env=environment, preexec_fn=lambda: _limit(gigabytes),
        )  # fmt: skip
    except subprocess.TimeoutExpired as hung:
        said = hung.stdout or ""
        lines = (said.decode() if isinstance(said, bytes) else said).splitlines()
        return [f"problem {_last(lines)}: hangs ({patience:g} s for a batch)"]
    lines = child.stdout.splitlines()
    faults = [f"problem {line.removeprefix('fault ')}" for line in lines if line[:5] == "fault"]
    if child.returncode != 0:
        reason = f"exit status {child.returncode}"
        faults.append(f"problem {_last(lines)}: {reason}\n{child.stderr[-4000:]}")
    return faults


def _last(lines: list[str]) -> str:
    begun = [line.split()[1] for line in lines if line.startswith("begin")]
    return begun[-1] if begun else "none"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="number of problems")
    parser.add_argument("--first", type=int, default=0, help="number of the first problem")
    parser.add_argument("--seconds", type=float, default=np.inf, help="when to begin no more")
    parser.add_argument("--patience", type=float, default=120.0, help="seconds for a batch")
    parser.add_argument("--memory", type=float, default=4.0, help="GB of a child, 0: any")
    parser.add_argument("--batch", type=int, nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.batch:
        run_batch(range(*given.batch))
        return 0
    began, n_run, n_faults = time.perf_counter(), 0, 0
    for start in range(given.first, given.first + given.count, _BATCH):
        if time.perf_counter() - began > given.seconds:
            break
        seeds = range(start, min(start + _BATCH, given.first + given.count))
        for fault in _faults_of_child(seeds, given.patience, given.memory):
            n_faults += 1
            print(fault, flush=True)
        n_run += len(seeds)
    print(f"{n_run} problems, {n_faults} faults, {time.perf_counter() - began:.0f} s")
    return int(n_faults > 0)


if __name__ == "__main__":
    sys.exit(main())
