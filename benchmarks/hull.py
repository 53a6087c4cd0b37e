"""Nearest points of hulls: many small pairs beside coal and a QP solver, and two large clouds.

    python benchmarks/hull.py pairs [--vertices 10 30 100] [--pairs 20000] [--peers coal clarabel]
    python benchmarks/hull.py clouds [--rows 100000] [--features 10] [--mu 0.001]

``pairs`` takes random polytopes in three dimensions, the vertices on a sphere of radius 1, whose
centres are 1.5 to 6 apart: some overlap. One thread. ``mercer`` is one call of
``nearest_points_many`` for all pairs; "next frame" is the same after every polytope has moved by a
hundredth, started from the last result. The peers are called from Python pair by pair: coal's GJK
on convex shapes that were made before ("coal" to a tolerance of 1e-12, "coal 1e-6" to its own), and
clarabel on the quadratic program of each pair, of the first 4000 and 300 pairs. They run in turns,
so that a busy machine slows all; medians of CPU time. The largest difference of distances is shown
beside, over pairs that are apart; of mercer its own largest gap.

``clouds`` finds the nearest points of two clouds of many rows, as convex and as reduced hulls, and
by general solvers on the same problem.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.hull import nearest_points, nearest_points_many

FloatArray = NDArray[np.float64]
REPEATS = 5
FEW = {"coal": 4000, "coal 1e-6": 4000, "clarabel": 300}  # pairs of those that take long


def polytopes(
    n_pairs: int, n_vertices: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Points on unit spheres, turned and moved apart."""
    shapes = rng.normal(size=(2, n_pairs, n_vertices, 3))
    shapes /= np.linalg.norm(shapes, axis=-1, keepdims=True)
    away = rng.normal(size=(n_pairs, 1, 3))
    away *= rng.uniform(1.5, 6.0, (n_pairs, 1, 1)) / np.linalg.norm(away, axis=-1, keepdims=True)
    return shapes[0], shapes[1] + away


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = process_time()
    found = work()
    return process_time() - began, found


def by_coal(A: FloatArray, B: FloatArray, tolerance: float = 1e-12) -> Callable[[], FloatArray]:
    """Distances by coal, pair by pair; overlapping pairs have a negative one."""
    import coal
    from scipy.spatial import ConvexHull

    def convex(points: FloatArray) -> Any:
        vertices = coal.StdVec_Vec3s()
        vertices.extend(list(points))
        faces = coal.StdVec_Triangle()
        for a, b, c in ConvexHull(points).simplices:
            faces.append(coal.Triangle(int(a), int(b), int(c)))
        return coal.Convex(vertices, faces)

    shapes = [(convex(a), convex(b)) for a, b in zip(A, B, strict=True)]
    here, request = coal.Transform3s.Identity(), coal.DistanceRequest()
    request.gjk_tolerance = tolerance
    request.gjk_max_iterations = 1000
    request.enable_signed_distance = False  # how deep pairs overlap is not asked for
    result = coal.DistanceResult()

    def run() -> FloatArray:
        found = np.empty(len(shapes))
        for k, (a, b) in enumerate(shapes):
            result.clear()
            found[k] = coal.distance(a, here, b, here, request, result)
        return found

    return run


def by_clarabel(A: FloatArray, B: FloatArray) -> Callable[[], FloatArray]:
    """Distances by an interior point method, pair by pair: |z| least with z = A'a - B'b."""
    import clarabel
    from scipy import sparse

    n, m = A.shape[1], B.shape[1]
    P = sparse.csc_matrix((np.ones(3), (range(n + m, n + m + 3),) * 2), shape=(n + m + 3,) * 2)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    sums = np.zeros((2, n + m + 3))
    sums[0, :n] = sums[1, n : n + m] = 1.0
    box = np.hstack([-np.eye(n + m), np.zeros((n + m, 3))])
    right = np.concatenate([[1.0, 1.0, 0.0, 0.0, 0.0], np.zeros(n + m)])
    cones = [clarabel.ZeroConeT(5), clarabel.NonnegativeConeT(n + m)]

    def run() -> FloatArray:
        found = np.empty(len(A))
        for k, (a, b) in enumerate(zip(A, B, strict=True)):
            equal = np.hstack([a.T, -b.T, -np.eye(3)])
            rows = sparse.csc_matrix(np.vstack([sums, equal, box]))
            q = np.zeros(n + m + 3)
            solver = clarabel.DefaultSolver(P, q, rows, right, cones, settings)
            found[k] = np.linalg.norm(np.array(solver.solve().x)[-3:])
        return found

    return run


