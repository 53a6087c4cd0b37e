"""Training time next to scikit-learn's SVC or scikit-learn-intelex's, certified.

    python benchmarks/train.py [--data DIR] [--cases NAME ...] [--threads 1] [--repeats 3]
                               [--peer libsvm | intelex | none]

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

from mercer import Certificate, Gram, Problem, Solution, certify, solve
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


def fit_peer(kind: type, case: Case, rows: object) -> SVC:
    return kind(C=case.C, gamma=case.gamma, cache_size=2000).fit(rows, case.y)


def peer_runs(peer: str, case: Case) -> tuple[type, list[object]]:
    """The peer's class, and the rows in every form it may be fastest on."""
    if peer == "intelex":
        import daal4py
        import sklearnex.svm

        daal4py.daalinit(1)
        return sklearnex.svm.SVC, [case.X.astype(np.float64), case.X]
    nearly_sparse = np.count_nonzero(case.X) < 0.5 * case.X.size
    return SVC, [case.X, sp.csr_matrix(case.X)] if nearly_sparse else [case.X]


def peer_coef(case: Case, machine: SVC) -> np.ndarray:
    coef = np.zeros(len(case.y))
    dual = machine.dual_coef_
    coef[machine.support_] = (dual.toarray() if sp.issparse(dual) else dual)[0]
    return coef


def floor(case: Case, coef: np.ndarray, threads: int) -> float:
    gram = Gram(Gaussian(gamma=case.gamma), case.X, n_threads=threads, precision="single")
    gram.native()
    columns = np.flatnonzero(coef)
    return timed(lambda: gram.product(columns, coef[columns]), threads)[0]


def certified_peer(peer: str, case: Case, problem: Problem) -> tuple[float, Certificate]:
    """Seconds and certificate of the fastest form that reaches the tolerance, or of the first."""
    gram = Gram(Gaussian(gamma=case.gamma), case.X, precision="double")
    kind, forms = peer_runs(peer, case)
    runs = []
    for form in forms:
        seconds, machine = timed(lambda form=form: fit_peer(kind, case, form), 1)
        coef = np.clip(peer_coef(case, machine), problem.lower, problem.upper)
        runs.append((seconds, certify(problem, gram, coef)))
    good = [run for run in runs if run[1].violation <= 1.1e-3]
    return min(good, key=lambda run: run[0]) if good else runs[0]


def row(case: Case, threads: int, repeats: int, peer: str) -> tuple[str, float]:
    problem = svc(case.y.astype(float), case.C).problem
    ours = []
    for _ in range(repeats):
        seconds, solution = timed(lambda: fit_mercer(case, problem, threads), threads)
        ours.append(seconds)
    ratio, other = float("nan"), "-"
    if peer != "none":
        theirs, certificate = certified_peer(peer, case, problem)
        ratio = theirs / median(ours)
        behind = (solution.objective - certificate.objective) / abs(certificate.objective)
        other = f"{theirs:8.3f} {certificate.violation:8.1e} {behind:+9.1e} {ratio:6.1f}"
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
    parser.add_argument("--peer", choices=["libsvm", "intelex", "none"], default="libsvm")
    options = parser.parse_args()
    known = cases(options.data)
    print(
        f"{'case':24s} {'rows':>7s} {'d':>4s} {'SVs':>6s} {'mercer':>8s} {'floor':>7s} "
        f"{'viol.':>8s} {'status':9s} {'peer':>8s} {'viol.':>8s} {'dual +-':>9s} {'ratio':>6s}"
    )
    ratios = []
    for name in options.cases or known:
        text, ratio = row(known[name](), options.threads, options.repeats, options.peer)
        ratios.append(ratio)
        print(text, flush=True)
    if options.peer != "none":
        print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.1f}, least {min(ratios):.1f}")


if __name__ == "__main__":
    main()
