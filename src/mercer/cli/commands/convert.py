"""``mercer convert``."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from mercer.cli.errors import InputError
from mercer.cli.models.formats import format_of, read_model, write_model
from mercer.cli.output.destination import check_destination
from mercer.cli.output.report import size_text
from mercer.io.exchange.preparation import NotExported

__all__ = ["convert"]

# What is made around a machine, and the option that asks for it.
_AROUND = {"Conformal": "--conformal", "ThresholdSVC": "--proba, or without --cost"}


def convert(model: Path, out: Path, precision: str, force: bool) -> str:
    """Write the model of one file to another; returns what was done in a line."""
    kind = format_of(out)
    if precision == "single" and kind not in ("onnx", "c"):
        raise InputError(f"--precision single is for .onnx and .c, got {out}")
    check_destination(out, model, option="OUT")
    if out.exists() and not force:
        raise InputError(f"the file {out} exists; replace it with --force, or give another name")
    estimator, metadata = read_model(model)
    try:
        write_model(estimator, out, metadata, precision)
    except ImportError as error:
        raise InputError(str(error)) from None
    except NotExported as error:
        raise InputError(f"{error}{_remedy(error.columns)}") from None
    except ValueError as error:
        option = next((own for name, own in _AROUND.items() if str(error).startswith(name)), None)
        if option is None:
            raise
        told = str(error).partition(";")[0]
        raise InputError(f"{told}: train the model to convert without {option}") from None
    return f"{type(estimator).__name__} of {model} written to {out}, {_size(out)}"


def _remedy(columns: list[str]) -> str:
    """How to train a model that can be converted."""
    if not columns:
        return ""
    dropped = ",".join(f"{name}=drop" for name in columns)
    which = "it" if len(columns) == 1 else "them"
    return f"; train without {which}: --columns {quote(dropped)}"


def _size(path: Path) -> str:
    return str(size_text(path.stat().st_size))
