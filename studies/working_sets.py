"""Working sets and steps: the comparisons of the papers, re-run.

    python studies/working_sets.py --data DIR [--tables NAME ...] [--rows 4000] [--permutations 6]

Tables in Markdown, medians over random orders of the rows, all in one process on one thread, CPU
seconds. Iterations, rows and seconds of every policy are divided by those of second order with
plain steps, unless a table says otherwise; p-values are those of Wilcoxon's test. Smo runs
without Newton refinement, as in the papers, but for the table "engines".

selections  most-violating, hybrid-maximum-gain, small cache (Glasmachers & Igel 2006, table 2)
cache       the same over sizes of the cache, and automatic (Glasmachers & Igel 2006, table 5)
cost        the same over the cost of kernel values: features are there several times
rows        maximum gain by the number of rows it looks at (Glasmachers & Igel 2006, tables 6 and 7)
steps       planning ahead and the other steps (Glasmachers 2008, section 7.2)
planning    planning ahead with more sets (Glasmachers 2008, section 7.2.4)
engines     what users get: the defaults, and what else they could have been
baselines   the trainers before: Osuna, Platt, SVM-light, SvmFu (Rifkin 2002, section 2.5)
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mercer import Chunked, Gram, Smo, certify
from mercer.formulations import svc
from mercer.kernels import Gaussian
from mercer.lab import Osuna, Platt, SvmFu, SvmLight, make_chessboard
from mercer.lab.comparison.compare import first_step, permuted, variable_order
from mercer.lab.comparison.result import Comparison, Measurement
from mercer.solvers.smo import PlanningAhead

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
from suite import Case, generated, read

# Name, C and gamma of the papers (Glasmachers & Igel 2006, table 1; Glasmachers 2008, section 7.2).
SELECTION_CASES = (("spambase", 50, 0.005), ("connect-4", 4.5, 0.2222), ("mnist", 50, 0.00265))
STEP_CASES = (
    ("banana", 100, 0.25), ("breast_cancer_ljubljana", 0.6, 0.1), ("diabetes", 0.5, 0.05),
    ("solar_flare", 1.5, 0.1), ("german_numer", 1, 0.05), ("heart", 1, 0.005),
    ("raetsch_image", 100, 0.1), ("ringnorm", 2, 0.1), ("splice", 10, 0.01),
    ("thyroid_new", 500, 0.05), ("titanic", 1000, 0.1), ("twonorm", 0.5, 0.02),
    ("waveform", 1, 0.05), ("ionosphere", 3, 0.4), ("spambase", 10, 0.005),
    ("connect-4", 4.5, 0.2),
)  # fmt: skip
ENGINE_CASES = (
    ("spambase", 1, None), ("spambase", 100, None), ("banana", 100, 0.25), ("satimage", 10, None),
    ("titanic", 1000, 0.1), ("letter", 10, None), ("waveform", 1, 0.05), ("ijcnn1", 32, 2.0),
    ("a9a", 1, 0.05), ("usps", 10, None),
)  # fmt: skip

COUNTED = ("iterations", "rows_computed", "seconds")


def plain(selection: Any = "second-order", step: Any = "newton") -> Smo:
    """The algorithm of the literature: pair steps alone."""
    return Smo(selection=selection, step=step, refine=False)


def chess(n: int, C: float) -> Case:
    X, y = make_chessboard(n, random_state=0)
    return Case(f"chess {n} C={C:g}", X, y, C, 0.5)


def noisy_chess(n: int) -> Case:
    """The noisy chess board of Glasmachers 2008, section 3.4."""
    X, y = make_chessboard(n, noise=0.1, random_state=0)
    return Case(f"noisy chess {n} C=10", X.astype(np.float32), y, 10.0, 2.0)


class Study:
    """Cases of at most so many rows, solved in so many orders."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.data, self.rows, self.permutations = args.data, args.rows, args.permutations
        self.seconds = args.seconds

    def case(self, name: str, C: float, gamma: float | None) -> Case:
        rows = min(self.rows, 2000) if name == "mnist" else self.rows  # it is that slow
        case = read(self.data, name, C, rows=rows, gamma=gamma)
        if name != "connect-4":
            return case
        # One column a field, 1, 0 or -1, as in the papers; the file has three columns a field.
        return replace(case, X=np.ascontiguousarray(case.X[:, 0::3] - case.X[:, 2::3]))

    def run(self, case: Case, solvers: Mapping[str, Any], share: float | None = None) -> Comparison:
        """All solvers on all orders, one after the other on each, with room for a share of K."""
        problem = svc(case.y.astype(float), case.C).problem
        n, rng = len(case.y), np.random.default_rng(0)
        gram = Gram(Gaussian(case.gamma), case.X, n_threads=1, cache_size=1e6)
        bytes_each = 4 if gram.precision == "single" else 8
        cache = None if share is None else max(3, share * n) * n * bytes_each / 2**20
        # All begin with the same two rows, whatever the order, as in the papers.
        start = first_step(problem, gram, (int(np.argmax(case.y)), int(np.argmin(case.y))))
        measured: dict[str, list[Measurement]] = {name: [] for name in solvers}
        for k in range(self.permutations):
            order = rng.permutation(n) if k else np.arange(n)
            # Who comes first pays for cold caches: everyone in turn.
            names = list(solvers)[k % len(solvers) :] + list(solvers)[: k % len(solvers)]
            for name in names:
                own = gram.reordered(order, cache_size=cache)
                began = time.process_time()
                solution = solvers[name].solve(
                    permuted(problem, order),
                    own,
                    start=start[variable_order(problem, order)],
                    max_time=self.seconds,
                )
                cpu = time.process_time() - began
                measured[name].append(replace(Measurement.of(solution), seconds=cpu))
        return Comparison({name: tuple(runs) for name, runs in measured.items()}, {})


