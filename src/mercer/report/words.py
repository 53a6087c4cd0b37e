"""Numbers of a report in words; all of them are in its data."""

from __future__ import annotations

from typing import Any

__all__ = ["count", "machine_line", "number", "percent", "spread", "verdict_lines", "warnings_of"]


def percent(share: float | None) -> str:
    """95.2 %, or a dash for None."""
    return "–" if share is None else f"{100 * share:.1f} %"


def number(value: float | None) -> str:
    """Four digits, or a dash for None."""
    return "–" if value is None else f"{value:.4g}"


def count(value: int, noun: str) -> str:
    """1 row, 1,234 rows."""
    return f"{value:,} {noun}{'' if value == 1 else 's'}"


def spread(interval: list[float] | None, as_text: Any = percent) -> str:
    """An interval from its low to its high end."""
    return "–" if interval is None else f"{as_text(interval[0])} to {as_text(interval[1])}"


def machine_line(data: dict[str, Any]) -> str:
    """The machine with what was chosen of it."""
    found = data["machine"]
    parts = [f"{name} = {number(value)}" for name, value in found["chosen"].items()]
    parts += [] if found["kernel"] is None else [f"kernel {found['kernel']}"]
    parts += [count(found["n_features"], "feature")] if found["n_features"] else []
    parts += [] if found["n_support"] is None else [count(found["n_support"], "support vector")]
    return f"{found['name']}: {', '.join(parts)}"


def verdict_lines(data: dict[str, Any]) -> list[str]:
    """Headline first, then what it rests on."""
    verdict = data["verdict"]
    if verdict is None:
        return ["No rows were judged: give rows that the machine was not trained on."]
    if data["task"] == "classes":
        return _of_classes(verdict)
    return _of_numbers(verdict) if data["task"] == "numbers" else _of_outliers(verdict)


def _of_classes(verdict: dict[str, Any]) -> list[str]:
    low, high = verdict["gain_interval"]
    sure = percent(verdict["confidence"]).replace(".0", "")
    gain = f"{100 * abs(verdict['gain']):.1f} points"
    within = f"{sure} interval {100 * low:+.1f} to {100 * high:+.1f} points"
    always = f"always saying {verdict['baseline']}, the most frequent class of these rows"
    if low > 0.0:
        compared = f"Better by {gain} than {always} ({within})."
    elif high < 0.0:
        compared = f"Worse by {gain} than {always} ({within})."
    else:
        compared = f"Not shown to differ from {always} ({within}): more rows would tell."
    return [
        f"{percent(verdict['accuracy'])} of {count(verdict['n_rows'], 'row')} "
        f"{'is' if verdict['n_rows'] == 1 else 'are'} right "
        f"({sure} interval {spread(verdict['accuracy_interval'])}).",
        compared,
        f"That baseline is right on {percent(verdict['baseline_accuracy'])} "
        f"({spread(verdict['baseline_interval'])}); McNemar's p {number(verdict['p_value'])}. "
        f"Balanced accuracy {percent(verdict['balanced_accuracy'])}"
        + ("" if verdict["roc_auc"] is None else f", area under ROC {verdict['roc_auc']:.3f}")
        + ".",
    ]


def _of_numbers(verdict: dict[str, Any]) -> list[str]:
    sure = percent(verdict["confidence"]).replace(".0", "")
    rmse = (
        f"The typical error (RMSE) is {number(verdict['rmse'])} "
        f"({spread(verdict['rmse_interval'], number)}), {number(verdict['baseline_rmse'])} by "
        f"always saying the mean, {number(verdict['baseline'])}."
    )
    middle = (
        f"Half of the errors are below {number(verdict['median_absolute_error'])}, their mean is "
        f"{number(verdict['mean_absolute_error'])}; predictions are on average "
        f"{number(abs(verdict['bias']))} too {'high' if verdict['bias'] > 0 else 'low'}."
    )
    if verdict["r2"] is None:
        return ["There is no R2: the targets are all alike.", rmse, middle]
    interval = verdict["r2_interval"]
    compared = "More rows are needed to compare it with always saying the mean."
    if interval is not None and interval[0] > 0.0:
        compared = "Better than always saying the mean, whose R2 is 0."
    elif interval is not None and interval[1] < 0.0:
        compared = "Worse than always saying the mean, whose R2 is 0."
    within = "" if interval is None else f", approximate {sure} interval {spread(interval, _third)}"
    head = f"R2 is {_third(verdict['r2'])} on {count(verdict['n_rows'], 'row')}{within}."
    return [head, compared, rmse, middle]


def _third(value: float) -> str:
    return f"{value:.3f}"


def _of_outliers(verdict: dict[str, Any]) -> list[str]:
    sure = percent(verdict["confidence"]).replace(".0", "")
    return [
        f"{percent(verdict['flagged'])} of {count(verdict['n_rows'], 'row')} are called outliers "
        f"({sure} interval {spread(verdict['flagged_interval'])}).",
        "Whether they are is not known: these rows have no labels.",
    ]


def warnings_of(data: dict[str, Any]) -> list[str]:
    """Reservations about the verdict."""
    notes = []
    rows, proof = data["rows"], data["certificate"]
    seen = None if rows is None else rows["n_seen"]
    if seen and seen >= data["machine"]["n_support"]:
        notes.append(
            "All support vectors are among these rows: the machine was trained on them. They are "
            "no test; the scores are too good."
        )
    elif seen:
        notes.append(
            f"Rows equal to rows that the machine was trained on: {seen:,} of {rows['n_rows']:,}. "
            "If they are the same ones they are no test; the scores are too good."
        )
    given, n_support = data["training"], data["machine"]["n_support"]
    known = None if given is None else given["n_support"]
    if known is not None and known < n_support:
        notes.append(
            f"Of the {n_support:,} support vectors {known:,} are among the rows given as those of "
            "the training: other C and more rows are judged by other rows than these."
        )
    if proof is not None and not proof["is_converged"]:
        notes.append(
            f"Training ended before it had converged: {', '.join(proof['statuses'])}. See the "
            "certificate."
        )
    return notes
