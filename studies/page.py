"""docs/studies.md, made from ``tables.toml`` (all tables of the sources) and the results."""

from __future__ import annotations

import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from studies.study import ROOT, disagreements, read_result

PAGE = ROOT / "docs" / "studies.md"
TABLES = Path(__file__).parent / "tables.toml"
STATES = ("matched", "differs", "not possible", "nothing to compare", "not run")

HEAD = """# The sources' tables, re-run

Do I get the numbers of the books? This page has a row for every numbered table of the five
[source documents](references.md), and for every figure that shows measurements. It is made from
[studies/tables.toml](../studies/tables.toml) and [studies/results](../studies/results) by
`python -m studies --page`. `python -m studies` lists the studies, and
`python -m studies --data DIR NAME` runs one of them. Seconds of old machines are not compared, only
what does not depend on the machine.

States: **matched**, every number compared is as near to the printed one as the rule says;
**differs**, at least one is not, and the reason is given; **not possible**, the data, or what one
would have to know, cannot be had; **nothing to compare**, a picture without numbers, or settings
that are used here as they are printed; **not run**, it could be done and has not been.

"""


def catalogue() -> list[dict[str, Any]]:
    """Every table and figure with numbers, in the order of the documents."""
    return tomllib.loads(TABLES.read_text(encoding="utf-8"))["table"]


def key(entry: Mapping[str, Any]) -> str:
    return f"{entry['source']}, {entry['name']}"


def state(entry: Mapping[str, Any]) -> str:
    result = read_result(key(entry))
    if result is None:
        return entry.get("state", "not run")
    return "differs" if disagreements(result)[1] else "matched"


def page() -> str:
    entries = catalogue()
    parts = [HEAD, *counts(entries)]
    for source in dict.fromkeys(entry["source"] for entry in entries):
        mine = [entry for entry in entries if entry["source"] == source]
        parts += [f"## {source}\n\n", *overview(mine)]
        for entry in mine:
            result = read_result(key(entry))
            if result is not None:
                parts += details(entry, result)
    return "".join(parts).rstrip("\n") + "\n"


def counts(entries: list[dict[str, Any]]) -> Iterator[str]:
    number = Counter((entry["source"], state(entry)) for entry in entries)
    yield f"| document | {' | '.join(STATES)} |\n|---|{'---|' * len(STATES)}\n"
    for source in dict.fromkeys(entry["source"] for entry in entries):
        cells = [str(number[source, name]) for name in STATES]
        yield f"| [{source}](#{source.lower().replace(' ', '-').replace('&-', '-')}) | "
        yield f"{' | '.join(cells)} |\n"
    totals = Counter(state(entry) for entry in entries)
    yield f"| **all** | {' | '.join(f'**{totals[name]}**' for name in STATES)} |\n\n"


def overview(entries: list[dict[str, Any]]) -> Iterator[str]:
    yield "| where | what | state | why, or by which rule |\n|---|---|---|---|\n"
    for entry in entries:
        result = read_result(key(entry))
        reason = entry.get("why", "No study computes it.")
        said = reason if result is None else " ".join(verdict(entry, result))
        yield f"| {entry['name']} | {entry['about']} | {state(entry)} | {said} |\n"
    yield "\n"


def verdict(entry: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[str]:
    compared, wrong = disagreements(result)
    yield f"{compared - wrong} of {compared} numbers within {rule(result)}."
    if entry.get("why"):
        yield entry["why"]


def rule(result: Mapping[str, Any]) -> str:
    """``10 % (iterations), 0 (support vectors)``: columns of the same rule together."""
    by_rule: dict[str, list[str]] = {}
    for column in result["columns"]:
        if column["within"]:
            by_rule.setdefault(column["within"], []).append(column["name"])
    return "; ".join(f"{within} ({', '.join(names)})" for within, names in by_rule.items())


def details(entry: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[str]:
    """The table itself: ours, and in parentheses what is printed."""
    names = [column["name"] for column in result["columns"]]
    said = f"{result['protocol']} Ours (printed). `{result['command']}`, {result['seconds']:.0f} s."
    yield f"### {key(entry)}\n\n{textwrap.fill(said, 100, break_on_hyphens=False)}\n\n"
    yield f"| | {' | '.join(names)} |\n|---|{'---|' * len(names)}\n"
    for row in result["rows"]:
        cells = [cell(o, s) for o, s in zip(row["ours"], row["source"], strict=True)]
        yield f"| {row['name']} | {' | '.join(cells)} |\n"
    yield "\n"


def cell(ours: float | None, source: float | None) -> str:
    if ours is None and source is None:
        return ""
    return f"{text(ours)} ({text(source)})"


def text(value: float | None) -> str:
    return "–" if value is None else f"{value:,}"
