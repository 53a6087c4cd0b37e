"""The walks drawn in docs/design.md are those that calls take."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import mercer
from pages import ROOT

SOURCE = Path(mercer.__file__).parent
PAGE = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
X = np.random.default_rng(0).normal(size=(200, 3))
Y = (X[:, 0] + 0.3 * X[:, 1] ** 2 > 0).astype(int)
# The most functions a walk passes, comprehensions counted: raise one with a reason, or not at all.
MOST_FUNCTIONS = {
    "SVC().fit(X, y)": 159,
    "svc_path(X, y)": 165,
    "RLSC().fit(X, y)": 159,
    "TunedSVC().fit(X, y)": 480,
    "svc_grid(X, y)": 219,  # a solution that one call for all leaves open is solved singly
    "OnlineSVC().partial_fit(X, y)": 194,
}
FIRST = "SVC().fit(X, y)"
CALLS: dict[str, Callable[[], Any]] = {
    "SVC().fit(X, y)": lambda: mercer.SVC().fit(X, Y),
    "svc_path(X, y)": lambda: mercer.svc_path(X, Y),
    "RLSC().fit(X, y)": lambda: mercer.RLSC().fit(X, Y),
    "TunedSVC().fit(X, y)": lambda: mercer.TunedSVC().fit(X, Y),
    "svc_grid(X, y)": lambda: mercer.svc_grid(X, Y, Cs=[1.0, 10.0], gammas=[0.1, 1.0], cv=5),
    "OnlineSVC().partial_fit(X, y)": lambda: mercer.OnlineSVC().partial_fit(X, Y, classes=[0, 1]),
}


def drawn(call: str) -> set[str]:
    """The Python files of a walk, those of walks it refers to included."""
    if f"| `{call}` |" in PAGE:
        return listed(PAGE.split(f"| `{call}` |")[1].split("\n")[0]) | drawn(FIRST)
    text = PAGE.split(f"`{call}`:")[1].split("\n\n")[1]
    files = listed(text)
    if "as above" in text:
        files |= {file for file in drawn(FIRST) if re.match(r"kernels/|gram/|_threads", file)}
    return files


def listed(text: str) -> set[str]:
    """Files that are named one by one, or in brackets behind their folder."""
    files = set(re.findall(r"`([\w/]+\.py)`", text))
    for folder, names in re.findall(r"`([\w/]+/)` \(([^)]*)\)", text):
        files |= {f"{folder}{name.strip()}.py" for name in names.split(",")}
    return files


def taken(call: Callable[[], Any]) -> set[tuple[str, str]]:
    """The functions that run and their files, once everything is imported and cached."""
    call()
    functions: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and SOURCE in path.parents:
            file = path.relative_to(SOURCE).as_posix()
            functions.add((file, frame.f_code.co_qualname))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return functions


def files_of(call: str) -> set[str]:
    return {file for file, _ in taken(CALLS[call])}


@pytest.mark.parametrize("call", CALLS)
def test_a_walk_is_the_one_drawn(call: str) -> None:
    assert files_of(call) - drawn(call) == set()
    assert {file for file in drawn(call) if not (SOURCE / file).exists()} == set()


def test_nothing_is_drawn_that_a_fit_does_not_pass() -> None:
    assert drawn(FIRST) == files_of(FIRST)


@pytest.mark.parametrize("call", CALLS)
def test_a_walk_does_not_grow_unnoticed(call: str) -> None:
    found = taken(CALLS[call])
    assert len(found) <= MOST_FUNCTIONS[call], sorted(found)
