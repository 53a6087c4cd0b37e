"""The report as one HTML page, made from its data only."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from mercer.report.page.html import paragraph
from mercer.report.page.of_machine import sections_of_machine
from mercer.report.page.of_rows import sections_of_rows, verdict_section
from mercer.report.page.script import SCRIPT
from mercer.report.page.style import STYLE
from mercer.report.words import machine_line

__all__ = ["page"]

# Nothing may be asked for from anywhere, whatever stands in a label.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def page(data: dict[str, Any]) -> str:
    """Return the page of a report's data."""
    title = escape(data["title"])
    body = "\n".join([verdict_section(data), *sections_of_rows(data), *sections_of_machine(data)])
    # "</script>" inside a label would end the block
    numbers = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{paragraph(machine_line(data), "dim")}
{body}
</main>
<script type="application/json" id="data">{numbers}</script>
<script>{SCRIPT}</script>
</body>
</html>
"""
