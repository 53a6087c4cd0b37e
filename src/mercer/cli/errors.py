"""Error messages and their exit codes."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

__all__ = [
    "BAD_INPUT",
    "COMMAND",
    "INTERRUPTED",
    "NARROW",
    "NOT_CONVERGED",
    "CommandGroup",
    "Commands",
    "InputError",
    "absent",
    "collecting",
    "explained",
    "meant",
    "plural",
    "quoted",
    "raise_all",
    "shown",
    "working",
]

BAD_INPUT = 1
COMMAND = "mercer.command"  # what the user typed, in the meta of the context
NOT_CONVERGED = 2
# that of click, which newer versions of typer keep to themselves
_UsageError: Any = typer.BadParameter.__bases__[0]
INTERRUPTED = 130
NARROW = 60  # columns of a terminal below which frames leave too little
MOST_NAMES = 20
LONGEST = 60
_CHOICE = re.compile(r"'(.*)' is not one of (.*)", re.DOTALL)


class InputError(ValueError):
    """The input cannot be used; the message says why and what to do, of several problems all."""

    @property
    def problems(self) -> list[str]:
        """Each of them."""
        return [str(own) for own in self.args]

    def __str__(self) -> str:
        if len(self.args) < 2:
            return super().__str__()
        listed = [f"  {k}. {own}" for k, own in enumerate(self.problems, start=1)]
        return "\n".join([f"there are {len(listed)} problems", *listed])


class CommandGroup(TyperGroup):
    """Commands whose help has frames where there is room for them."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command."""
        command: Any = super().get_command(ctx, cmd_name)
        if command is not None:
            command.rich_markup_mode = _markup()
        return command

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of all commands."""
        self.rich_markup_mode = _markup()
        super().format_help(ctx, formatter)


class Commands(CommandGroup):
    """Commands whose wrong options end with the same exit code as wrong data."""

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Read the options before the name of a command."""
        args = options.get("args", arguments[1] if len(arguments) > 1 else ())
        typed = shlex.join(["mercer", *args])  # before they are taken from the list
        with _of_usage():
            context = super().make_context(*arguments, **options)
        context.meta[COMMAND] = typed
        return context

    def invoke(self, ctx: Any) -> Any:
        """Read the options of a command, and run it."""
        with _of_usage():
            return super().invoke(ctx)


def _markup() -> Any:
    """Frames and colours of the help; on narrow terminals plain text, which is not cut off."""
    return "rich" if shutil.get_terminal_size().columns >= NARROW else None


@contextmanager
def _of_usage() -> Iterator[None]:
    try:
        yield
    except _UsageError as error:
        error.exit_code = BAD_INPUT
        error.message = _usage_text(error)
        raise


def _usage_text(error: Any) -> str:
    """The error in an option, and a suggestion."""
    text = str(error.message).removeprefix("Value error, ")
    option = (
        getattr(error, "option_name", None)
        or getattr(getattr(error, "param", None), "opts", [""])[0]
    )
    if option in ("--C-range", "--gamma-range"):
        return f"{text.rstrip('.')}: give two numbers with a space, as in {option} 0.1 10"
    found = _CHOICE.match(text)
    if found is None:
        return text
    close = get_close_matches(found[1].lower(), re.findall("'([^']+)'", found[2]), n=1)
    return f"{text.rstrip('.')}; did you mean {close[0]!r}?" if close else text


@contextmanager
def collecting(problems: list[str]) -> Iterator[None]:
    """Keep the errors of a part of the input, to report all parts at once."""
    try:
        yield
    except InputError as error:
        problems.extend(error.problems or [str(error)])


def raise_all(problems: Sequence[str]) -> None:
    """Raise one InputError for all problems, if there are any."""
    if problems:
        raise InputError(*problems)


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """Return "1 row" or "1,234 rows"."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def quoted(names: Sequence[str]) -> str:
    """Return names as a message lists them, the first few of many and the last one."""
    more = ""
    if len(names) > MOST_NAMES:
        more = f" and {len(names) - MOST_NAMES:,} more, the last one {shown(names[-1])}"
    return ", ".join(shown(name) for name in names[:MOST_NAMES]) + more


def absent(name: str, names: Sequence[str]) -> str:
    """Return that there is no such column, the one that may be meant, and those there are."""
    return f"there is no column {name!r}{meant(name, names)}; the columns are {quoted(names)}"


def meant(name: str, names: Sequence[str]) -> str:
    """Return the name that may be meant by another one, in brackets; nothing if none is near."""
    by_lower = {own.lower(): own for own in reversed(names)}
    close = get_close_matches(name.lower(), list(by_lower), n=1)
    return f" (did you mean {shown(by_lower[close[0]])}?)" if close else ""


def shown(value: Any) -> str:
    """Return a value of a file as a message shows it: plain, and short."""
    plain = value.item() if hasattr(value, "item") else value
    text = repr(plain)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


@contextmanager
def working(errors: Console, words: str, quiet: bool = False) -> Iterator[None]:
    """Show on a terminal that something is going on which tells no share."""
    if quiet or not errors.is_terminal:
        yield
        return
    with errors.status(words):
        yield


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
