"""
A cluster of two processes
==========================

Fit, predict lazily, take the machine home.
"""

from __future__ import annotations

import dask.array as da
from distributed import Client, LocalCluster

from mercer.dask import DaskRLSC


def main() -> None:
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        X = da.random.default_rng(0).normal(size=(20_000, 5), chunks=(3_000, 5))
        y = ((X[:, :3] ** 2).sum(axis=1) > 3).astype(int)
        machine = DaskRLSC(alpha="loo", low_rank=100, client=client).fit(X, y)
        print(f"alpha {machine.alpha_:.3g}, leave-one-out error {machine.loo_error_:.4f}")

        again = DaskRLSC(alpha="loo", low_rank=100, client=client).fit(X.rechunk((7_000, 5)), y)
        print("other partitions, same bytes:", same_bytes(machine, again))

        labels = machine.predict(X)  # nothing is computed yet
        print(f"accuracy {float((labels == y).mean().compute()):.4f}")
        print(machine.to_local())


def same_bytes(first: DaskRLSC, second: DaskRLSC) -> bool:
    return bool(first.dual_coef_.tobytes() == second.dual_coef_.tobytes())


if __name__ == "__main__":
    main()
