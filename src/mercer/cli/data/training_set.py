"""The rows that a model is trained on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mercer.cli.choices import Missing, Task
from mercer.cli.data.columns import Columns, describe_columns, usable_frame
from mercer.cli.data.kinds import KINDS
from mercer.cli.data.opened import source_name
from mercer.cli.data.tables import SparseData, read_file
from mercer.cli.data.tasks import alike, find_target, resolve_task, target_values
from mercer.cli.data.values import MISSING_WORDS, marked_missing, rows_text
from mercer.cli.errors import InputError, absent, collecting, plural, raise_all
from mercer.datasets import load_example

__all__ = ["EXAMPLE", "Roles", "TrainingSet", "read_training_set"]

EXAMPLE = "breast-cancer"
_PAIR = re.compile(rf"\s*(?P<name>.+?)=(?P<kind>{'|'.join(KINDS)}|keep)\s*(,|$)")


@dataclass(frozen=True)
class TrainingSet:
    """Rows and targets, and where they come from.

    Attributes
    ----------
    X : DataFrame or csr_matrix
        The rows.
    y : ndarray or None
        The targets; None if there is none.
    task : Task
        What to learn; not ``Task.auto``.
    source : str
        The name of the file.
    target : str or None
        The column of the targets.
    columns : Columns or None
        The columns by kind; None for LIBSVM text.
    first_index : int
        For LIBSVM text: the index of the first feature.
    notes : tuple of str
        How the file was read, and which rows were left out.
    rows : ndarray or None
        Where they stand in the file, the first row after the names is 0; None for all of it.
    """

    X: Any
    y: NDArray[Any] | None
    task: Task
    source: str
    target: str | None = None
    columns: Columns | None = None
    first_index: int = 1
    notes: tuple[str, ...] = ()
    rows: NDArray[np.intp] | None = None

    @property
    def places(self) -> NDArray[np.intp]:
        """Where the rows stand in the file."""
        return np.arange(self.X.shape[0]) if self.rows is None else self.rows

    @property
    def class_counts(self) -> dict[Any, int]:
        """The number of rows of each class; empty if the task has none."""
        if self.y is None or self.task is not Task.classification:
            return {}
        labels, counts = np.unique(self.y, return_counts=True)
        return dict(zip(labels.tolist(), counts.tolist(), strict=True))


@dataclass(frozen=True)
class Roles:
    """Which columns are what: the target, those left out, categories, texts, kept, named kinds."""

    target: str | None = None
    ignored: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    missing: Missing = Missing.impute

    @classmethod
    def of(cls, chosen: Mapping[str, Any]) -> Roles:
        """Return those among the options of a command."""
        names = {"ignored": "ignore", "categories": "category", "texts": "text", "kept": "keep"}
        given = {own: tuple(chosen.get(name) or ()) for own, name in names.items()}
        missing = chosen.get("missing", Missing.impute)
        if chosen.get("impute") and missing is not Missing.impute:
            raise InputError(f"--impute and --missing {missing} exclude each other")
        columns = tuple(chosen.get("columns") or ())
        return cls(chosen["target"], **given, columns=columns, missing=missing)

    @property
    def are_named(self) -> bool:
        """Whether there is an option that names a column."""
        return replace(self, missing=Missing.impute) != Roles()

    def kinds(self, names: list[str]) -> dict[str, str]:
        """The kinds asked for; InputError if a column is not there, or is the target."""
        asked: dict[str, str] = {}
        for option, kind, wanted in (
            ("--ignore", "drop", self.ignored),
            ("--category", "category", self.categories),
            ("--text", "text", self.texts),
            ("--keep", "keep", self.kept),
        ):
            for name in wanted:
                self._check(option, name, names)
                _ask(asked, name, kind)
        for name, kind in _named_kinds(self.columns):
            self._check("--columns", name, names)
            _ask(asked, name, kind)
        return asked

    def _check(self, option: str, name: str, names: list[str]) -> None:
        if name not in names:
            raise InputError(f"{option}: {absent(name, names)}")
        if name == self.target:
            raise InputError(f"{option}: {name!r} is the target")


def _ask(asked: dict[str, str], name: str, kind: str) -> None:
    """Note the kind of a column; "keep" goes with any other but "drop"."""
    wanted = {asked.get(name, kind), kind}
    if len(wanted) == 2 and "drop" not in wanted:
        wanted -= {"keep"}
    if len(wanted) == 2:
        both = " and ".join(map(repr, sorted(wanted)))
        raise InputError(f"column {name!r} cannot be both {both}: ask for one of them")
    (asked[name],) = wanted


def _named_kinds(given: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Pairs of ``name=kind,name=kind``; names may hold commas."""
    for text in given:
        rest = text
        while rest:
            found = _PAIR.match(rest)
            if found is None:
                raise InputError(
                    f"--columns must be NAME=KIND,... with a kind among {', '.join(KINDS)}, "
                    f"got {rest!r}"
                )
            yield found["name"], found["kind"]
            rest = rest[found.end() :]


