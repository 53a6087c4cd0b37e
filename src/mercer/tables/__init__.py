"""Columns of tables as numbers: dates and text."""

from __future__ import annotations

from mercer.tables.dates import DateFeatures
from mercer.tables.texts import TextFeatures

__all__ = ["DateFeatures", "TextFeatures"]
