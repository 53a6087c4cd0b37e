"""Retired words stay out of code, pages and messages, in any case (others: docs/words.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# What to write instead. Files that begin with one of the paths may use the word in another sense.
RETIRED: dict[str, tuple[str, tuple[str, ...]]] = {
    r"prices?": (
        "C, or cost",
        ("docs/theory/active_set.md", "native/core/active_set", "native/core/problem/duality.cpp"),
    ),
    r"lonely": ("isolated support", ()),
    r"leaps?": ("block step", ()),
    r"n_sheets": ("variables_per_row", ()),
    r"sheets?": ("variables of a row", ("src/mercer/cli/data", "docs/command_line.md")),
    r"heirs?|bequeath(s|ed)?": ("successor, receiver; give", ()),
    r"(?<!there )(is|are|be) no numbers?": ("is NaN; is not numeric", ("src/mercer/gram",)),
    r"is_endless": ("may_be_unbounded", ()),
    r"(NuPath|NuSVCPath|NuSVRPath|KernelPath)": ("Path", ("src/mercer/io/earlier_paths.py",)),
    r"(QuickMachines|selection[./]quick)": ("UncertifiedMachines", ()),
    r"selection[./](found|task)": ("search_result, training_task", ()),
    r"(data|inputs|self)\.codes": ("class_index", ()),
    r"(task|space|formulation|learned)\.unit": ("target_scale, C_scale, weight_scale", ()),
    r"(violation|box)_unit|(in|out_of|change)_unit|unit_of": ("..._scale", ("src/mercer/cli",)),
    r"read(_outs?|-outs?|outs?)": ("fitted parameters", ()),
    r"far_origin|origin_error|(self|gram|function|band|anchor)\.origin": ("shift; anchor", ()),
    r"(self|gram)\.level": ("shift_offset; rho", ("src/mercer/plots",)),
    r'"(level|origin)"': ("rho; no_bias", ("src/mercer/io/", "src/mercer/hull/min_norm.py")),
    r"(machines/svm|svm)[./]tasks?|TaskPlan|TaskScheme": ("subproblems", ()),
    r"solvers[./]turns|Turns\(": ("scheduler", ()),
    r"(subproblems|pairs|plan)\.labels": ("class_index", ()),
    r"(hull|exact)[./]units?": ("row_scale, box_scale", ()),
    r"(?-i:Pulls|Way)|is_exactly|hull[./]exactly": ("GradientSum, QuerySettings, wolfe", ()),
    r"(machines|svm)[./]documented": ("docstrings", ()),
    r"(?-i:Crew|Duel|Dealt|Parting|Heights)|solvers[./]crew|searched_anew|models[./]apart": (
        "WorkerThreads, PairOutcome, ChunkOutcome, ThresholdRequest, OneClassValues",
        (),
    ),
    r"PathProgress|PathCallback": ("Progress, Callback", ()),
    r"nobody": ("the passive voice", ()),
    r"for ever": ("forever", ()),
    r"(ha(ve|s) no|ha(ve|s) a|no) say": ("do not count; changes, weighs", ()),
    r"br(ing|ings|ought) to an end": ("completed, converged", ()),
    r"came to nothing": ("found nothing", ()),
    r"what does not end": ("what may be unbounded", ()),
    r"the first of several": ("ties go to the first", ()),
    r"of several the (first|last)": ("ties go to the first", ()),
    r"one of both": ("one of the two", ()),
    r"but for": ("except for; up to", ("docs/studies.md",)),
    r"there is time for": ("as the time allows", ()),
    r"told of": ("reported", ()),
    r"in the place of": ("in place of", ()),
}
NAMES = re.compile(r"Bonett (&|and) Price|R\. M\. Price|bonett-price")


def _files() -> Iterator[Path]:
    for folder, pattern in (
        ("src/mercer", "*.py"),
        ("native", "*.[ch]pp"),
        ("docs", "*.md"),
        ("examples", "*.py"),
    ):
        yield from sorted((ROOT / folder).rglob(pattern))
    yield from (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md")


TEXTS = {str(file.relative_to(ROOT)): NAMES.sub("", file.read_text()) for file in _files()}


@pytest.mark.parametrize("word", RETIRED)
def test_retired_words_are_gone(word: str) -> None:
    instead, elsewhere = RETIRED[word]
    # words end at underscores, too: n_prices has the word
    found = re.compile(rf"(?<![A-Za-z])(?:{word})(?![A-Za-z])", re.IGNORECASE)
    lines = [
        f"{name}: {line.strip()} (write: {instead})"
        for name, text in TEXTS.items()
        if not name.startswith(elsewhere) and found.search(text)
        for line in text.splitlines()
        if found.search(line)
    ]
    assert lines == []
