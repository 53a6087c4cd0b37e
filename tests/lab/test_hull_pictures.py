"""Pictures of hulls show what is there; pages stand alone."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest

from mercer.hull import nearest_points
from mercer.lab import Gsk, HullTrace, Mdm, hull_report, hull_trace, plot_hulls

matplotlib.use("Agg")

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(15, 2)) + np.array([4.0, 1.0]), RNG.normal(size=(12, 2))


@pytest.mark.parametrize("solver", ["mdm", "gsk", "gilbert", "smo", Mdm(step="four-vector")])
def test_a_trace_leads_from_the_start_to_the_nearest_points(solver: Any) -> None:
    trace = hull_trace(A, B, mu=0.3, solver=solver, max_steps=40, tol=1e-3)
    assert isinstance(trace, HullTrace)
    best = nearest_points(A, B, mu=0.3).distance
    assert (np.diff(trace.distance) <= 1e-12).all()
    assert (trace.distance >= best - 1e-12).all()
    assert (trace.distance - trace.gap <= best + 1e-12).all()
    assert (trace.coef_a <= 0.3).all()
    if trace.converged:
        assert trace.distance[-1] == pytest.approx(best, rel=1e-2)
    np.testing.assert_allclose(trace.coef_b.sum(axis=1), 1.0)


def test_a_plot_shows_hulls_segment_and_course() -> None:
    trace = hull_trace(A, B, mu=0.3, max_steps=10)
    ax = plot_hulls(A, B, mu=0.3, trace=trace)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    for part in (
        "hull of A",
        "hull of B",
        "reduced, mu = 0.3",
        "nearest points",
        "mdm",
        "bisecting",
    ):
        assert any(part in label for label in labels), part
    segment = next(line for line in ax.lines if "nearest" in str(line.get_label()))
    found = nearest_points(A, B, mu=0.3)
    np.testing.assert_allclose(segment.get_xydata(), [found.point_a, found.point_b])
    same = plot_hulls(A, B, ax=ax)
    assert same is ax


def test_degenerate_hulls_can_be_drawn() -> None:
    plot_hulls([[0.0, 0.0]], [[1.0, 1.0], [2.0, 2.0]])
    plot_hulls(np.ones((3, 2)), np.ones((2, 2)))


class Outside(HTMLParser):
    """Collects what a page would load from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found += [value for name, value in attrs if name in ("src", "href") and value]
        if tag == "link":
            self.found.append(tag)


def test_a_page_needs_nothing_but_itself(tmp_path: Path) -> None:
    page = hull_report(A, B, mu=0.3, solvers=("mdm", Gsk()), max_steps=12, file=tmp_path / "h.html")
    assert (tmp_path / "h.html").read_text(encoding="utf-8") == page
    outside = Outside()
    outside.feed(page)
    assert outside.found == []
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    found = re.search(r"const data = (\{.*\});\n", page)
    assert found is not None
    data = json.loads(found[1].replace("<\\/", "</"))
    assert [trace["solver"] for trace in data["traces"]] == ["mdm", "gsk"]
    assert len(data["traces"][0]["a"]) == len(data["traces"][0]["coef"][0])
    assert data["distance"] == pytest.approx(nearest_points(A, B, mu=0.3).distance)


@pytest.mark.parametrize("solver", ["mdm", "gsk", "smo"])
@pytest.mark.parametrize(("unit", "shift"), [(1.0, 2.0**27), (2.0**-600, 0.0), (2.0**600, 0.0)])
def test_a_trace_has_no_origin_and_no_unit(unit: float, shift: float, solver: str) -> None:
    P, Q = np.round(64 * A) / 64, np.round(64 * B) / 64
    near = hull_trace(P, Q, solver=solver, max_steps=20)
    far = hull_trace(unit * P + shift, unit * Q + shift, solver=solver, max_steps=20)
    assert (len(far), far.converged) == (len(near), near.converged)
    np.testing.assert_allclose(far.coef_a, near.coef_a, atol=1e-12)
    np.testing.assert_allclose(far.distance / unit, near.distance, rtol=1e-12)
    np.testing.assert_allclose(far.gap / unit, near.gap, atol=1e-9)


@pytest.mark.parametrize(("unit", "shift"), [(1e-150, 0.0), (1e150, 0.0), (1.0, 1e8)])
def test_a_page_shows_points_of_any_size(unit: float, shift: float) -> None:
    page = hull_report(unit * A + shift, unit * B + shift, solvers="mdm", max_steps=3)
    found = re.search(r"const data = (\{.*\});\n", page)
    assert found is not None
    data = json.loads(found[1])
    assert 0.5 <= np.abs(data["points"][1]).max() <= 1.0
    assert data["traces"][0]["distance"][0] / unit == pytest.approx(
        np.linalg.norm(A.mean(axis=0) - B.mean(axis=0)), rel=1e-6
    )


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="A must have 2 features, got 3"):
        plot_hulls(np.eye(3), np.eye(3))
    with pytest.raises(ValueError, match="must have 2 features, got 3"):
        hull_report(np.eye(3), np.eye(3) + 2)
    with pytest.raises(ValueError, match="solvers must name"):
        hull_report(A, B, solvers=())
    with pytest.raises(ValueError, match="max_steps must not be negative"):
        hull_trace(A, B, max_steps=-1)
    with pytest.raises(TypeError, match="max_steps must be an integer"):
        hull_trace(A, B, max_steps=1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="same number of features"):
        hull_trace(A, np.eye(3))
    with pytest.raises(TypeError, match="trace must be a HullTrace"):
        plot_hulls(A, B, trace=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="trace must be of the points of A and B"):
        plot_hulls(A, B, trace=hull_trace(B, A, max_steps=1))