def _example_set(task: Task) -> TrainingSet:
    """Return the breast cancer data."""
    X, y, names = load_example()
    frame = pd.DataFrame(X, columns=names)
    return _from_frame(frame.assign(target=y), EXAMPLE, Roles("target"), task)


def read_training_set(path: Path | None, roles: Roles, task: Task) -> TrainingSet:
    """Return the data of a file, checked; without a file the example."""
    if path is None:
        if roles.are_named:
            raise InputError("--target, --ignore and --category need a FILE")
        return _example_set(task)
    notes: list[str] = []
    content = read_file(path, notes)
    if isinstance(content, SparseData):
        if roles.are_named:
            raise InputError(
                "--target, --ignore and --category are for files with named columns, "
                "not for LIBSVM text"
            )
        return _from_sparse(content, source_name(path), task)
    return _from_frame(content, source_name(path), roles, task, notes)


def _from_frame(
    frame: pd.DataFrame, source: str, roles: Roles, task: Task, notes: Sequence[str] = ()
) -> TrainingSet:
    names = [str(name) for name in frame.columns]
    asked = roles.kinds(names)
    present = [name for name in names if asked.get(name) != "drop" or name == roles.target]
    target = find_target(present, roles.target, task)
    if target is not None and target in asked:
        raise InputError(f"{target!r} is the target, it has no other role")
    if not [name for name in present if name != target]:
        raise InputError(f"{source} has no columns to learn from besides the target")
    said = list(notes)
    n_gaps = 0 if target is None else int(marked_missing(frame[target]).isna().sum())
    frame = _complete(frame, target if task is not Task.outliers else None, asked, roles, said)
    rows = frame.index.to_numpy()
    frame = frame.reset_index(drop=True)
    problems: list[str] = []
    y, columns = None, None
    if target is not None and task is not Task.outliers:
        with collecting(problems):
            task = resolve_task(frame[target], task)
            y = target_values(frame[target], task, n_gaps)
            said += alike(y)
    features = frame.drop(columns=[] if target is None else [target])
    with collecting(problems):
        columns = describe_columns(features, asked, roles.missing is Missing.impute)
        if not columns.names:
            raise InputError(_nothing_left(source, columns))
    raise_all(problems)
    assert columns is not None
    usable = usable_frame(features, columns)
    return TrainingSet(usable, y, task, source, target, columns, notes=tuple(said), rows=rows)


def _complete(
    frame: pd.DataFrame,
    target: str | None,
    asked: Mapping[str, str],
    roles: Roles,
    notes: list[str],
) -> pd.DataFrame:
    """The rows that can be learned from: with a target, and as asked without missing values."""
    if roles.missing is Missing.error:
        return frame
    whole = frame
    if target is not None:
        is_gap = marked_missing(frame[target]).isna()
        if is_gap.all():
            raise InputError(f"the target {target!r} is empty: all {len(frame)} values are missing")
        if is_gap.any():
            notes.append(
                f"{plural(int(is_gap.sum()), 'row')} without a target left out: "
                f"{rows_text(frame[is_gap][target])}; {MISSING_WORDS}"
            )
            whole = frame[~is_gap]
    if roles.missing is Missing.drop:
        used = [name for name in whole.columns if asked.get(str(name)) not in ("drop", "text")]
        gaps = whole[used].apply(marked_missing).isna()
        used = [name for name in used if not gaps[name].all()]  # an empty column is left out
        is_gap = gaps[used].any(axis=1)
        if is_gap.all():
            raise InputError(
                "--missing drop leaves no rows: each one misses a value; use --missing impute"
            )
        if is_gap.any():
            notes.append(f"{plural(int(is_gap.sum()), 'row')} with missing values left out")
            whole = whole[~is_gap]
    # targets that were read as floats for the gaps among them are whole numbers again
    return whole if whole is frame else whole.infer_objects()


def _nothing_left(source: str, columns: Columns) -> str:
    listed = "; ".join(f"{name!r}: {why}" for name, (_, why) in columns.decided.items())
    return f"{source} has no columns to learn from: {listed}"


def _from_sparse(data: SparseData, source: str, task: Task) -> TrainingSet:
    y = None
    if task is not Task.outliers:
        labels = pd.Series(data.y, name="label")
        task = resolve_task(labels, task)
        y = target_values(labels, task)
    X = data.rows(data.first_index)
    if not X.shape[1]:
        raise InputError(f"{source} has no features")
    return TrainingSet(X, y, task, source, first_index=data.first_index)
