"""Thousands of problems at the edges of double precision: no crash, no hang, no false claim.

    python studies/extreme/campaign.py [--problems 20000] [--first 0] [--jobs 2] [--seconds 60]
        [--memory 6] [--end-after SECONDS]

Each batch runs in a child process with limits of memory (GB; 0: none, as sanitizers need) and of
time for a problem. A problem may be refused by a
ValueError or TypeError, or end with a status or a warning; where a machine says "converged" the
KKT conditions are checked in long double from rows and coefficients alone. Prints what is wrong,
each with the number that makes the problem again (``--problems 1 --first NUMBER``), and exits
with 1 if anything is.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

BATCH = 100


def work(first: int, last: int) -> None:
    """What a child does: a line when a problem begins, and one when it ends."""
    from judge import judge
    from problems import draw

    for seed in range(first, last):
        problem = draw(seed)
        solver = problem.parameters.get("solver", "auto")
        print(f"{seed} {problem.name} {'default' if problem.is_default else solver!r}", flush=True)
        print(judge(problem).replace("\n", " "), flush=True)


def limit_memory(gigabytes: float) -> None:
    """Of this process; 0 means no limit."""
    if gigabytes:
        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30),) * 2)


def supervise(first: int, last: int, options: argparse.Namespace, found: Counter[str]) -> None:
    """Run a batch in a child; go on behind a problem that killed it or was too slow."""
    while first < last and time.monotonic() < options.deadline:
        child = subprocess.Popen(
            [sys.executable, __file__, "--child", str(first), str(last)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            preexec_fn=lambda: limit_memory(options.memory),
        )
        assert child.stdout is not None
        current, is_late = "", False

        def stop(child: subprocess.Popen[str] = child) -> None:
            nonlocal is_late
            is_late = True
            child.kill()

        while True:
            timer = threading.Timer(options.seconds, stop)
            timer.start()
            line = child.stdout.readline().strip()
            timer.cancel()
            if not line:
                break
            if line[0].isdigit():
                current, first = line, int(line.split()[0]) + 1
            else:
                record(current, line, found)
                current = ""
                if time.monotonic() > options.deadline:
                    child.kill()
                    child.wait()
                    return
        code = child.wait()
        if current:
            slow = "slow" if "default" not in current else "WRONG: hang"
            record(current, slow if is_late else f"WRONG: ended with code {code}", found)
        elif code and not is_late:
            record(f"{first} start", f"WRONG: ended with code {code}", found)
            first += 1


def record(problem: str, verdict: str, found: Counter[str]) -> None:
    """Count a verdict, and show it if it is bad."""
    found[verdict.split(":")[0]] += 1
    if verdict.startswith(("WRONG", "slow")):
        print(f"problem {problem}: {verdict}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--memory", type=float, default=6.0)
    parser.add_argument("--end-after", type=float, default=float("inf"))
    parser.add_argument("--child", type=int, nargs=2)
    options = parser.parse_args()
    if options.child:
        work(*options.child)
        return
    options.deadline = time.monotonic() + options.end_after
    found: Counter[str] = Counter()
    end = options.first + options.problems
    with ThreadPoolExecutor(options.jobs) as pool:
        for start in range(options.first, end, BATCH):
            pool.submit(supervise, start, min(start + BATCH, end), options, found)
    print(", ".join(f"{count} {verdict}" for verdict, count in found.most_common()))
    sys.exit(1 if found["WRONG"] else 0)


if __name__ == "__main__":
    main()
