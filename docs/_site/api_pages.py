"""The reference: one page for each public object, grouped by what it is for."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import mercer

__all__ = ["GROUPS", "public_objects", "write"]

# Heading, what a reader comes for, and the rooms whose names belong there.
_BY_TASK = (
    ("Fit a machine", "Estimators for classes, numbers and outliers.", "machines"),
    ("Tune it", "Machines that choose their parameters, and the criteria behind.", "selection"),
    ("Every C at once", "Regularization paths, kernel paths, grids.", "paths"),
    (
        "Predictions to act on",
        "Probabilities, thresholds, sets and intervals, explanations.",
        "predictions calibration",
    ),
    ("Hulls", "Nearest points, distances, balls, separability.", "hull"),
    ("Learn from a stream", "Row by row, with labels asked for.", "online"),
    ("Show it", "Pictures, a page for others, data to try it with.", "plots report datasets"),
    ("Save and exchange", "Model files, ONNX, C, LIBSVM, scikit-learn.", "io"),
    ("Kernels", "Similarities, their values, and low rank.", "kernels gram lowrank"),
    ("Many classes", "Output codes, and all classes in one problem.", "codes multiclass"),
    ("Judge a machine", "Bounds, comparisons, advice.", "diagnostics"),
    ("Many rows", "Machines over a Dask cluster.", "dask"),
    ("Laboratory", "Algorithms as published, for studies.", "lab"),
)
_NAMED = {room for _, _, rooms in _BY_TASK for room in rooms.split()}
_REST = " ".join(room for room in mercer._ROOMS if room not in _NAMED)
GROUPS = (*_BY_TASK, ("Inside", "Problems, formulations, solvers and what they stand on.", _REST))


def public_objects(rooms: str) -> dict[str, Any]:
    """Shortest public name of each object of some rooms, with the object; short names first."""
    found = {}
    for room in rooms.split():
        module = import_module(f"mercer.{room}")
        for name in getattr(module, "__all__", ()):
            home = "mercer" if name in mercer.__all__ and _is_top(name, module) else module.__name__
            found[f"{home}.{name}"] = getattr(module, name)
    return dict(sorted(found.items(), key=lambda item: item[0].count(".")))


def _is_top(name: str, module: ModuleType) -> bool:
    return getattr(mercer, name) is getattr(module, name)


def write(folder: Path) -> None:
    """Write the pages; one that has not changed is left alone, so that Sphinx need not read it."""
    folder.mkdir(exist_ok=True)
    pages = {"index": _index()}
    for _, _, rooms in GROUPS:
        pages |= {name: _page(name, value) for name, value in public_objects(rooms).items()}
    for old in folder.glob("*.rst"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        file = folder / f"{name}.rst"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def _index() -> str:
    """All names by task, each with the first line of its docstring."""
    parts = [
        _heading("API reference", "="),
        "One page for each public object. How they work together: :doc:`../guide`; their "
        "parameters beyond scikit-learn's in one table: :doc:`../public_names`.\n",
    ]
    for title, purpose, rooms in GROUPS:
        objects = public_objects(rooms)
        parts += [_heading(title, "-"), f"{purpose}\n", ".. list-table::\n   :widths: 35 65\n"]
        for name, value in objects.items():
            parts.append(f"   * - :doc:`{name.removeprefix('mercer.')} <{name}>`")
            parts.append(f"     - {_first_line(value)}")
        parts.append("")
    return "\n".join(parts)


def _heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n"


def _first_line(value: Any) -> str:
    """First paragraph of the docstring; data have none of their own."""
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return "A constant or a type."
    text = inspect.getdoc(value) or ""
    line = " ".join(text.split("\n\n")[0].split())
    return re.sub(r"\||(?<=\w)_(?!\w)", r"\\\g<0>", line)


def _page(name: str, value: Any) -> str:
    # The tables of the index lead to the page; two hundred names beside every page would not help.
    title = f":orphan:\n\n{_heading(name, '=')}"
    if inspect.isclass(value):
        methods = _own_methods(value)
        members = f"   :members: {', '.join(methods)}\n" if methods else ""
        return f"{title}\n.. autoclass:: {name}\n{members}\n{_inherited(value)}"
    if inspect.isroutine(value):
        return f"{title}\n.. autofunction:: {name}\n"
    return f"{title}\n.. py:data:: {name}\n\n   ``{value!r}``\n"


def _inherited(value: type) -> str:
    """Name what estimators have from scikit-learn, where it is described."""
    names = [
        n
        for n in ("score", "fit_predict", "fit_transform", "get_params", "set_params")
        if hasattr(value, n)
    ]
    names = [name for name in names if name not in _own_methods(value)]
    if not names:
        return ""
    listed = ", ".join(f"``{name}``" for name in names)
    return f"{listed} and metadata routing as in scikit-learn.\n"


def _own_methods(value: type) -> list[str]:
    """Public methods that mercer defines; scikit-learn's own have their page with scikit-learn."""
    return [
        name
        for name in dir(value)
        if not name.startswith("_")
        and not name.startswith("set_")
        and inspect.isroutine(getattr(value, name, None))
        and str(getattr(getattr(value, name), "__module__", "")).startswith("mercer")
    ]
