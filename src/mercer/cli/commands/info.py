"""``mercer info``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text
from sklearn.pipeline import Pipeline

from mercer.cli.commands.exported import describe_c, describe_onnx
from mercer.cli.models.card import Card, read_card
from mercer.cli.models.costs import threshold_machine, threshold_record
from mercer.cli.models.formats import format_inside
from mercer.cli.models.inputs import inner_machine, inside
from mercer.cli.output.columns import column_lines
from mercer.cli.output.report import (
    MOST_SHOWN,
    certificate_lines,
    class_text,
    framed,
    kernel_text,
    machine_line,
    plural,
    score_text,
    size_text,
    support_line,
)
from mercer.cli.output.threshold_lines import rule_text
from mercer.io import load, load_libsvm, read_metadata
from mercer.io.model_file import RESULTS
from mercer.machines.certified import certificate
from mercer.paths import ErrorCurve, StepFunction
from mercer.training.feature_count import feature_count

__all__ = ["describe", "record_of"]

MODEL = "mercer.model/1"


def describe(path: Path) -> RenderableType:
    """Return what is inside a model file."""
    kind = format_inside(path)
    if kind == "onnx":
        return describe_onnx(path)
    if kind == "c":
        return describe_c(path)
    estimator = load(path) if kind == "mercer" else load_libsvm(path)
    if isinstance(estimator, RESULTS):
        return framed(str(path), _result_sections(estimator, path))
    card = read_card(path) if kind == "mercer" else None
    machine = inner_machine(estimator)
    sections: dict[str, list[str | Text]] = {"estimator": [_steps(estimator)]}
    if not hasattr(machine, "intercept_"):
        return framed(str(path), sections | {"machine": [f"{type(machine).__name__}, not fitted"]})
    sections["trained on"] = [] if card is None else [_source_line(card)]
    sections["features"] = _feature_lines(card, estimator)
    if card is not None and card.columns is not None:
        sections["prepared"] = column_lines(card.columns)
    if getattr(machine, "multilabel_", False):
        sections["labels"] = [plural(len(machine.classes_), "label")]
    elif hasattr(estimator, "classes_"):
        sections["classes"] = [class_text(estimator.classes_)]
    sections["machine"] = [machine_line(machine) + _of_several(estimator)]
    own = threshold_machine(estimator)
    sections["threshold"] = [] if own is None else [rule_text(own)]
    sections["certificate"] = certificate_lines(machine)
    if card is not None and card.scores is not None:
        sections[card.scores.name] = [score_text(card.scores)]
    sections["size"] = [support_line(machine, path.stat().st_size)]
    sections["written by"] = [_versions_line(path) if kind == "mercer" else "LIBSVM text"]
    return framed(str(path), sections)


def record_of(path: Path) -> dict[str, Any]:
    """Return what is inside a model file, as JSON has it."""
    kind = format_inside(path)
    found: dict[str, Any] = {"schema": MODEL, "file": str(path), "format": kind}
    found["n_bytes"] = path.stat().st_size
    if kind not in ("mercer", "libsvm"):
        return found
    estimator = load(path) if kind == "mercer" else load_libsvm(path)
    if isinstance(estimator, RESULTS):
        return found | {"holds": _words(estimator)}
    machine = inner_machine(estimator)
    card = read_card(path) if kind == "mercer" else None
    return found | {
        "estimator": _steps(estimator),
        "machine": type(machine).__name__,
        "features": list(getattr(estimator, "feature_names_in_", [])),
        "classes": list(getattr(estimator, "classes_", [])),
        "threshold": threshold_record(threshold_machine(estimator)),
        "kernel": repr(getattr(machine, "kernel_", None)),
        "certificate": certificate(machine),
        "training": None if card is None else card.as_metadata(),
        "written_by": read_metadata(path)["written_by"] if kind == "mercer" else None,
    }


def _result_sections(result: Any, path: Path) -> dict[str, list[str | Text]]:
    """A path, a grid or an error curve in words."""
    sections: dict[str, list[str | Text]] = {"holds": [_words(result)]}
    if getattr(result, "classes", None) is not None:
        sections["classes"] = [class_text(result.classes)]
    if getattr(result, "kernel", None) is not None:
        sections["kernel"] = [kernel_text(result.kernel)]
    if hasattr(result, "summary"):
        sections["summary"] = list(str(result.summary()).splitlines())
    sections["size"] = [size_text(path.stat().st_size)]
    sections["written by"] = [_versions_line(path)]
    return sections


def _words(result: Any) -> str:
    if not isinstance(result, StepFunction | ErrorCurve):
        return repr(result).strip("<>")
    pieces = plural(len(result.x), "piece")
    ends = f"from {result.x[0]:.4g} to {result.end:.4g}"
    return f"{type(result).__name__} of {pieces} {ends}, at least {result.minimum:.6g}"


def _steps(estimator: Any) -> str:
    """The classes of an estimator, from the outside in."""
    name = type(estimator).__name__
    if hasattr(estimator, "steps"):
        return " > ".join(_steps(step) for _, step in estimator.steps if hasattr(step, "fit"))
    inner = inside(estimator)
    if inner is not None:
        return f"{name} of {_steps(inner)}"
    if hasattr(estimator, "transformers_"):
        parts = [_steps(part) for _, part, _ in estimator.transformers_ if hasattr(part, "fit")]
        return f"{name}({', '.join(parts)})"
    return name


def _of_several(estimator: Any) -> str:
    """Which machine is described, of those that codes and calibration are made around."""
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    if hasattr(last, "estimator_"):  # of all rows, beside those of folds
        return ""
    for name in ("estimators_", "calibrated_classifiers_"):
        count = len(getattr(last, name, ()))
        if count > 1:
            return f", the first of {count}"
    return ""


def _source_line(card: Card) -> str:
    target = "" if card.target is None else f", target {card.target!r}"
    return f"{card.source}: {plural(card.n_rows, 'row')}, task {card.task}{target}"


def _versions_line(path: Path) -> str:
    versions = read_metadata(path)["written_by"]
    if not isinstance(versions, dict):
        return "an unknown version"
    return ", ".join(f"{name} {value}" for name, value in versions.items())


def _feature_lines(card: Card | None, estimator: Any) -> list[str | Text]:
    if card is None or card.columns is None:
        names = getattr(estimator, "feature_names_in_", None)
        if names is None:
            return [plural(feature_count(estimator), "feature")]
        return [_listed("feature", [str(name) for name in names])]
    return [_listed(noun, names) for noun, names in card.columns.by_kind.items() if names]


def _listed(noun: str, names: list[str]) -> str:
    more = [f"and {len(names) - MOST_SHOWN} more"] if len(names) > MOST_SHOWN else []
    return f"{plural(len(names), noun)}: {', '.join(names[:MOST_SHOWN] + more)}"
