"""What scikit-learn keeps to itself is imported by one module only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "mercer"
FILES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))


def private_imports(text: str) -> Iterator[str]:
    """What a file imports from scikit-learn that has an underscore in front."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            first, *parts = name.split(".")
            if first == "sklearn" and any(part.startswith("_") for part in parts):
                yield name


@pytest.mark.parametrize(
    "line",
    ["from sklearn.base import _fit_context", "import sklearn.utils._tags as tags"],
)
def test_private_names_are_found(line: str) -> None:
    assert list(private_imports(line))


def test_private_names_of_scikit_learn_are_imported_in_one_place() -> None:
    users = {file for file in FILES if list(private_imports((SOURCE / file).read_text()))}
    assert users == {"_sklearn.py"}
