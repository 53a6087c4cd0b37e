"""The section of the page on other C: a slider, curves and, in a plane, the boundary."""

from __future__ import annotations

from typing import Any

from mercer.report.page.charts import Frame, dots, picture
from mercer.report.page.contours import contour
from mercer.report.page.html import details, figure, paragraph, section, table
from mercer.report.page.of_reasons import which_rows
from mercer.report.words import count, number, percent

__all__ = ["path_section"]

Data = dict[str, Any]
HEADING = "What another C would do"


def path_section(data: Data) -> str:
    """Error and support vectors over C, exact, and the boundary where rows are two numbers."""
    found = data["path"]
    if found is None:
        return ""
    if found["why_not"] is not None:
        why = paragraph(f"Not followed: {found['why_not']}.", "dim")
        return section("path", HEADING, why)
    words = paragraph(_words(data, found))
    curves = f'<div class="pair">{_errors(data, found)}{_support(found)}</div>'
    drawn = "" if found["plane"] is None else _plane(data, found)
    return section("path", HEADING, words, _slider(data, found), curves, _table(data, found), drawn)


def shown_error(data: Data, error: float) -> str:
    """As a share of rows, or in units of the target."""
    return percent(error) if data["task"] == "classes" else number(error)


def _kind(data: Data) -> str:
    return "share of wrong rows" if data["task"] == "classes" else "RMSE"


def sentence(words: str) -> str:
    """With a capital letter in front, the others as they are."""
    return words[:1].upper() + words[1:]


def _words(data: Data, found: Data) -> str:
    of = data["training"]["n_rows"]
    rows = count(of, "training row")
    if found["n_rows"] < of:
        rows = f"{found['n_rows']:,} of {rows}, drawn with classes in equal shares"
    at = found["least_at"]
    if isinstance(at, list):
        where = f"from C = {number(at[0])} to {number(at[1])}"
    else:
        where = f"at C = {number(at)}"
    least, own = (shown_error(data, e) for e in (found["least_error"], _own_error(found)))
    kind = _kind(data)
    compared = "as at" if own == least else f"against {own} at"
    return (
        f"The machine has C = {number(found['C'][found['own']])}. The machines of every C are "
        f"known from {count(found['n_events'], 'event')} of the exact path on {rows}. On the rows "
        f"judged here the {kind} is least {where}: {least}, {compared} the C of the machine. To "
        "choose C by that would be to fit these rows; it shows how much the choice matters."
    )


def _own_error(found: Data) -> float:
    return float(found["error"][found["own"]])


def _slider(data: Data, found: Data) -> str:
    """Hidden until the script shows it."""
    return (
        '<div class="slider" id="path-controls" hidden>'
        '<label for="C">C = <strong id="C-at"></strong></label>'
        f'<input type="range" id="C" min="0" max="{len(found["C"]) - 1}" value="{found["own"]}">'
        f'<p aria-live="polite">{_kind(data)} <strong id="C-error"></strong>; support vectors '
        '<strong id="C-support"></strong>.</p>'
        '<button type="button" id="C-reset">the machine\'s own</button></div>'
    )


def _errors(data: Data, found: Data) -> str:
    most = max(found["error"]) * 1.05 or 1.0
    frame = Frame(_ends(found), (0.0, most), is_log_x=True)
    words = (
        f"{sentence(_kind(data))} on the rows judged, over C. The dashed line is the C of the "
        "machine."
    )
    return figure(_curve(found, found["error"], frame, _kind(data), "error", words), words)


def _support(found: Data) -> str:
    frame = Frame(_ends(found), (0.0, max(found["n_support"]) * 1.05 or 1.0), is_log_x=True)
    words = (
        f"Support vectors of {count(found['n_rows'], 'training row')}, over C: the fewer, the "
        "smaller and faster the machine."
    )
    drawn = _curve(found, found["n_support"], frame, "support vectors", "support", words)
    return figure(drawn, words)


def _ends(found: Data) -> tuple[float, float]:
    low, high = found["C"][0], found["C"][-1]
    return (low, high) if high > low else (low / 2, high * 2)


def _curve(found: Data, values: list[float], frame: Frame, name: str, mark: str, words: str) -> str:
    """A curve over C, and a dot that the slider moves along it."""
    C, own = found["C"], found["own"]
    places = [frame.at(*pair) for pair in zip(C, values, strict=True)]
    across = frame.across(C[own])
    x, y = places[own].split(",")
    drawn = (
        frame.axes("C", name)
        + f'<path class="rule" d="M{across:.1f} {frame.down(frame.y[1]):.1f}'
        + f'V{frame.down(frame.y[0]):.1f}"/><path class="curve" d="M{"L".join(places)}"/>'
        + f'<circle class="ring" id="C-{mark}-dot" data-at="{" ".join(places)}" cx="{x}" '
        + f'cy="{y}" r="6"/>'
    )
    return picture(drawn, words)


def _plane(data: Data, found: Data) -> str:
    """The boundary of each C; the script shows one after the other."""
    plane, own = found["plane"], found["own"]
    x, y = plane["x"], plane["y"]
    frame = Frame((x[0], x[-1]), (y[0], y[-1]))
    lines = []
    for k, values in enumerate(plane["values"]):
        margins = "".join(contour(frame, x, y, values, level) for level in (-1.0, 1.0))
        shown = " shown" if k == own else ""
        lines.append(
            f'<g class="of-C{shown}" id="C-{k}"><path class="rule" d="{margins}"/>'
            f'<path class="curve" d="{contour(frame, x, y, values, 0.0)}"/></g>'
        )
    groups = [
        [
            point
            for point, second in zip(plane["points"], plane["is_second"], strict=True)
            if own_ == second
        ]
        for own_ in (False, True)
    ]
    first, second = (dots(frame, *_columns(group)) for group in groups)
    names = data["confusion"]["classes"]
    words = (
        f"The boundary (solid) and the margins, where the decision value is 1 and -1 (dashed), "
        f"with {count(len(plane['rows']), 'row')} of those judged: full dots are {names[1]}, open "
        f"ones {names[0]}. The slider over C moves them."
    )
    drawn = frame.axes(*plane["names"]) + f'<g class="open">{first}</g>{second}' + "".join(lines)
    rows = [
        (row, number(a), number(b), names[int(is_second)])
        for row, (a, b), is_second in zip(
            _row_names(plane), plane["points"], plane["is_second"], strict=True
        )
    ]
    made = table(
        f"Rows drawn; {which_rows(plane['labels'][0])}",
        ("row", *plane["names"], "true class"),
        rows,
        (3,),
    )
    return figure(picture(drawn, words), words, made)


def _row_names(plane: Data) -> list[Any]:
    """Of the rows drawn."""
    pairs = zip(plane["rows"], plane["labels"], strict=True)
    return [row if label is None else label for row, label in pairs]


def _columns(points: list[list[float]]) -> tuple[list[float], list[float]]:
    return [point[0] for point in points], [point[1] for point in points]


def _table(data: Data, found: Data) -> str:
    rows = [
        (
            number(C) + (" (own)" if k == found["own"] else ""),
            shown_error(data, found["error"][k]),
            f"{found['n_support'][k]:,}",
        )
        for k, C in enumerate(found["C"])
    ]
    made = table("What each C does", ("C", _kind(data), "support vectors"), rows)
    return details("The numbers as a table", made)
