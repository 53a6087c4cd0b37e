"""Sections of the page that tell how rows are predicted, in their order."""

from __future__ import annotations

from typing import Any

from mercer.report.page.html import paragraph, section
from mercer.report.page.of_classes import classes_section, confusion_section
from mercer.report.page.of_path import path_section
from mercer.report.page.of_reasons import features_section, rows_section, suspects_section
from mercer.report.page.of_values import calibration_section, residuals_section
from mercer.report.words import verdict_lines, warnings_of

__all__ = ["sections_of_rows", "verdict_section"]

Data = dict[str, Any]
_SECTIONS = (
    confusion_section,
    classes_section,
    residuals_section,
    path_section,
    features_section,
    rows_section,
    suspects_section,
    calibration_section,
)


def verdict_section(data: Data) -> str:
    """The verdict in words, and what takes away from it."""
    first, *rest = verdict_lines(data)
    notes = [paragraph(note, "note") for note in warnings_of(data)]
    return section("verdict", "Verdict", paragraph(first, "verdict"), *map(paragraph, rest), *notes)


def sections_of_rows(data: Data) -> list[str]:
    """All that apply, in the order of the page."""
    return [made for section_of in _SECTIONS if (made := section_of(data))]
