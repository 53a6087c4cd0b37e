"""The page: made of its data only, small, well formed, safe; and what a browser makes of it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from mercer import SVC, write_report
from mercer.report.page import page
from mercer.report.page.charts import Frame, ticks
from mercer.report.page.contours import contour
from mercer.report.page.style import STYLE

CASES = ["two", "three", "columns", "numbers", "flat"]
VOID = {"meta", "link", "input", "br"}
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Outline(HTMLParser):
    """Checks that elements are closed in order, and collects what they say."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag, attributes) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag


def outline(text: str) -> Outline:
    found = Outline()
    found.feed(text)
    assert found.open == []
    return found


@pytest.mark.parametrize("name", CASES)
def test_the_page_is_made_of_its_json_and_nothing_else(name, request):
    report = request.getfixturevalue(name).report
    text = report.to_html()
    inside = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert json.loads(inside[1]) == report.data
    assert page(json.loads(report.to_json())) == text


@pytest.mark.parametrize("name", CASES)
def test_the_page_is_well_formed_and_every_picture_has_words_and_a_table(name, request):
    text = request.getfixturevalue(name).report.to_html()
    tags = outline(text).tags
    names = [own["id"] for _, own in tags if "id" in own]
    assert len(names) == len(set(names))
    pictures = [own for tag, own in tags if tag == "svg"]
    assert pictures
    assert all(own["role"] == "img" and len(own["aria-label"]) > 20 for own in pictures)
    assert text.count("<details>") >= text.count("<figure>") - 1
    linked = [own.get("href") or own.get("src") for _, own in tags if {"href", "src"} & {*own}]
    assert linked == ["data:,"]


def test_the_order_of_the_sections(two):
    headings = re.findall(r'<h2 id="(\w+)"', two.report.to_html())
    assert headings == [
        *("verdict", "confusion", "classes", "path", "features", "doubtful", "suspects"),
        *("calibration", "search", "certificate", "growth", "reproduce"),
    ]


def test_the_page_does_not_grow_with_the_rows_or_classes():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30_000, 2)), np.arange(30_000) % 60
    machine = SVC(kernel="linear", multiclass="one-vs-all").fit(X[:120], y[:120])
    text = write_report(machine, X, y).to_html()
    assert len(text.encode()) < 200_000


def test_labels_and_names_cannot_become_code(tmp_path):
    wicked = '</script><img src=x onerror="alert(1)">'
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=[wicked, "b & c"])
    y = np.where(X["b & c"] > 0, wicked, "<b>other</b>")
    text = write_report(SVC().fit(X[::2], y[::2]), X[1::2], y[1::2], title=wicked).to_html()
    assert not [tag for tag, _ in outline(text).tags if tag in ("img", "b")]


def luminance(colour: str) -> float:
    """Relative luminance of a colour, as the guidelines for accessible pages define it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("block", re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL))
def test_letters_can_be_read_light_dark_and_printed(block):
    colours = dict(re.findall(r"--(\w+): (#\w{6})", block))
    pairs = [(ink, back) for ink in ("ink", "dim", "accent", "bad") for back in ("paper", "soft")]
    for ink, back in [*pairs, ("ink", "fill")]:
        dark, light = sorted([luminance(colours[ink]), luminance(colours[back])])
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, back)


# Moves the sliders as a user would, and leaves what it saw in the page.
PROBE = """<script>
function look(names) { return names.map(k => document.getElementById(k).textContent); }
function move(slider, reset, names) {
  var one = document.getElementById(slider), seen = [look(names)];
  one.value = 0; one.dispatchEvent(new Event("input")); seen.push(look(names));
  seen.push(Array.from(document.querySelectorAll(".of-C.shown")).map(own => own.id));
  document.getElementById(reset).click(); seen.push(look(names));
  return seen;
}
var found = document.createElement("pre"); found.id = "found";
found.textContent = JSON.stringify({
  threshold: move("threshold", "reset", ["c1-1", "at", "accuracy"]),
  C: move("C", "C-reset", ["C-at", "C-error", "C-support"]),
  dots: ["C-error-dot", "C-support-dot"].map(k => document.getElementById(k).getAttribute("cx")),
  wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  requests: performance.getEntriesByType("resource").length});
