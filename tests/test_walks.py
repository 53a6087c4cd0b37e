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
CALLS: dict[str, Callable[[], Any]] = {
    "SVC().fit(X, y)": lambda: mercer.SVC().fit(X, Y),
    "svc_path(X, y)": lambda: mercer.svc_path(X, Y),
    "RLSC().fit(X, y)": lambda: mercer.RLSC().fit(X, Y),
}


def drawn(call: str) -> set[str]:
    """The Python files of a walk; "as above" stands for the row of the same name before."""
    text = PAGE.split(f"`{call}`:")[1].split("\n\n`")[0].split("\n## ")[0]
    files = set(re.findall(r"`([\w/]+\.py)`", text))
    for folder, names in re.findall(r"`([\w/]+/)` \(([^)]*)\)", text):
        files |= {f"{folder}{name.strip()}.py" for name in names.split(",")}
    if "as above" in text:
        first = PAGE.split("`SVC().fit(X, y)`:")[1].split("\n\n`")[0]
        files |= set(re.findall(r"`((?:kernels|gram)/[\w/]+\.py|_threads\.py)`", first))
    return files


def taken(call: Callable[[], Any]) -> set[str]:
    """The files whose functions run, once everything is imported and cached."""
    call()
    files: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and SOURCE in path.parents:
            files.add(path.relative_to(SOURCE).as_posix())

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return files


@pytest.mark.parametrize("call", CALLS)
def test_a_walk_is_the_one_drawn(call: str) -> None:
    missing = taken(CALLS[call]) - drawn(call)
    assert missing == set()
    assert {file for file in drawn(call) if not (SOURCE / file).exists()} == set()


def test_nothing_is_drawn_that_a_fit_does_not_pass() -> None:
    call = "SVC().fit(X, y)"
    assert drawn(call) == taken(CALLS[call])
