"""Training time next to scikit-learn's SVC, certified.

    python benchmarks/train.py [--data DIR] [--cases NAME ...] [--threads 1] [--repeats 3]

One run, side by side: medians of CPU seconds on one thread (wall seconds on more), the violation of
both recomputed in double precision, the dual objective of both, the number of support vectors, and
the cost of verifying the optimum (all support vectors against all rows) as the floor.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import scipy.sparse as sp
from sklearn.svm import SVC
from suite import Case, cases

from mercer import Gram, Problem, Solution, certify, solve
from mercer.formulations import svc
from mercer.kernels import Gaussian


def timed(work: Callable[[], object], threads: int) -> tuple[float, object]:
    clock = time.process_time if threads == 1 else time.perf_counter
    began = clock()
    result = work()
    return clock() - began, result


def fit_mercer(case: Case, problem: Problem, threads: int) -> Solution:
    gram = Gram(Gaussian(gamma=case.gamma), case.X, n_threads=threads, precision="single")
    return solve(problem, gram, tol=1e-3)


def fit_libsvm(case: Case, rows: object) -> SVC:
    return SVC(C=case.C, gamma=case.gamma, cache_size=2000).fit(rows, case.y)


def libsvm_coef(case: Case, machine: SVC) -> np.ndarray:
    coef = np.zeros(len(case.y))
    dual = machine.dual_coef_
    coef[machine.support_] = (dual.toarray() if sp.issparse(dual) else dual)[0]
    return coef


def floor(case: Case, coef: np.ndarray, threads: int) -> float:
    gram = Gram(Gaussian(gamma=case.gamma), case.X, n_threads=threads, precision="single")
    gram.native()
    columns = np.flatnonzero(coef)
    return timed(lambda: gram.product(columns, coef[columns]), threads)[0]


def row(case: Case, threads: int, repeats: int, peer: bool) -> tuple[str, float]:
    problem = svc(case.y.astype(float), case.C).problem
    ours, theirs = [], []
    nearly_sparse = np.count_nonzero(case.X) < 0.5 * case.X.size
    forms = [case.X, sp.csr_matrix(case.X)] if nearly_sparse else [case.X]
    for repeat in range(repeats):
        seconds, solution = timed(lambda: fit_mercer(case, problem, threads), threads)
        ours.append(seconds)
        if peer and repeat == 0:
            runs = [timed(lambda form=form: fit_libsvm(case, form), 1) for form in forms]
            seconds, machine = min(runs, key=lambda run: run[0])
            theirs.append(seconds)
    gram = Gram(Gaussian(gamma=case.gamma), case.X, precision="double")
    ratio, other = float("nan"), "-"
    if peer:
        certificate = certify(
            problem, gram, np.clip(libsvm_coef(case, machine), problem.lower, problem.upper)
        )
        ratio = theirs[0] / median(ours)
        behind = (solution.objective - certificate.objective) / abs(certificate.objective)
        other = f"{theirs[0]:8.3f} {certificate.violation:8.1e} {behind:+9.1e} {ratio:6.1f}"
    text = (
        f"{case.name:24s} {len(case.y):7d} {case.X.shape[1]:4d} "
        f"{np.count_nonzero(solution.coef):6d} {median(ours):8.3f} "
        f"{floor(case, solution.coef, threads):7.3f} {solution.violation:8.1e} "
        f"{solution.status[:9]:9s} {other}"
    )
    return text, ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--cases", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-peer", action="store_true")
    options = parser.parse_args()
    known = cases(options.data)
    print(
        f"{'case':24s} {'rows':>7s} {'d':>4s} {'SVs':>6s} {'mercer':>8s} {'floor':>7s} "
        f"{'viol.':>8s} {'status':9s} {'libsvm':>8s} {'viol.':>8s} {'dual +-':>9s} {'ratio':>6s}"
    )
    ratios = []
    for name in options.cases or known:
        text, ratio = row(known[name](), options.threads, options.repeats, not options.no_peer)
        ratios.append(ratio)
        print(text, flush=True)
    if not options.no_peer:
        print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.1f}, least {min(ratios):.1f}")


if __name__ == "__main__":
    main()
