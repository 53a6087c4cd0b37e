"""Writing a fitted estimator as one C file."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from mercer.io.archive import replaced
from mercer.io.c.machines import Written, written
from mercer.io.c.source import Source
from mercer.io.exchange import describe
from mercer.io.exchange.model import Node
from mercer.io.exchange.preparation import Branches, OneHot, Step
from mercer.io.exchange.walks import first_steps
from mercer.training.feature_count import feature_count

__all__ = ["to_c"]

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MOST_INT = 2**15 - 1  # what an int holds on every machine


def to_c(
    estimator: Any,
    file: str | os.PathLike[str] | None = None,
    *,
    precision: Literal["double", "single"] = "double",
    prefix: str = "",
) -> str:
    """Return a fitted estimator as C source, and write it to a file if one is given.

    One C99 file that needs math.h alone: constant tables, no allocation, no state.

    Parameters
    ----------
    estimator : estimator
        As for :func:`~mercer.io.to_onnx`.
    file : str or path, default=None
        Where to write it, by custom with the suffix ``.c``.
    precision : {"double", "single"}, default="double"
        Type ``number`` of the row, the tables and the results: double or float.
    prefix : str, default=""
        Begins the names of the functions, for several models in one program.

    Returns
    -------
    str
        Its functions are, for classes, ``int predict(const number *x)``, the label if labels are
        small integers and otherwise its position in ``class_names``, ``void
        decision_function(const number *x, number *decision)`` and, where the estimator has them,
        ``void predict_proba(const number *x, number *probability)``; for regression ``number
        predict(const number *x)``, or ``void predict(const number *x, number *targets)`` for
        several targets; for several labels ``void predict(const number *x, int *labels)``. The
        comment on top tells what x holds. Categories that are strings come as numbers: their
        positions, which the comment lists.

    Raises
    ------
    ValueError
        If the estimator, its kernel or a part of it cannot be exported; the message names it.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.io import to_c
    >>> machine = SVC(gamma=0.5).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> "#include <math.h>" in to_c(machine)
    True
    """
    if precision not in ("double", "single"):
        raise ValueError(f"precision must be 'double' or 'single', got {precision!r}")
    if prefix and not IDENTIFIER.fullmatch(prefix):
        raise ValueError(f"prefix must be a C identifier, got {prefix!r}")
    node = describe(estimator)
    source = Source(precision)
    found = written(source, node, feature_count(estimator))
    kind = "double" if precision == "double" else "float"
    top = [_comment(estimator, node, found, prefix), "#include <math.h>"]
    top += [f"typedef {kind} number;"]
    text = "\n\n".join([*top, source.text(_public(found, prefix))]) + "\n"
    if file is not None:
        with replaced(Path(file)) as target:
            target.write(text.encode())  # in comments alone there is more than ASCII
    return text


def _public(found: Written, prefix: str) -> list[str]:
    """What a program calls, each with a declaration: compilers may ask for one."""
    parts: list[str] = []

    def add(head: str, *lines: str) -> None:
        parts.append("\n".join([f"{head};", head, "{", *(f"    {line}" for line in lines), "}"]))

    if found.prediction is not None and found.width == 1:
        lines = ("number value;", f"{found.prediction}(x, &value);", "return value;")
        add(f"number {prefix}predict(const number *x)", *lines)
    elif found.prediction is not None:
        call = f"{found.prediction}(x, targets);"
        add(f"void {prefix}predict(const number *x, number *targets)", call)
    if found.n_labels:
        add(f"void {prefix}predict(const number *x, int *labels)", *_label_lines(found))
    if found.label is not None:
        parts += _names(found, prefix)
        add(f"int {prefix}predict(const number *x)", *_predict_lines(found))
    if found.decision is not None:
        call = f"{found.decision}(x, decision);"
        add(f"void {prefix}decision_function(const number *x, number *decision)", call)
    if found.probabilities is not None:
        call = f"{found.probabilities}(x, probability);"
        add(f"void {prefix}predict_proba(const number *x, number *probability)", call)
    return parts


def _label_lines(found: Written) -> list[str]:
    n = found.n_labels
    lines = [f"number values[{n}];", "int i;", f"{found.decision}(x, values);"]
    return [*lines, f"for (i = 0; i < {n}; i++)", "    labels[i] = values[i] > 0;"]


def _small_labels(found: Written) -> list[int] | None:
    """The labels, if they are integers that every int holds."""
    classes = found.classes
    if classes is None or classes.dtype.kind not in "iub":
        return None
    labels = [int(label) for label in classes]
    return labels if max(map(abs, labels)) <= MOST_INT else None


def _predict_lines(found: Written) -> list[str]:
    labels = _small_labels(found)
    if labels is None or labels == list(range(len(labels))):
        return [f"return {found.label}(x);"]
    table = ", ".join(map(str, labels))
    return [
        f"static const int labels[{len(labels)}] = {{{table}}};",
        f"return labels[{found.label}(x)];",
    ]


def _names(found: Written, prefix: str) -> list[str]:
    if found.classes is None or _small_labels(found) is not None:
        return []
    names = ", ".join(_string(str(label)) for label in found.classes)
    n = len(found.classes)
    array = f"const char *const {prefix}class_names[{n}]"
    return [f"extern {array};\n{array} = {{{names}}};"]


def _string(text: str) -> str:
    """A C string of UTF-8; octal escapes end after three digits."""
    plain = "".join(
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
        for byte in text.encode("utf-8")
    )
    return f'"{plain}"'


def _comment(estimator: Any, node: Node, found: Written, prefix: str) -> str:
    from mercer import __version__

    lines = [
        f"{type(estimator).__name__}, written by mercer {__version__}. C99; link with -lm.",
        "",
    ]
    lines += [f"x has {found.n_features} numbers:", *_feature_lines(estimator, node)]
    if found.decision is not None:
        lines += [f"{prefix}decision_function sets {found.width}."]
    if found.probabilities is not None:
        lines += [f"{prefix}predict_proba sets {found.n_probabilities}."]
    if found.prediction is not None and found.width > 1:
        lines += [f"{prefix}predict sets {found.width}."]
    safe = [_plain(line) for line in lines]
    return "/*\n" + "\n".join(f" * {line}".rstrip() for line in safe) + "\n */"


def _feature_lines(estimator: Any, node: Node) -> list[str]:
    n = feature_count(estimator)
    names = [str(name) for name in getattr(estimator, "feature_names_in_", [""] * n)]
    words = _text_categories(first_steps(node), n)
    lines = []
    for place, (name, known) in enumerate(zip(names, words, strict=True)):
        if name or known:
            codes = ", ".join(f"{k} = {_quoted(word)}" for k, word in enumerate(known))
            lines.append(f"  x[{place}] {name} {codes}".rstrip())
    return lines


def _text_categories(steps: Sequence[Step], n: int) -> list[list[str]]:
    """The strings that numbers stand for in each column of the input."""
    found: list[list[str]] = [[] for _ in range(n)]
    for step in steps[:1]:
        if isinstance(step, OneHot):
            own = zip(step.categories, step.is_text, strict=True)
            return [[str(word) for word in known] if text else [] for known, text in own]
        if isinstance(step, Branches):
            for places, inner in step.parts:
                own_words = _text_categories(inner, len(places))
                for place, known in zip(places.tolist(), own_words, strict=True):
                    found[place] = known or found[place]
    return found


def _quoted(word: str) -> str:
    """A category as a comment shows it: it may hold the commas between categories."""
    return f'"{word}"' if word else "missing"


def _plain(line: str) -> str:
    """A line that can stand in a comment of any C file; letters of any language stay."""
    text = line.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")
    return re.sub(r"\\$", "", "".join(c if c.isprintable() else "?" for c in text))
