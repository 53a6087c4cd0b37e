"""Docstrings of machines that share parameters: each is complete, and no text stands twice."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

__all__ = ["documented", "entries"]

Class = TypeVar("Class", bound=type)
PARAMETERS, ATTRIBUTES = "Parameters", "Attributes"


def documented(*, like: type, without: Collection[str] = ()) -> Callable[[Class], Class]:
    """Add what a class leaves out of its docstring, in the words of another class.

    Parameters
    ----------
    like : type
        Whose words stand for the parameters and attributes that the class does not describe.
    without : collection of str, default=()
        Attributes of `like` that the class does not have.
    """

    def complete(cls: Class) -> Class:
        if cls.__doc__ is None or like.__doc__ is None:  # python -OO
            return cls
        text = inspect.cleandoc(cls.__doc__)
        lent = {section: entries(like.__doc__, section) for section in (PARAMETERS, ATTRIBUTES)}
        parameters = lent[PARAMETERS] | entries(text, PARAMETERS)
        names = [name for name in inspect.signature(cls).parameters if name in parameters]
        attributes = {k: v for k, v in lent[ATTRIBUTES].items() if k not in without}
        attributes = entries(text, ATTRIBUTES) | attributes | entries(text, ATTRIBUTES)
        text = _with_section(text, PARAMETERS, (parameters[name] for name in names))
        cls.__doc__ = _with_section(text, ATTRIBUTES, attributes.values())
        return cls

    return complete


def entries(docstring: str, section: str) -> dict[str, str]:
    """The entries of a section of a numpydoc docstring, by name."""
    body = _section(section).search(inspect.cleandoc(docstring))
    if body is None:
        return {}
    parts = re.split(r"\n(?=\S)", body["body"].strip("\n"))
    return {part.partition(" : ")[0]: part for part in parts if " : " in part}


def _section(name: str) -> re.Pattern[str]:
    """A heading, its line, and all up to the next heading."""
    return re.compile(
        rf"^{name}\n-+\n(?P<body>.*?)(?=\n\n[A-Z][A-Za-z ]+\n-+\n|\Z)", re.MULTILINE | re.DOTALL
    )


def _with_section(text: str, name: str, parts: Iterable[str]) -> str:
    section = "\n".join([name, "-" * len(name), *parts])
    if not _section(name).search(text):
        place = text.find("\n\nExamples\n---")
        before, after = (text, "") if place < 0 else (text[:place], text[place:])
        return f"{before}\n\n{section}{after}"
    return _section(name).sub(lambda _: section, text)
