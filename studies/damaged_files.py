"""Open thousands of damaged and crafted model files.

Each is a model file that was cut short, or has bytes changed (in the archive, or in one of its
entries with the checksum made to agree), or has parts of its description replaced by others.
Every one must be refused with a ValueError, or be a model that predicts.

    python studies/damaged_files.py --count 2000
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "io"))

import damage
from test_damaged_files import MODELS, X

from mercer.io import save

KINDS = ("truncated", "flipped", "resealed", "crafted")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="files of each kind and model")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'model':12} {'damage':10} {'refused':>8} {'loaded':>8} {'slowest':>9}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.mercer"
        for name, make in MODELS.items():
            save(make(), path)
            content = path.read_bytes()
            for kind in KINDS:
                report(name, kind, content, path, options)


def report(name: str, kind: str, content: bytes, path: Path, options: argparse.Namespace) -> None:
    counts: Counter[str] = Counter()
    slowest = 0.0
    rng = np.random.default_rng(options.seed)
    for damaged in getattr(damage, kind)(content, options.count, rng):
        began = time.perf_counter()
        counts[damage.opened(damaged, path, X.round())] += 1
        slowest = max(slowest, time.perf_counter() - began)
    print(f"{name:12} {kind:10} {counts['refused']:8} {counts['loaded']:8} {slowest:7.3f} s")


if __name__ == "__main__":
    main()
