"""Sections of the page on classes: what is taken for what, thresholds, each class."""

from __future__ import annotations

from html import escape
from typing import Any

from mercer.report.page.html import details, region, section, table, text
from mercer.report.words import number, percent, spread

__all__ = ["classes_section", "confusion_section"]

Data = dict[str, Any]


def confusion_section(data: Data) -> str:
    """The matrix, with a slider for the threshold of two classes."""
    found = data["confusion"]
    if found is None:
        return ""
    parts = []
    if found["counts"] is not None:
        parts.append(_matrix(found["classes"], found["counts"]))
    if data["thresholds"] is not None:
        parts += [_slider(data["thresholds"]), _threshold_table(data["thresholds"])]
    elif found["most_confused"]:
        rows = [(one["true"], one["said"], f"{one['count']:,}") for one in found["most_confused"]]
        made = table("Most frequent confusions", ("true class", "said", "rows"), rows, (1,))
        parts.append(details("Most frequent confusions", made) if found["counts"] else made)
    return section("confusion", "What is taken for what", *parts)


def _matrix(classes: list[Any], counts: list[list[int]]) -> str:
    head = "".join(f'<th scope="col">{text(label, 24)}</th>' for label in classes)
    rows = []
    for i, row in enumerate(counts):
        whole = max(sum(row), 1)
        cells = "".join(_cell(i, j, cell / whole, f"{cell:,}") for j, cell in enumerate(row))
        rows.append(f'<tr><th scope="row">{text(classes[i], 24)}</th>{cells}</tr>')
    caption = "Rows of each true class (lines) by what the machine says (columns)"
    inner = f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return region(caption, f'<table class="matrix">{inner}</table>')


def _cell(true: int, said: int, share: float, shown: str) -> str:
    kind = ' class="right"' if true == said else ""
    return f'<td id="c{true}-{said}"{kind} style="--share:{share:.3f}">{shown}</td>'


def _slider(found: Data) -> str:
    """Hidden until the script shows it: without scripts it could not do anything."""
    second = text(found["classes"][1], 24)
    rates = (
        ("accuracy", "all rows right"),
        ("recall", f"{second} found"),
        ("precision", f"right when {second} is said"),
        ("specificity", f"{text(found['classes'][0], 24)} found"),
    )
    shown = "; ".join(f'{words} <strong id="{name}"></strong>' for name, words in rates)
    return (
        '<div class="slider" id="controls" hidden>'
        f'<label for="threshold">Say {second} where the {escape(found["value_name"])} is above '
        '<strong id="at"></strong></label>'
        f'<input type="range" id="threshold" min="0" max="{len(found["threshold"]) - 1}" '
        f'value="{found["own"]}"><p aria-live="polite">{shown}.</p>'
        '<button type="button" id="reset">the machine\'s own</button></div>'
    )


def _threshold_table(found: Data) -> str:
    n = len(found["threshold"])
    chosen = sorted({*range(0, n, max(n // 20, 1)), found["own"]})
    first, second = found["classes"]
    n_second, n_first = found["n_second"], found["n_first"]
    head = ("threshold", f"{second} found", f"of {n_second:,}", "false alarms", f"of {n_first:,}")
    rows = [
        (
            number(found["threshold"][k]) + (" (own)" if k == found["own"] else ""),
            f"{found['true_second'][k]:,}",
            percent(found["true_second"][k] / n_second if n_second else None),
            f"{found['false_second'][k]:,}",
            percent(found["false_second"][k] / n_first if n_first else None),
        )
        for k in chosen
    ]
    caption = f"What other thresholds do; false alarms are rows of {first} called {second}"
    return details("Other thresholds as a table", table(caption, head, rows))


def classes_section(data: Data) -> str:
    """How each class fares, with intervals."""
    scores = data["classes"]
    if scores is None:
        return ""
    sure = percent(data["verdict"]["confidence"]).replace(".0", "")
    head = ("class", "rows", "found", f"{sure} interval", "right when said", "interval", "F1")
    rows = [
        (
            one["class"],
            f"{one['n_rows']:,}",
            percent(one["recall"]),
            spread(one["recall_interval"]),
            percent(one["precision"]),
            spread(one["precision_interval"]),
            "–" if one["f1"] is None else f"{one['f1']:.3f}",
        )
        for one in scores
    ]
    made = table("How each class fares; intervals are exact (Clopper-Pearson)", head, rows)
    return section("classes", "Each class", made)
