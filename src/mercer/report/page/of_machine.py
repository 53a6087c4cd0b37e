"""Sections of the page that tell of the machine: its search, certificate and origin."""

from __future__ import annotations

from typing import Any

from mercer.report.page.charts import Frame, picture
from mercer.report.page.html import details, figure, paragraph, section, table
from mercer.report.page.of_growth import growth_section
from mercer.report.words import count, number

__all__ = ["sections_of_machine"]

Data = dict[str, Any]
MOST_BEST = 10
_ENDS = {
    "converged": "The best lies inside the range that was searched.",
    "boundary": "The best lies at the edge of the range that was searched.",
    "flat": "All of them were equally good: the choice does not matter here.",
    "max-time": "The time was up: this is the best so far.",
    "max-evals": "All trials allowed were made.",
    "interrupted": "The search was interrupted: this is the best so far.",
}


def sections_of_machine(data: Data) -> list[str]:
    """All that apply, in the order of the page."""
    return [_search(data), _certificate(data), growth_section(data), _reproduce(data)]


def _search(data: Data) -> str:
    found = data["search"]
    if found is None:
        return ""
    chosen = ", ".join(
        f"{name} = {number(value) if isinstance(value, float) else value}"
        for name, value in found["chosen"].items()
    )
    words = (
        f"{chosen}: the best of {_tried(found)}, score {number(found['best_score'])}. "
        f"{_ENDS.get(found['status'] or '', '')}"
    )
    if found.get("honest_interval"):
        low, high = map(number, found["honest_interval"])
        words += (
            f" On new rows {number(found['honest_score'])} is to be expected, between {low} and "
            f"{high}: each split judged by what the others choose."
        )
    if steps := found.get("label_steps"):
        words += (
            f" These scores are too good: {' and '.join(steps)}, before the search, have seen the "
            "labels of the rows that judged it."
        )
    names = list(found["parameters"])
    best = [
        (f"{k + 1}", *(number(found["parameters"][name][k]) for name in names), number(score))
        for k, score in enumerate(found["score"][:MOST_BEST])
    ]
    made = table("The best trials", ("rank", *names, "score"), best)
    drawn = _surface(found, names)
    return section("search", "Why these parameters", paragraph(words), drawn, made)


def _tried(found: Data) -> str:
    """How many candidates there were, and which of them are the trials of the table."""
    listed: int = found["n_trials"]
    tried: int = found.get("n_candidates", listed)
    if tried == listed:
        return count(tried, "candidate")
    return (
        f"{count(tried, 'candidate')} (the {count(listed, 'trial')} of the last stage decided and "
        "stand below; the others, on a sample of the rows or by a quicker criterion, led to them)"
    )


def _surface(found: Data, names: list[str]) -> str:
    """Trials over two parameters, the larger the better."""
    varied = [name for name in names if len(set(found["parameters"][name])) > 1]
    usable = [name for name in varied if min(found["parameters"][name]) > 0.0]
    if len(usable) < 2 or None in found["score"]:
        return ""
    x, y = (found["parameters"][name] for name in usable[:2])
    frame = Frame(_ends(x), _ends(y), is_log_x=True, is_log_y=True)
    scores = found["score"]
    low, high = min(scores), max(scores)
    # many trials are nearly as good as the best: the square tells these apart
    shares = [((s - low) / (high - low)) ** 2 if high > low else 1.0 for s in scores]
    drawn = "".join(
        f'<circle class="faint" cx="{frame.across(a):.1f}" cy="{frame.down(b):.1f}" '
        f'r="{1.5 + 4 * share:.1f}" fill-opacity="{0.25 + 0.6 * share:.2f}"/>'
        for a, b, share in zip(x, y, shares, strict=True)
    )
    k = found["chosen_trial"]
    if k is not None:
        at = f'cx="{frame.across(x[k]):.1f}" cy="{frame.down(y[k]):.1f}"'
        drawn += f'<circle class="ring" {at} r="8"/>'
    words = (
        f"Trials over {usable[0]} and {usable[1]}; larger dots have better scores, from "
        f"{number(low)} to {number(high)}." + ("" if k is None else " The ring is the choice.")
    )
    rows = [(number(a), number(b), number(s)) for a, b, s in zip(x, y, scores, strict=True)]
    made = table("All trials drawn, the best first", (*usable[:2], "score"), rows)
    return figure(picture(frame.axes(*usable[:2]) + drawn, words), words, made)


def _ends(values: list[float]) -> tuple[float, float]:
    return min(values) / 1.5, max(values) * 1.5


def _certificate(data: Data) -> str:
    found = data["certificate"]
    if found is None:
        none = "None: the machine keeps no certificate, or comes from elsewhere."
        return section("certificate", "Certificate", paragraph(none))
    if found["kind"] == "linear system":
        rows = [
            ("solved by", found["solver"]),
            ("condition", number(found["condition"])),
            ("leave-one-out error", number(found["loo_error"])),
        ]
        words = "The coefficients solve a linear system."
    else:
        gap = found["relative_gap"]
        rows = [
            ("status", ", ".join(found["statuses"])),
            ("problems", f"{found['n_problems']:,}"),
            ("largest KKT violation", number(found["violation"])),
            ("tolerance", number(found["tolerance"])),
            ("dual objective", f"{found['objective']:.10g}"),
            ("relative duality gap", "none known" if gap is None else number(gap)),
            ("iterations", f"{found['n_iterations']:,}"),
            ("kernel values", f"{found['n_kernel_values']:,}"),
        ]
        words = (
            "How far the solution is from the exact optimum, computed in double precision and "
            "apart from the solver."
        )
    made = table("Certificate of the training", ("", ""), rows, (1,))
    return section("certificate", "Certificate", paragraph(words), made)


def _reproduce(data: Data) -> str:
    found = data["reproduce"]
    facts = [*found["facts"].items()]
    if data["rows"] is not None:
        shape = f"{data['rows']['n_rows']:,} x {data['rows']['n_features']:,}"
        facts += [("rows judged", shape), ("their SHA-256", found["data_sha256"])]
    facts += [("estimator", " > ".join(found["steps"]))]
    if "seed" not in found["facts"] and found["seed"] != "None":
        facts += [("seed", found["seed"])]
    facts += [*found["versions"].items()]
    made = table("Origin and versions", ("", ""), facts, (1,))
    values = table("Parameters of the machine", ("", ""), found["parameters"].items(), (1,))
    return section("reproduce", "How to reproduce it", made, details("All parameters", values))
