"""A room imports only itself and rooms listed above it (docs/design.md, section 4)."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import mercer

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "mercer"

ROOMS = [
    "kernels",
    "problem",
    "formulations",
    "gram",
    "datasets",
    "lowrank",
    "solvers",
    "least_squares",
    "codes",
    "multiclass",
    "machines",
    "hull",
    "paths",
    "selection",
    "online",
    "diagnostics",
    "inspect",
    "io",
    "cli",
]
# Modules beside the rooms, which every room may use.
EVERYWHERE = {"_core", "_floating", "_memory", "_threads", "_warning", "__version__"}

FILES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))


def room_of(module: str) -> str:
    """The room of ``mercer.a.b``, "" for what every room may use."""
    top = module.split(".")[1]
    return "" if top in EVERYWHERE else top


def home_of(name: str) -> str:
    """The module that defines what ``from mercer import name`` gives."""
    if name in mercer.__all__:
        return str(getattr(mercer, name).__module__)
    return f"mercer.{name}"


def imported_modules(tree: ast.AST) -> Iterator[str]:
    """Every module of the package that the code imports, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("mercer"))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in line {node.lineno}"
            module = node.module or ""
            if module == "mercer":
                yield from (home_of(alias.name) for alias in node.names)
            elif module.startswith("mercer."):
                yield module


def allowed(room: str) -> set[str]:
    return {"", *ROOMS[: ROOMS.index(room) + 1]}


@pytest.mark.parametrize("file", [name for name in FILES if name != "__init__.py"])
def test_imports_go_up_the_list(file: str) -> None:
    parts = Path(file).with_suffix("").parts
    room = room_of(".".join(["mercer", *parts]))
    permitted = allowed(room) if room else {""}
    for module in imported_modules(ast.parse((SOURCE / file).read_text(encoding="utf-8"))):
        assert module != "mercer", f"{file} imports the whole package"
        assert room_of(module) in permitted, f"{file} imports {module}"


def test_the_rooms_are_those_of_the_design() -> None:
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    block = text.split("    src/mercer/\n", 1)[1].split("\n    native/", 1)[0]
    names = [re.match(r" {6}(\w+)(/|\.py) ", line) for line in block.splitlines()]
    assert [name.group(1) for name in names if name] == ROOMS


def test_the_public_names_of_the_design_exist() -> None:
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    table = text.split("| public name |", 1)[1].split("\n\n", 1)[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    quoted = " ".join(name for cell in cells for name in re.findall("`([^`]+)`", cell))
    names = set(re.findall(r"\w+", re.sub(r"\([^)]*\)", "", quoted)))
    places = (mercer, mercer.solvers, mercer.kernels, mercer.selection, mercer.hull)
    places += tuple(importlib.import_module(f"mercer.{room}") for room in ("inspect", "multiclass"))
    assert {name for name in names if not any(hasattr(place, name) for place in places)} == set()
    assert set(mercer.__all__) <= names


def test_every_module_belongs_to_a_room() -> None:
    tops = {Path(name).parts[0].removesuffix(".py") for name in FILES} - {"__init__"}
    assert tops <= {*ROOMS, *EVERYWHERE}


def test_the_package_exports_what_it_names() -> None:
    assert all(hasattr(mercer, name) for name in mercer.__all__)
    assert len(set(mercer.__all__)) == len(mercer.__all__)
