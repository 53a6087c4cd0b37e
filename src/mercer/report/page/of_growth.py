"""The section of the page on more rows: the learning curve."""

from __future__ import annotations

from typing import Any

from mercer.report.page.charts import Frame, dots, picture
from mercer.report.page.html import figure, paragraph, section, table
from mercer.report.page.of_path import sentence, shown_error
from mercer.report.words import count, number, percent

__all__ = ["growth_section"]

Data = dict[str, Any]
HEADING = "Would more rows help?"


def growth_section(data: Data) -> str:
    """Error against the number of training rows, and what the last doubling gained."""
    found = data["growth"]
    if found is None:
        return ""
    if found["why_not"] is not None:
        return section("growth", HEADING, paragraph(f"Not known: {found['why_not']}.", "dim"))
    answer = paragraph(_answer(data, found))
    return section("growth", HEADING, answer, _drawn(data, found))


def _answer(data: Data, found: Data) -> str:
    gain = found["gain"]
    if gain is None or gain["interval"] is None:
        return "Too few rows to tell."
    doubled = f"From {gain['from']:,} to {count(gain['to'], 'training row')}"
    low, high = (_loss(data, end) for end in gain["interval"])
    sure = percent(data["verdict"]["confidence"]).replace(".0", "")
    lost = "the share of wrong rows" if data["task"] == "classes" else "the mean squared error"
    words = (
        f"{doubled} {lost} fell by {_loss(data, gain['mean'])} ({sure} interval {low} to {high}). "
    )
    if gain["mean"] < 0:
        words = f"{doubled} {lost} rose by {_loss(data, -gain['mean'])} "
        words += f"({sure} interval of the fall {low} to {high}). "
    return (
        words
        + {
            "yes": "More rows are likely to help.",
            "no": "More rows like these did not help.",
            "not shown": "That is within what chance does: it is not shown that more rows help.",
        }[gain["more_rows_help"]]
    )


def _loss(data: Data, value: float) -> str:
    return f"{100 * value:.1f} points" if data["task"] == "classes" else number(value)


def _drawn(data: Data, found: Data) -> str:
    sizes, error = found["n_rows"], found["error"]
    kind = "share of wrong rows" if data["task"] == "classes" else "RMSE"
    frame = Frame(
        (sizes[0] / 1.2, sizes[-1] * 1.2), (0.0, max(found["highest"]) * 1.05 or 1.0), is_log_x=True
    )
    whiskers = "".join(
        f'<path class="whisker" d="M{frame.at(n, low)}L{frame.at(n, high)}"/>'
        for n, low, high in zip(sizes, found["lowest"], found["highest"], strict=True)
    )
    line = "L".join(frame.at(*pair) for pair in zip(sizes, error, strict=True))
    words = (
        f"{sentence(kind)} on the rows judged, after training on parts of the rows with the "
        "parameters and the preparation of the machine: the mean and the range over parts drawn "
        "at random. The last point is the machine itself."
    )
    drawn = (
        frame.axes("training rows", kind)
        + whiskers
        + f'<path class="curve" d="M{line}"/>'
        + dots(frame, sizes, error, 3.5)
    )
    rows = [
        (f"{n:,}", m, shown_error(data, mean), f"{shown_error(data, a)} to {shown_error(data, b)}")
        for n, m, mean, a, b in zip(
            sizes, found["n_machines"], error, found["lowest"], found["highest"], strict=True
        )
    ]
    head = ("training rows", "machines", f"mean {kind}", "range")
    return figure(picture(drawn, words), words, table("Errors by training rows", head, rows))