def ratios(result: Comparison, name: str, first: str, *quantities: str) -> list[str]:
    """Quotients to the first solver; a star where p < 0.05, a cross where a run did not end."""
    cells = []
    for quantity in quantities:
        p = result.p_value(name, quantity)
        text = f"{result.ratio(name, first, quantity):.2f}" + ("*" if p < 0.05 else "")
        cells.append(text if result.values(name, "converged").all() else text + " †")
    return cells


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def head(*cells: str) -> None:
    row(*cells)
    row(*["---"] * len(cells))


def selections(study: Study) -> None:
    solvers = {
        name: plain(name) for name in ("second-order", "most-violating", "hybrid-maximum-gain")
    }
    solvers["auto"] = plain("auto")
    head("data", "cache", "policy", "iterations", "rows computed", "seconds", "÷ iterations",
         "÷ rows", "÷ seconds")  # fmt: skip
    cases = [
        (study.case(*case), share)
        for case, share in zip(SELECTION_CASES, (0.472, 0.0107, 0.01), strict=True)
    ]
    for case, share in [*cases, (chess(1000, 100.0), 0.01)]:
        result = study.run(case, solvers, share)
        for name in solvers:
            medians = [result.median(name, quantity) for quantity in COUNTED]
            texts = [f"{medians[0]:,.0f}", f"{medians[1]:,.0f}", f"{medians[2]:.2f}"]
            quotients = ratios(result, name, "second-order", *COUNTED)
            row(case.name, f"{share:.1%}", name, *texts, *quotients)


def cache(study: Study) -> None:
    solvers = {name: plain(name) for name in ("second-order", "hybrid-maximum-gain", "auto")}
    head("data", "cache", "rows: second order", "rows: hybrid ÷", "rows: auto ÷",
         "s: second order", "s: hybrid ÷", "s: auto ÷")  # fmt: skip
    cases = [study.case(*case) for case in (SELECTION_CASES[0], SELECTION_CASES[2])]
    for case in [*cases, chess(1000, 100.0)]:
        for share in (0.01, 0.03, 0.1, 0.3, 1.0):
            result = study.run(case, solvers, share)
            quotients = [
                ratios(result, name, "second-order", q)[0]
                for q in ("rows_computed", "seconds")
                for name in ("hybrid-maximum-gain", "auto")
            ]
            rows, seconds = (result.median("second-order", q) for q in ("rows_computed", "seconds"))
            row(
                case.name,
                f"{share:.0%}",
                f"{rows:,.0f}",
                *quotients[:2],
                f"{seconds:.2f}",
                *quotients[2:],
            )


