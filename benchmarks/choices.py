"""What a search chooses among: one width, a grid of every cell, several kernels, many widths.

    python benchmarks/choices.py run --data DIR --out FILE.json [--splits 3] [--methods auto grid]
    python benchmarks/choices.py table --out FILE.json

The sets and splits of tabular.py, features standardized unless ``--raw``, at most ``--most`` rows
to train. ``run`` adds what is missing to FILE, so that it can be run in pieces. ``table`` compares
every method with ``TunedSVC()`` (of numbers ``TunedSVR()``) on the same splits, in accuracy or R2:
by set the mean difference and its standard error, over all sets mean ranks, differences in standard
errors, CPU seconds, and how often the score on new rows lies in ``honest_interval_``.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.preprocessing import StandardScaler
from tabular import CLASSES, MOST_ROWS, NUMBERS, parts_of

from mercer import TunedRLSC, TunedSVC, TunedSVR

METHODS: dict[str, dict[str, Any]] = {
    "rbf": {},
    "grid": {"optimizer": "grid"},  # 10 x 10 cells, all of them on all rows
    "auto": {"kernel": "auto"},
    "ard": {"kernel": "ard"},
    "squared": {"loss": "squared_hinge"},
    "scaled": {"scale": True},
    "ard-alignment": {"kernel": "ard", "objective": "alignment"},
    "rlsc": {"make": TunedRLSC},  # of classes only
}
FEWEST_ROWS = 140  # to train: of sets of 200


def run(given: argparse.Namespace) -> None:
    data, out, methods = given.data, given.out, given.methods
    known = json.loads(out.read_text()) if out.exists() else []
    done = {(own["set"], own["split"], own["method"]) for own in known}
    end = time.monotonic() + given.seconds
    for split in range(given.splits):
        for name in given.sets:
            missing = [method for method in methods if (name, split, method) not in done]
            if not missing or time.monotonic() > end:
                continue
            parts = parts_of(data / f"{name}.npz", split, name in CLASSES.split(), given.most)
            for method in missing:
                options = {"scale": False, **METHODS[method]}
                found = judged(options, *parts, name in CLASSES.split(), given.raw)
                known.append({"set": name, "split": split, "method": method} | found)
            out.write_text(json.dumps(known, indent=0))


def judged(
    options: dict[str, Any],
    X: np.ndarray,
    new: np.ndarray,
    y: np.ndarray,
    truth: np.ndarray,
    is_class: bool,
    is_raw: bool,
) -> dict[str, Any]:
    """Score on new rows, CPU seconds, and whether that score was foretold."""
    options = options if is_class else {k: v for k, v in options.items() if k != "loss"}
    make = options.pop("make", TunedSVC if is_class else TunedSVR)
    machine = make(**options)
    scaler = StandardScaler(with_mean=not is_raw, with_std=not is_raw).fit(X)
    began = time.process_time()
    machine.fit(scaler.transform(X), y)
    cpu = time.process_time() - began
    predicted = machine.predict(scaler.transform(new))
    right = np.mean(predicted == truth) if is_class else -np.mean((predicted - truth) ** 2)
    low, high = machine.honest_interval_ or (np.nan, np.nan)
    score = float(right) if is_class else 1.0 + float(right) / float(np.var(truth))
    chosen = f"{type(machine.kernel_).__name__}{getattr(machine.kernel_, 'degree', '')}"
    if np.ndim(getattr(machine.kernel_, "gamma", 0.0)):
        chosen = "many widths"
    is_inside = None if np.isnan(low) else bool(low <= right <= high)
    return {"n": len(y), "cpu": cpu, "score": score, "kernel": chosen, "inside": is_inside}


def table(out: Path) -> None:
    known = json.loads(out.read_text())
    for method in dict.fromkeys(own["method"] for own in known):
        if method != "rbf":
            compared(known, method)
        told = [own["inside"] for own in known if own["method"] == method]
        told = [own for own in told if own is not None]
        if told:
            print(f"{method}: {100 * np.mean(told):.1f} % of {len(told)} inside honest_interval_")


def compared(known: list[dict[str, Any]], method: str) -> None:
    """A method beside one width by the usual search."""
    print(f"\n{method} - rbf: set, rows, splits, mean, standard error, in errors, CPU, kernels")
    means, errors, times, ranks = [], [], [], []
    for name, first, second in pairs(known, method):
        gain = np.array([b["score"] - a["score"] for a, b in zip(first, second, strict=True)])
        error = float(gain.std(ddof=1) / np.sqrt(len(gain))) if len(gain) > 1 else np.nan
        times.append(sum(own["cpu"] for own in second) / sum(own["cpu"] for own in first))
        means.append(float(gain.mean()))
        errors.append(error)
        ranks.append(rankdata([-0.0, -gain.mean()])[1])
        chosen = " ".join(sorted({own["kernel"] for own in second}))
        in_errors = means[-1] / error if error > 0 else 0.0
        print(
            f"{name:24} {first[0]['n']:5} {len(gain):2} {means[-1]:8.4f} {error:7.4f} "
            f"{in_errors:6.2f} {times[-1]:5.1f}  {chosen}"
        )
    if not means:
        return
    in_errors = np.array([m / e if e > 0 else 0.0 for m, e in zip(means, errors, strict=True)])
    print(
        f"{len(means)} sets: mean {np.mean(means):.4f}, in errors mean {in_errors.mean():.2f} "
        f"least {in_errors.min():.2f}; better {np.mean(np.array(means) > 0):.2f}, worse "
        f"{np.mean(np.array(means) < 0):.2f}, mean rank {np.mean(ranks):.2f} of 1 to 2; CPU "
        f"geometric mean {np.exp(np.mean(np.log(times))):.2f}, most {max(times):.2f}"
    )


def pairs(known: list[dict[str, Any]], method: str) -> Iterator[tuple[str, list[Any], list[Any]]]:
    """Of each set the splits that both methods have."""
    for name in dict.fromkeys(own["set"] for own in known):
        by_method: list[dict[int, Any]] = [
            {own["split"]: own for own in known if (own["set"], own["method"]) == (name, which)}
            for which in ("rbf", method)
        ]
        both = sorted(set(by_method[0]) & set(by_method[1]))
        if both and by_method[0][both[0]]["n"] >= FEWEST_ROWS:
            yield name, [by_method[0][k] for k in both], [by_method[1][k] for k in both]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["run", "table"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--methods", nargs="+", default=["rbf", "grid", "auto"])
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--sets", nargs="+", default=[*CLASSES.split(), *NUMBERS.split()])
    parser.add_argument("--most", type=int, default=MOST_ROWS)
    parser.add_argument("--raw", action="store_true")
    parser.add_argument("--seconds", type=float, default=480.0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.command == "run":
        run(given)
    else:
        table(given.out)


if __name__ == "__main__":
    main()
