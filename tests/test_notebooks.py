"""The notebooks run from top to bottom, and hold no results of somebody's machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from pages import ROOT, name_of

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

NOTEBOOKS = sorted(ROOT.glob("examples/notebooks/*.ipynb"))


@pytest.mark.parametrize("file", NOTEBOOKS, ids=name_of)
def test_a_notebook_runs(file: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(file, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in code)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) == 3