def cost(study: Study) -> None:
    solvers = {name: plain(name) for name in ("second-order", "hybrid-maximum-gain", "auto")}
    head("data", "features", "s: second order", "s: hybrid ÷", "s: auto ÷")
    boards = (chess(2000, 100.0), noisy_chess(study.rows))
    for case in (*boards, study.case("letter", 10, None), study.case("spambase", 50, 0.005)):
        for features in (case.X.shape[1], 64, 128, 256, 512):
            # Every feature several times, smaller: the same kernel matrix at a higher price.
            copies = -(-features // case.X.shape[1])
            X = np.tile(case.X, (1, copies)) / np.sqrt(copies).astype(case.X.dtype)
            result = study.run(replace(case, X=X), solvers, 0.02)
            cells = [ratios(result, n, "second-order", "seconds")[0] for n in list(solvers)[1:]]
            row(case.name, X.shape[1], f"{result.median('second-order', 'seconds'):.2f}", *cells)


def rows_of_maximum_gain(study: Study) -> None:
    names = (
        "hybrid-maximum-gain",
        "one-row-maximum-gain",
        "recent-maximum-gain",
        "cached-maximum-gain",
    )
    head("data", "policy", "iterations", "÷ two rows", "÷ rows computed", "÷ seconds")
    for case in [
        study.case(*SELECTION_CASES[0]),
        study.case(*SELECTION_CASES[1]),
        chess(1000, 100.0),
    ]:
        result = study.run(case, {name: plain(name) for name in names}, 0.1)
        for name in names:
            iterations = f"{result.median(name, 'iterations'):,.0f}"
            row(case.name, name, iterations, *ratios(result, name, names[0], *COUNTED))


STEPS = ("newton", "planning-ahead", "over-relaxed", "momentum", "conjugate", "cycle-breaking")


def steps(study: Study) -> None:
    head("data", "rows", "iterations", *(f"{step}: it ÷ / s ÷" for step in STEPS[1:]))
    totals: dict[str, list[tuple[float, float]]] = {step: [] for step in STEPS[1:]}
    for case in [*(study.case(*case) for case in STEP_CASES), chess(1000, 1e6)]:
        result = study.run(case, {step: plain(step=step) for step in STEPS})
        cells = []
        for step in STEPS[1:]:
            cells.append(" / ".join(ratios(result, step, "newton", "iterations", "seconds")))
            totals[step].append(
                tuple(result.ratio(step, "newton", q) for q in ("iterations", "seconds"))
            )
        row(case.name, len(case.y), f"{result.median('newton', 'iterations'):,.0f}", *cells)
    means = {step: np.exp(np.log(values).mean(axis=0)) for step, values in totals.items()}
    row("**geometric mean**", "", "", *(f"**{a:.2f} / {b:.2f}**" for a, b in means.values()))


def planning(study: Study) -> None:
    numbers = (1, 2, 3, 5, 10, 20)
    head("data", *(f"N = {n}: it / s" for n in numbers))
    for case in (chess(300, 1e4), chess(1000, 1e6), study.case("banana", 100, 0.25)):
        result = study.run(case, {str(n): plain(step=PlanningAhead(n)) for n in numbers})
        row(
            case.name,
            *(" / ".join(ratios(result, str(n), "1", "iterations", "seconds")) for n in numbers),
        )


def engines(study: Study) -> None:
    solvers = {
        "smo newton": Smo(step="newton"),
        "smo planning-ahead": Smo(),
        "smo momentum": Smo(step="momentum"),
        "smo conjugate": Smo(step="conjugate"),
        "smo hybrid": Smo(selection="hybrid-maximum-gain"),
        "chunked": Chunked(),
    }
    head("data", "rows", "smo newton s", *(f"{name} ÷" for name in list(solvers)[1:]))
    totals: dict[str, list[float]] = {name: [] for name in list(solvers)[1:]}
    cases = [
        *(study.case(*case) for case in ENGINE_CASES),
        generated(study.rows, 20),
        chess(1000, 1e6),
    ]
    for case in cases:
        result = study.run(case, solvers)
        for name, values in totals.items():
            values.append(result.ratio(name, "smo newton", "seconds"))
        cells = [ratios(result, name, "smo newton", "seconds")[0] for name in totals]
        row(case.name, len(case.y), f"{result.median('smo newton', 'seconds'):.3f}", *cells)
    row(
        "**geometric mean**",
        "",
        "",
        *(f"**{np.exp(np.log(v).mean()):.2f}**" for v in totals.values()),
    )


def baselines(study: Study) -> None:
    solvers = {
        "smo": plain("auto"), "chunked": Chunked(), "osuna": Osuna(chunk_size=500),
        "platt": Platt(), "svmlight q=2": SvmLight(2), "svmlight q=10": SvmLight(10),
        "svmfu": SvmFu(chunk_size=500),
    }  # fmt: skip
    head("data", "solver", "iterations", "kernel values ÷ n²", "seconds", "objective", "violation")
    for case in (study.case("spambase", 10, 0.005), study.case("banana", 100, 0.25)):
        X, y = case.X[:1500], case.y[:1500].astype(float)
        problem = svc(y, case.C).problem
        for name, solver in solvers.items():
            gram, began = Gram(Gaussian(case.gamma), X, n_threads=1), time.process_time()
            solution = solver.solve(problem, gram, max_time=study.seconds)
            seconds = time.process_time() - began
            certificate = certify(problem, gram, solution.coef)
            work = [f"{solution.n_iter:,}", f"{solution.n_kernel / len(y) ** 2:.2f}"]
            quality = [f"{certificate.objective:.6f}", f"{certificate.violation:.1e}"]
            row(case.name, name, *work, f"{seconds:.2f}", *quality)


TABLES: dict[str, Callable[[Study], None]] = {
    "selections": selections, "cache": cache, "cost": cost, "rows": rows_of_maximum_gain,
    "steps": steps, "planning": planning, "engines": engines, "baselines": baselines,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the .npz files")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--rows", type=int, default=4000, help="most rows of a data set")
    parser.add_argument("--permutations", type=int, default=6, help="orders of the rows")
    parser.add_argument("--seconds", type=float, default=120.0, help="most seconds of one run")
    args = parser.parse_args()
    for name in args.tables:
        print(f"\n### {name}\n")
        TABLES[name](Study(args))
    print("\n* p < 0.05; † a run ended before it converged")


if __name__ == "__main__":
    main()
