"""How results present themselves: a few lines, arrays by their shape."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

__all__ = ["shown"]

_FEW = 4  # numbers of an array, or entries of a list, that are written out
_LONGEST = 60  # characters of one value
_WIDTH = 96
_WHOLE: Any = {"break_long_words": False, "break_on_hyphens": False}


def shown(names: str = "") -> Callable[[Any], str]:
    """A ``__repr__`` that shows these attributes; without names all public fields of a dataclass.

    Attributes that are None are left out.
    """

    def __repr__(self: Any) -> str:
        chosen = names.split() or [field.name for field in dataclasses.fields(self)]
        values = ((name, getattr(self, name)) for name in chosen if not name.startswith("_"))
        parts = [f"{name}={_brief(value)}" for name, value in values if value is not None]
        # a line may end between two attributes only
        whole = ", ".join(part.replace(" ", "\0") for part in parts)
        text = f"{type(self).__name__}({whole})"
        return textwrap.fill(text, _WIDTH, subsequent_indent="    ", **_WHOLE).replace("\0", " ")

    return __repr__


def _brief(value: Any) -> str:
    """A value in a few words."""
    if isinstance(value, np.ndarray) or hasattr(value, "nnz"):
        return _brief_array(value)
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, list | tuple):
        return _brief_entries(value)
    if isinstance(value, Mapping):
        return f"<{len(value)} entries>"
    text = repr(value)
    return text if len(text) <= _LONGEST and "\n" not in text else _named(value, text)


def _brief_array(value: Any) -> str:
    if isinstance(value, np.ndarray) and 0 < value.size <= _FEW and value.dtype.names is None:
        return _few(value.tolist())
    shape = " x ".join(str(size) for size in value.shape)
    return f"<{shape} {value.dtype if value.dtype.names is None else 'records'}>"


def _few(values: Any) -> str:
    """Entries of an array, in nested lists as they are."""
    return f"[{', '.join(map(_few, values))}]" if isinstance(values, list) else _brief(values)


def _brief_entries(value: list[Any] | tuple[Any, ...]) -> str:
    if len(value) > _FEW:
        return f"<{len(value)} entries>"
    text = f"[{', '.join(map(_brief, value))}]"
    return text if len(text) <= _LONGEST else f"<{len(value)} entries>"


def _named(value: Any, text: str) -> str:
    return f"{text[: _LONGEST - 4]}...'" if isinstance(value, str) else f"<{type(value).__name__}>"