PEERS = {
    "coal": by_coal,
    "coal 1e-6": partial(by_coal, tolerance=1e-6),
    "clarabel": by_clarabel,
}


def compare_pairs(args: argparse.Namespace) -> None:
    print("| vertices | solver | us a pair | pairs a second | times mercer | differs by |")
    print("|---|---|---|---|---|---|")
    for n_vertices in args.vertices:
        rng = np.random.default_rng(n_vertices)
        A, B = polytopes(args.pairs, n_vertices, rng)
        first = nearest_points_many(A, B, n_threads=1)
        moved = B + 0.01 * rng.normal(size=(args.pairs, 1, 3))
        work: dict[str, tuple[Callable[[], Any], int]] = {
            "mercer": (lambda A=A, B=B: nearest_points_many(A, B, n_threads=1), args.pairs),
            "mercer, next frame": (
                lambda A=A, B=moved, first=first: nearest_points_many(
                    A, B, start=first, n_threads=1
                ),
                args.pairs,
            ),
        }
        for name in args.peers:
            few = min(args.pairs, FEW[name])
            work[name] = (PEERS[name](A[:few], B[:few]), few)
        seconds: dict[str, list[float]] = {name: [] for name in work}
        results: dict[str, Any] = {}
        for _ in range(REPEATS):
            for name, (run, count) in work.items():
                spent, results[name] = timed(run)
                seconds[name].append(spent / count)
        own = median(seconds["mercer"])
        for name, spent in seconds.items():
            each = median(spent)
            print(
                f"| {n_vertices} | {name} | {1e6 * each:.2f} | {1 / each:,.0f} | {each / own:.2f} "
                f"| {difference(name, results, first.distance):.1e} |",
                flush=True,
            )
        print(f"| {n_vertices} | overlap: {100 * first.overlap.mean():.0f} % | | | | |", flush=True)


def difference(name: str, results: dict[str, Any], distance: FloatArray) -> float:
    """From mercer's distances, of pairs that are apart; of mercer its own largest gap."""
    if name.startswith("mercer"):
        return float(results[name].gap.max())
    own = distance[: len(results[name])]
    apart = own > 1e-6
    return float(np.abs(results[name] - own)[apart].max())


def compare_clouds(args: argparse.Namespace) -> None:
    rng = np.random.default_rng(0)
    A, B = (rng.normal(size=(args.rows, args.features)) for _ in range(2))
    A[:, 0] += 4.0 * np.sqrt(args.features)
    print("| hulls | solver | seconds | distance | gap | rows with a coefficient | steps |")
    print("|---|---|---|---|---|---|---|")
    for mu, name in ((None, "convex"), (args.mu, f"reduced, mu = {args.mu:g}")):
        for solver in ("wolfe", *args.solvers):
            began = perf_counter()
            found = nearest_points(A, B, mu=mu, solver=solver)
            spent = perf_counter() - began
            rows = np.count_nonzero(found.coef_a) + np.count_nonzero(found.coef_b)
            print(
                f"| {name} | {solver} | {spent:.2f} | {found.distance:.12g} | {found.gap:.1e} | "
                f"{rows} | {found.n_iter} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    pairs = commands.add_parser("pairs")
    pairs.add_argument("--vertices", type=int, nargs="+", default=[10, 30, 100])
    pairs.add_argument("--pairs", type=int, default=20_000)
    pairs.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    pairs.set_defaults(run=compare_pairs)
    clouds = commands.add_parser("clouds")
    clouds.add_argument("--rows", type=int, default=100_000)
    clouds.add_argument("--features", type=int, default=10)
    clouds.add_argument("--mu", type=float, default=1e-3)
    clouds.add_argument("--solvers", nargs="*", default=["chunked"])
    clouds.set_defaults(run=compare_clouds)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
