"""What the user is told when something is wrong, and the exit code that goes with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

__all__ = ["BAD_INPUT", "INTERRUPTED", "InputError", "explained", "quoted", "shown"]

BAD_INPUT = 2
INTERRUPTED = 130
MOST_NAMES = 20
LONGEST = 60


class InputError(ValueError):
    """The input cannot be used; the message says why and what to do."""


def quoted(names: Sequence[str]) -> str:
    """Return names as a message lists them, the first few of many."""
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return ", ".join(shown(name) for name in names[:MOST_NAMES]) + more


def shown(value: Any) -> str:
    """Return a value of a file as a message shows it: plain, and short."""
    plain = value.item() if hasattr(value, "item") else value
    text = repr(plain)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


@contextmanager
def explained(errors: Console) -> Iterator[None]:
    """Turn errors of the input and Ctrl-C into one message and an exit code."""
    try:
        yield
    except KeyboardInterrupt:
        errors.print("interrupted", style="yellow")
        raise typer.Exit(INTERRUPTED) from None
    except MemoryError:
        _show(errors, "there is not enough memory for this data")
        raise typer.Exit(BAD_INPUT) from None
    except BrokenPipeError:
        # The reader of the output has seen enough.
        raise
    except (ValueError, TypeError, OSError) as error:
        _show(errors, _message(error))
        raise typer.Exit(BAD_INPUT) from None


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _show(errors: Console, message: str) -> None:
    # Text, not markup: names of columns may hold brackets.
    # Lines are broken for people only; programs get the message on one.
    text = Text.assemble(("error: ", "bold red"), message)
    errors.print(text, soft_wrap=not errors.is_terminal)
