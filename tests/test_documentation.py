"""What the documents say: their Python runs, their links lead somewhere, the examples work."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil
import re
import runpy
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import mercer
from pages import ROOT, anchors, name_of

FOLDERS = ("docs", "benchmarks", "studies", "examples")
PAGES = sorted([*ROOT.glob("*.md"), *(p for f in FOLDERS for p in ROOT.glob(f"{f}/**/*.md"))])
EXAMPLES = sorted(ROOT.glob("examples/*.py"))
# Clusters and graphs are made with packages that not everybody has.
HAS_ONNX = importlib.util.find_spec("onnx") is not None
HAS_DASK = importlib.util.find_spec("distributed") is not None
MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(mercer.__path__, "mercer.")
    if "__" not in info.name
    and (HAS_ONNX or not info.name.startswith("mercer.io.onnx."))
    and (HAS_DASK or not info.name.startswith("mercer.dask"))
)

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def python_blocks(page: Path) -> Iterator[tuple[int, str]]:
    """Each block of Python with the number of the line before it."""
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1)


WITH_PYTHON = [page for page in PAGES if any(python_blocks(page))]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name_of)
def test_python_of_a_page_runs_from_top_to_bottom(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if not HAS_DASK and "mercer.dask" in page.read_text(encoding="utf-8"):
        pytest.skip("needs dask.distributed")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for line, block in python_blocks(page):
        # Empty lines in front make the line numbers of an error those of the page.
        exec(compile("\n" * line + block, str(page), "exec"), names)
    # the relevance of features in a search that ended before it had moved
    assert "1. 1. 1. 1. 1." not in capsys.readouterr().out


def test_the_readme_shows_what_its_python_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """Six lines of code; numbers may differ a little on other processors."""
    ((_, block),) = python_blocks(ROOT / "README.md")
    lines = [line for line in block.splitlines() if line]
    shown = " ".join(line[2:] for line in lines if line.startswith("# ")).split()
    assert sum(not line.startswith("# ") for line in lines) == 6
    exec(compile(block, "README.md", "exec"), {})
    printed = capsys.readouterr().out.split()
    assert [word for word in printed if word.isalpha()] == [w for w in shown if w.isalpha()]
    numbers = [[float(w) for w in words if not w.isalpha()] for words in (printed, shown)]
    assert numbers[0] == pytest.approx(numbers[1], abs=0.01)


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_an_example_runs(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not HAS_DASK and "mercer.dask" in example.read_text(encoding="utf-8"):
        pytest.skip("needs dask.distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out


def test_the_example_of_shared_kernel_values_shows_that_they_are_shared(
    capsys: pytest.CaptureFixture[str],
) -> None:
    runpy.run_path(str(ROOT / "examples/shared_kernel_values.py"), run_name="__main__")
    share = re.search(r"shared, (\d+)% of the kernel values", capsys.readouterr().out)
    assert share is not None
    assert 0 < int(share[1]) < 50


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_docstrings(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(importlib.import_module(module)).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith(("https://", "http://")):
            continue
        path, _, place = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name_of(page)} links to {link}"
        if place:
            assert place in anchors(target), f"{name_of(page)} links to {link}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_lines_have_at_most_120_columns(page: Path) -> None:
    """Rows of tables cannot be broken."""
    lines = page.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > 120 and not line.startswith("|")] == []


def test_there_is_something_to_check() -> None:
    assert {"README.md", "docs/guide.md"} <= {name_of(page) for page in WITH_PYTHON}
    assert EXAMPLES
    assert MODULES
