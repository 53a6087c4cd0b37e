"""Sections of the page on numbers and probabilities: predicted and true, calibration."""

from __future__ import annotations

from typing import Any

from mercer.report.page.charts import Frame, dots, picture
from mercer.report.page.html import details, figure, section, table
from mercer.report.words import count, number, percent, spread

__all__ = ["calibration_section", "residuals_section"]

Data = dict[str, Any]


def residuals_section(data: Data) -> str:
    """Predicted against true, and what is left."""
    found = data["residuals"]
    if found is None:
        return ""
    true, said = found["true"], found["predicted"]
    left = [a - b for a, b in zip(true, said, strict=True)]
    whole, across = _ends([*true, *said]), _ends(said)
    size = max(map(abs, left)) or 1.0
    equal, zero = Frame(whole, whole), Frame(across, (-1.05 * size, 1.05 * size))
    line = (
        f'<path class="rule" d="M{equal.at(whole[0], whole[0])}L{equal.at(whole[1], whole[1])}"/>'
    )
    flat = f'<path class="rule" d="M{zero.at(across[0], 0.0)}L{zero.at(across[1], 0.0)}"/>'
    verdict = data["verdict"]
    words = (
        f"{count(found['n_points'], 'row')} of {verdict['n_rows']:,}: what is predicted against "
        f"what is true; RMSE {number(verdict['rmse'])}. On the dashed line both are equal."
    )
    first = picture(equal.axes("predicted", "true") + line + dots(equal, said, true), words)
    rest = "What is left of the target (true minus predicted) against what is predicted."
    second = picture(
        zero.axes("predicted", "true - predicted") + flat + dots(zero, said, left), rest
    )
    pair = f'<div class="pair">{figure(first, words)}{figure(second, rest)}</div>'
    return section("residuals", "Predicted and true", pair, _bands(found["bands"]))


def _bands(bands: list[Data]) -> str:
    rows = [
        (
            f"{number(one['low'])} to {number(one['high'])}",
            f"{one['n_rows']:,}",
            number(one["mean_predicted"]),
            number(one["mean_true"]),
            number(one["rmse"]),
        )
        for one in bands
    ]
    head = ("predicted", "rows", "mean predicted", "mean true", "RMSE")
    return details("The numbers as a table", table("All rows, by what is predicted", head, rows))


def _ends(values: list[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    room = 0.04 * (high - low) or 1.0
    return low - room, high + room


def calibration_section(data: Data) -> str:
    """Probabilities against what was observed, with a band."""
    found = data["calibration"]
    if found is None:
        return ""
    bins = found["bins"]
    frame = Frame((0.0, 1.0), (0.0, 1.0))
    upper = [frame.at(one["mean_said"], one["interval"][1]) for one in bins]
    lower = [frame.at(one["mean_said"], one["interval"][0]) for one in reversed(bins)]
    middle = [frame.at(one["mean_said"], one["observed"]) for one in bins]
    drawn = (
        f'<path class="band" d="M{"L".join(upper + lower)}Z"/>'
        + frame.axes("probability said", "share observed")
        + f'<path class="rule" d="M{frame.at(0, 0)}L{frame.at(1, 1)}"/>'
        + f'<path class="curve" d="M{"L".join(middle)}"/>'
        + dots(frame, [one["mean_said"] for one in bins], [one["observed"] for one in bins], 3.5)
    )
    of = "the class it names" if found["of"] is None else f"class {found['of']}"
    sure = percent(found["confidence"]).replace(".0", "")
    words = (
        f"Of rows with a probability p of {of}, a share p should be of it: the dashed line. The "
        f"band is the exact {sure} interval of each bin. Log loss {number(found['log_loss'])}, "
        f"Brier score {number(found['brier'])}."
    )
    rows = [
        (
            percent(one["mean_said"]),
            percent(one["observed"]),
            spread(one["interval"]),
            f"{one['n_rows']:,}",
        )
        for one in bins
    ]
    made = table("Calibration", ("said", "observed", f"{sure} interval", "rows"), rows)
    return section(
        "calibration", "Are the probabilities right?", figure(picture(drawn, words), words, made)
    )
