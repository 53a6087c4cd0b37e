"""The sources' tables, computed again: list the studies, run some, write the page.

    python -m studies                                    # what there is, and what it costs
    python -m studies --data DIR NAME ...                # run these
    python -m studies --data DIR --all --budget 3600     # run all that fit into an hour
    python -m studies --page                             # write docs/studies.md only

Results go to ``studies/results``, and ``docs/studies.md`` is written from them. A study that
finished is not run again unless its code or the package changed (``--again`` runs it all the
same). The cheapest run first.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from studies.page import PAGE, page
from studies.rerun import STUDIES
from studies.study import Study


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m studies", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="studies to run")
    parser.add_argument("--data", type=Path, help="folder of the .npz files")
    parser.add_argument("--all", action="store_true", help="run every study")
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds for all runs")
    parser.add_argument("--again", action="store_true", help="run even what is done")
    parser.add_argument("--page", action="store_true", help="write the page")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(STUDIES))
    if unknown:
        parser.error(f"no study {', '.join(unknown)}; there are {', '.join(STUDIES)}")
    chosen = list(STUDIES.values()) if options.all else [STUDIES[name] for name in options.names]
    if chosen:
        run_all(chosen, options)
    if chosen or options.page:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        show()


def run_all(chosen: list[Study], options: argparse.Namespace) -> None:
    """The cheapest first, as long as the budget lasts."""
    end = time.monotonic() + options.budget
    for study in sorted(chosen, key=lambda study: study.seconds):
        left = end - time.monotonic()
        missing = missing_data(study, options.data)
        if missing:
            print(f"{study.name}: needs --data with {', '.join(missing)}", flush=True)
        elif study.is_done() and not options.again:
            print(f"{study.name}: done", flush=True)
        elif study.seconds > left:
            print(f"{study.name}: {study.seconds:.0f} s, {max(left, 0):.0f} s left", flush=True)
        else:
            run_one(study, options.data)


def run_one(study: Study, data: Path | None) -> None:
    began = time.perf_counter()
    found = study.run(data or Path())
    seconds = time.perf_counter() - began
    study.save(found, seconds)
    print(f"{study.name}: {', '.join(study.tables)} in {seconds:.0f} s", flush=True)


def missing_data(study: Study, data: Path | None) -> list[str]:
    return [name for name in study.data if data is None or not (data / f"{name}.npz").exists()]


def show() -> None:
    """Name, tables, data and cost of every study."""
    for study in STUDIES.values():
        state = "done" if study.is_done() else "to run"
        print(f"{study.name:24} {study.seconds:5.0f} s  {state:6}  {'; '.join(study.tables)}")
        print(f"{'':24} {'data':>7}: {', '.join(study.data) or 'generated'}")


if __name__ == "__main__":
    main()
