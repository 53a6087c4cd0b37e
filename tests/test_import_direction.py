"""A room imports only itself and rooms listed above it (docs/design.md, section 4)."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import mercer

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "mercer"

ROOMS = [
    "kernels",
    "problem",
    "formulations",
    "gram",
    "training",
    "datasets",
    "tables",
    "lowrank",
    "solvers",
    "least_squares",
    "codes",
    "calibration",
    "multiclass",
    "machines",
    "hull",
    "paths",
    "selection",
    "predictions",
    "online",
    "diagnostics",
    "io",
    "report",
    "plots",
    "lab",
    "dask",
    "cli",
]
# Modules beside the rooms, which every room may use.
EVERYWHERE = {
    *("_core", "_floating", "_log", "_memory", "_reported", "_shown", "_sklearn", "_threads"),
    "_warning",
    "__version__",
}

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


@cache
def imports() -> dict[str, list[str]]:
    """The modules of the package that each file imports."""
    trees = {file: ast.parse((SOURCE / file).read_text(encoding="utf-8")) for file in FILES}
    return {file: list(imported_modules(tree)) for file, tree in trees.items()}


def test_imports_go_up_the_list() -> None:
    for file, modules in imports().items():
        if file == "__init__.py":
            continue
        room = room_of(".".join(["mercer", *Path(file).with_suffix("").parts]))
        permitted = allowed(room) if room else {""}
        for module in modules:
            assert module != "mercer", f"{file} imports the whole package"
            assert room_of(module) in permitted, f"{file} imports {module}"


def test_nothing_of_the_library_imports_the_laboratory() -> None:
    """``mercer bench solvers`` does, when it is run."""
    users = {
        file
        for file in FILES
        if not file.startswith("lab/") and file != "__init__.py"
        for module in imports()[file]
        if room_of(module) == "lab"
    }
    assert users == {"cli/commands/bench_solvers.py"}


def test_the_laboratory_is_not_loaded_with_the_library() -> None:
    rooms = [room for room in ROOMS if room not in ("lab", "dask")]  # dask is an extra
    program = f"""
import importlib, sys, mercer
for room in {rooms}:
    importlib.import_module(f"mercer.{{room}}")
[getattr(mercer, name) for name in mercer.__all__]
import mercer.cli.app, mercer.io.registry
mercer.io.registry._recipes()
assert not [name for name in sys.modules if name.startswith("mercer.lab")]
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_the_rooms_are_those_of_the_design() -> None:
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    block = text.split("    src/mercer/\n", 1)[1].split("\n    native/", 1)[0]
    names = [re.match(r" {6}(\w+)(/|\.py) ", line) for line in block.splitlines()]
    assert [name.group(1) for name in names if name] == ROOMS


def test_the_design_has_every_folder_of_the_core() -> None:
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    folders = {path.name for path in (ROOT / "native" / "core").iterdir() if path.is_dir()}
    assert set(re.findall(r"^ {6}core/(\w+)/ ", text, re.MULTILINE)) == folders


def test_the_picture_of_the_design_shows_every_room_and_no_import_that_is_not_there() -> None:
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    picture = text.split("flowchart LR\n", 1)[1].split("```", 1)[0]
    used = {
        (room_of(m), file.partition("/")[0]) for file, found in imports().items() for m in found
    }
    chains = [[part.split(" & ") for part in line.strip().split(" --> ")]
              for line in picture.splitlines()]  # fmt: skip
    arrows = {arrow for chain in chains for ends in pairwise(chain) for arrow in product(*ends)}
    assert {room for arrow in arrows for room in arrow} == set(ROOMS)
    assert arrows - used == set()


