"""What scikit-learn or another room keeps to itself is used in few places, which are named here."""

from __future__ import annotations

import ast
from collections import defaultdict
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


# Rooms that save what objects of all rooms keep to themselves, or run parts of them elsewhere.
INSIDERS = ("io", "dask")
# Names with an underscore that other rooms use all the same.
SHARED = {
    "steps of a fit, for those that fit parts of a problem": "_formulate _weight_sum",
    "the compiled counterpart": "_native",
    "inside a kernel": "_gamma _metric",
    "inside a result": "_decoding _edges _rows _repr_html_",
}


def room_of(file: str) -> str:
    return file.split("/")[0] if "/" in file else ""


def private_definitions(tree: ast.AST) -> Iterator[str]:
    """Methods, classes and attributes that have an underscore in front."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name


def private_uses(tree: ast.AST) -> Iterator[str]:
    """Attributes with an underscore of objects other than ``self`` and its base classes."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls" | "_core")):
                continue
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
                continue
            case ast.Attribute(attr=name) if name.startswith("_") and not name.startswith("__"):
                yield name


def test_private_names_are_used_in_their_room() -> None:
    trees = {file: ast.parse((SOURCE / file).read_text()) for file in FILES}
    rooms = defaultdict(set)
    for file, tree in trees.items():
        for name in private_definitions(tree):
            rooms[name].add(room_of(file))
    used = {
        name
        for file, tree in trees.items()
        if room_of(file) not in INSIDERS
        for name in private_uses(tree)
        if rooms[name] and room_of(file) not in rooms[name]
    }
    assert used == set(" ".join(SHARED.values()).split())