document.body.appendChild(found);
</script>"""


def probed(report, folder, width) -> dict:
    """What the sliders of a page do in a browser, which must not complain."""
    file = folder / "report.html"
    file.write_text(report.to_html().replace("</body>", PROBE + "</body>"), encoding="utf-8")
    command = [
        CHROMIUM,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        f"--window-size={width},900",
    ]
    command += [f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr", "--dump-dom"]
    run = subprocess.run([*command, file.as_uri()], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert "CONSOLE" not in run.stderr
    return json.loads(re.search(r'<pre id="found">(.*?)</pre>', run.stdout)[1])


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize(("name", "width"), [("two", 400), ("flat", 1400)])
def test_a_browser_moves_the_sliders_without_errors_or_requests(name, width, tmp_path, request):
    data = request.getfixturevalue(name).report.data
    found = probed(request.getfixturevalue(name).report, tmp_path, width)
    own, all_second, _, again = found["threshold"]
    right = f"{100 * data['verdict']['accuracy']:.1f} %"
    assert own == again == [str(data["confusion"]["counts"][1][1]), "0 (the machine's)", right]
    assert all_second[0] == str(data["thresholds"]["true_second"][0])
    assert all_second != own
    path = data["path"]
    own, least, boundary, again = found["C"]
    for seen, k, mark in ((own, path["own"], " (the machine's)"), (least, 0, "")):
        assert seen[0] == f"{path['C'][k]:.4g}{mark}"
        assert seen[1] == f"{100 * path['error'][k]:.1f} %"
        assert seen[2] == str(path["n_support"][k])
    assert again == own
    assert found["dots"][0] == found["dots"][1]
    assert boundary == ([] if path["plane"] is None else ["C-0"])
    assert found["requests"] == 0
    assert not found["wide"]


def test_without_scripts_the_boundary_of_the_machine_is_shown(flat):
    shown = re.findall(r'<g class="of-C shown" id="C-(\d+)">', flat.report.to_html())
    assert shown == [str(flat.report.data["path"]["own"])]


def test_a_contour_of_a_plane_is_a_straight_line():
    frame = Frame((0.0, 1.0), (0.0, 1.0))
    x = y = np.linspace(0.0, 1.0, 5)
    values = np.add.outer(2.0 * y, x).ravel()  # x + 2 y
    line = contour(frame, x, y, values, 1.1)
    assert line.count("M") == 1
    ends = re.split("[ML]", line)[1:]
    assert {ends[0], ends[-1]} == {frame.at(0.0, 0.55), frame.at(1.0, 0.05)}


def test_the_largest_report_is_below_a_megabyte():
    """Many rows, two wild classes in a plane, all sections."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2))
    y = np.where(np.sin(4 * X[:, 0]) * np.sin(4 * X[:, 1]) + rng.normal(size=4000) > 0, "b", "a")
    machine = SVC(C=10.0, gamma=8.0).fit(X[:600], y[:600])
    text = write_report(machine, X, y, training=(X[:600], y[:600])).to_html()
    assert len(text.encode()) < 1_000_000


def test_a_logarithmic_axis_of_one_decade_had_a_single_tick():
    assert ticks((35.0, 504.0), True, 5) == [50.0, 100.0, 200.0, 500.0]
    assert ticks((20.0, 45.0), True, 5) == [20.0]
    assert ticks((0.01, 1e4), True, 5) == [0.01, 1.0, 100.0, 1e4]


def test_a_margin_is_twice_the_value_that_is_explained(two):
    data = two.report.data
    assert "Margin: twice how far the value of the row" in two.report.to_html()
    said = {own["row"]: own["margin"] for own in data["doubtful"]}
    for own in data["reasons"]["rows"]:
        if own["row"] in said:
            assert said[own["row"]] == pytest.approx(2.0 * abs(own["value"]), rel=1e-6)