def test_the_public_names_of_the_table_exist() -> None:
    text = (ROOT / "docs" / "public_names.md").read_text(encoding="utf-8")
    table = text.split("| public name |", 1)[1].split("\n\n", 1)[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    quoted = " ".join(name for cell in cells for name in re.findall("`([^`]+)`", cell))
    names = set(re.findall(r"\w+", re.sub(r"\([^)]*\)", "", quoted)))
    places = (mercer, mercer.solvers, mercer.kernels, mercer.selection, mercer.hull)
    places += tuple(
        importlib.import_module(f"mercer.{room}")
        for room in (
            "lab",
            "multiclass",
            "online",
            "paths",
            "plots",
            "tables",
            "diagnostics",
            "diagnostics.stability",
        )
    )
    assert {name for name in names if not any(hasattr(place, name) for place in places)} == set()
    assert set(mercer.__all__) <= names


def test_every_module_belongs_to_a_room() -> None:
    tops = {Path(name).parts[0].removesuffix(".py") for name in FILES} - {"__init__"}
    assert tops <= {*ROOMS, *EVERYWHERE}


def test_the_package_exports_what_it_names() -> None:
    assert all(hasattr(mercer, name) for name in mercer.__all__)
    assert len(set(mercer.__all__)) == len(mercer.__all__)


def test_what_is_imported_later_is_what_type_checkers_see() -> None:
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    shown = {
        (str(node.module).split(".")[1], alias.name)
        for node in imports
        if str(node.module).startswith("mercer.")
        for alias in node.names
    }
    rooms = {alias.name for node in imports if node.module == "mercer" for alias in node.names}
    assert {(room, name) for name, room in mercer._HOMES.items()} == shown
    assert list(mercer._ROOMS) == sorted(rooms | {room for room, _ in shown})
    assert set(mercer._ROOMS) == set(ROOMS) - {"cli"}
    assert sorted(mercer._HOMES) == sorted(mercer.__all__)


def test_every_room_is_an_attribute_and_costs_nothing_until_it_is_used() -> None:
    """``import mercer; mercer.io.save`` raised AttributeError."""
    rooms = [room for room in ROOMS if room not in ("cli", "dask")]  # dask is an extra
    program = f"""
import sys, mercer
assert set({rooms}) <= set(dir(mercer)) and set(mercer.__all__) <= set(dir(mercer))
assert [name for name in sys.modules if name.startswith("mercer")] == ["mercer"]
assert "dask" in dir(mercer) and "dask" not in sys.modules
for room in {rooms}:
    assert getattr(mercer, room).__name__ == f"mercer.{{room}}"
assert mercer.io.save and not hasattr(mercer, "nothing")
assert mercer.SVC is mercer.machines.SVC is vars(mercer)["SVC"]
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_what_counts_as_a_solution_is_said_once() -> None:
    """The limits stand in native/core/problem/acceptance.hpp, and nowhere in Python."""
    header = (ROOT / "native/core/problem/acceptance.hpp").read_text(encoding="utf-8")
    names = re.findall(r"(\w+) = [\d.e-]+[;,]", header)
    assert len(names) >= 8
    rooms = (SOURCE / "problem", SOURCE / "solvers" / "runs")
    text = "".join(file.read_text() for room in rooms for file in room.glob("*.py"))
    assert not [name for name in names if re.search(rf"^_{name.upper()} = ", text, re.MULTILINE)]


def test_each_native_solve_is_called_from_one_module() -> None:
    """The laboratory, which compares parts of algorithms, is left out."""
    texts = {f: (SOURCE / f).read_text() for f in FILES if not f.startswith("lab/")}
    for name in ("smo_solve", "chunked_solve", "multiclass_solve", "solve_parts", "follow_parts",
                 "follow_path"):  # fmt: skip
        users = [file for file, text in texts.items() if re.search(rf"_core\.{name}\b", text)]
        assert len(users) == 1, (name, users)


def test_threads_of_python_are_started_in_one_module() -> None:
    """Native ones belong to the Gram; Dask and joblib have their own."""
    texts = {file: (SOURCE / file).read_text() for file in FILES}
    starting = r"threading\.Thread\b|ThreadPool|import concurrent"
    assert [f for f, text in texts.items() if re.search(starting, text)] == [
        "solvers/worker_threads.py"
    ]


def test_no_room_counts_votes_of_pairs_or_splits_rows_of_its_own() -> None:
    texts = {file: (SOURCE / file).read_text() for file in FILES}
    assert [f for f, text in texts.items() if "class Split:" in text] == ["training/splits.py"]
    voting = [f for f, text in texts.items() if "_core.pair_votes" in text]
    assert voting == ["machines/svm/one_vs_one.py"]


def test_probabilities_of_a_machine_need_no_other_import() -> None:
    """``SVC(probability=True).fit`` had no map while nobody had imported mercer.predictions."""
    program = """
import numpy as np
from mercer import SVC
X = np.random.default_rng(0).normal(size=(30, 2))
assert SVC(probability=True).fit(X, X[:, 0] > 0).predict_proba(X).shape == (30, 2)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
