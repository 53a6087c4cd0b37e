"""Sections of the page on reasons: features, doubtful rows, suspected labels."""

from __future__ import annotations

from typing import Any

from mercer.report.page.charts import LETTERS, bars
from mercer.report.page.html import clipped, figure, paragraph, section, table
from mercer.report.words import count, number

__all__ = ["features_section", "rows_section", "suspects_section", "which_rows"]

Data = dict[str, Any]


def features_section(data: Data) -> str:
    """Mean sizes of Shapley values."""
    found = data["reasons"]
    if found is None:
        return ""
    if found["features"] is None:
        why = paragraph(f"Not explained: {found['why_not']}", "dim")
        return section("features", "Which features count", why)
    names = [one["name"] for one in found["features"]]
    sizes = [one["mean_size"] for one in found["features"]]
    mean = " and classes" if found["is_mean_of_classes"] else ""
    more = found["n_features"] - len(names)
    words = (
        f"Mean size of the exact Shapley values over {count(found['n_rows'], 'row')}{mean}, "
        f"against {count(found['n_background'], 'background row')}: how far a feature moves the "
        f"value of a row." + (f" {count(more, 'more feature')} count less." if more else "")
    )
    rows = list(zip(names, map(number, sizes), strict=True))
    made = figure(bars(names, sizes, words), words, table(words, ("feature", "mean size"), rows))
    return section("features", "Which features count", made)


def rows_section(data: Data) -> str:
    """Rows that are nearly another class, or far off, and what moved them."""
    parts = []
    is_number = data["task"] == "numbers"
    if data["doubtful"]:
        nearest = "The largest residuals" if is_number else "The rows nearest to a boundary"
        caption = f"{nearest}; {which_rows(data['doubtful'][0]['label'])}"
        parts.append(_row_table(caption, data["doubtful"], is_number))
        parts += [] if is_number else [paragraph(f"{_margin_words(data)}.", "dim")]
    explained = [f"<div>{_one_row(one)}</div>" for one in (data["reasons"] or {}).get("rows", [])]
    if explained:
        parts.append(paragraph(_direction(data)))
        parts.append(f'<div class="pair">{"".join(explained)}</div>')
    heading = "The largest errors" if is_number else "The most doubtful rows"
    return section("doubtful", f"{heading}, explained", *parts) if parts else ""


def which_rows(label: Any) -> str:
    """How rows are called."""
    return "the first row is 0" if label is None else "rows by the index of the table"


def _row_name(one: Data) -> Any:
    """The label of a row in the index of its table, or else its number."""
    return one["row"] if one["label"] is None else one["label"]


def _row_table(caption: str, listed: list[Data], is_number: bool) -> str:
    """Rows with their true and predicted labels; outliers have no true ones."""
    kind = "residual" if is_number else "margin"
    if listed[0]["true"] is None:
        rows = [(_row_name(one), _shown(one["said"]), number(one[kind])) for one in listed]
        return table(caption, ("row", "said", kind), rows, (1,))
    whole = [
        (_row_name(one), _shown(one["true"]), _shown(one["said"]), number(one[kind]))
        for one in listed
    ]
    return table(caption, ("row", "true", "said", kind), whole, () if is_number else (1, 2))


def _margin_words(data: Data) -> str:
    """How a margin goes with the value that is explained."""
    classes = (data["confusion"] or {}).get("classes") or []
    if data["task"] == "outliers" or len(classes) == 2:
        return "Margin: twice how far the value of the row is from where the prediction changes"
    return "Margin: the value of the row for its class less the largest one of the other classes"


def _direction(data: Data) -> str:
    """What it means that a feature moves a value up or down."""
    if data["task"] == "numbers":
        return "How far each feature moves the prediction of a row, in units of the target."
    if data["task"] == "outliers":
        return "Bars to the right speak for a normal row, bars to the left for an outlier."
    classes = (data["confusion"] or {}).get("classes") or []
    if len(classes) != 2:
        return "Bars to the right speak for the class that is said, bars to the left against it."
    first, second = (clipped(label) for label in classes)
    return f"Bars to the right speak for {second}, bars to the left for {first}."


def _one_row(one: Data) -> str:
    names = [_with_value(part) for part in one["parts"]]
    values = [part["value"] for part in one["parts"]]
    if one["n_rest"]:
        names.append(f"{one['n_rest']:,} more")
        values.append(one["rest"])
    of = "" if one["output"] is None else f" for {one['output']}"
    words = (
        f"Row {_row_name(one)}, said to be {_shown(one['said'])}: from the mean value{of}, "
        f"{number(one['base'])}, its features lead to {number(one['value'])}."
    )
    made = table(words, ("feature", "moves by"), zip(names, map(number, values), strict=True))
    return figure(bars(names, values, words), words, made)


def _with_value(part: Data) -> str:
    """A feature and its value, which stays whole where the name is too long."""
    value = clipped(_shown(part["data"]), LETTERS // 2)
    return f"{clipped(part['name'], LETTERS - 3 - len(value))} = {value}"


def _shown(value: Any) -> str:
    return number(value) if value is None or isinstance(value, float) else str(value)


def suspects_section(data: Data) -> str:
    """Rows whose label is contradicted."""
    found = data["suspects"]
    if found is None:
        return ""
    is_number = data["task"] == "numbers"
    heading = f"Suspected wrong {'targets' if is_number else 'labels'}"
    if not found["rows"]:
        return section("suspects", heading, paragraph("None."))
    what = (
        "rows lie beyond three robust deviations of the residuals"
        if is_number
        else "rows have a label that the machine contradicts"
    )
    words = paragraph(
        f"{found['n_found']:,} {what}: either it errs, or the label does. The most contradicted "
        "first: look at these."
    )
    caption = f"Most contradicted; {which_rows(found['rows'][0]['label'])}"
    made = _row_table(caption, found["rows"], is_number)
    margin = f"{_margin_words(data)}, less than 0 against the label."
    told = [] if is_number else [paragraph(margin, "dim")]
    return section("suspects", heading, words, made, *told)
