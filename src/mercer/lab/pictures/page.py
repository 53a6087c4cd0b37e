"""The page that :func:`mercer.lab.hull_report` fills in: plain HTML, SVG, a little script."""

from __future__ import annotations

__all__ = ["PAGE"]

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
  body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 60rem;
         padding: 0 1rem; color: #222; background: #fff; }
  h1 { font-size: 1.2rem; }
  svg { width: 100%; height: auto; border: 1px solid #ddd; border-radius: 4px; }
  .controls { display: flex; gap: .8rem; align-items: center; flex-wrap: wrap; margin: .8rem 0; }
  .controls input[type=range] { flex: 1 1 12rem; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
  td, th { padding: .15rem .9rem .15rem 0; text-align: left; font-weight: normal; }
  th { color: #666; }
  .note { color: #555; max-width: 46rem; }
</style>
</head>
<body>
<h1>{title}</h1>
<div class="controls">
  <label>algorithm <select id="solver"></select></label>
  <button id="play" type="button">play</button>
  <label for="step">step</label><input id="step" type="range" min="0" max="0" value="0">
  <output id="count"></output>
</div>
<svg id="picture" viewBox="0 0 800 560" role="img" aria-label="hulls and the points in them"></svg>
<table>
  <tr><th>distance of the two points</th><td id="distance"></td></tr>
  <tr><th>it is too large by at most</th><td id="gap"></td></tr>
  <tr><th>distance of the hulls</th><td id="answer"></td></tr>
  <tr><th>points with a coefficient</th><td id="support"></td></tr>
</table>
<p class="note">Dotted: the hulls. Shaded: the reduced hulls, where no point has a larger
coefficient than mu. A disc is as large as the coefficient of its point; a ring shows where the
step has added, a cross where it has taken away. Bold: where the algorithm stands. Thin and grey:
the nearest points.</p>
<script>
"use strict";
const data = {data};
const colours = ["#0b6e99", "#c05621"], ink = "#222", space = "http://www.w3.org/2000/svg";
const picture = document.getElementById("picture"), slider = document.getElementById("step");
const choice = document.getElementById("solver"), play = document.getElementById("play");
const everything = data.points[0].concat(data.points[1]);
const low = [0, 1].map(j => Math.min(...everything.map(p => p[j])));
const high = [0, 1].map(j => Math.max(...everything.map(p => p[j])));
const unit = Math.min(720 / Math.max(high[0] - low[0], 1e-12),
                      480 / Math.max(high[1] - low[1], 1e-12));
const place = p => [400 + unit * (p[0] - (low[0] + high[0]) / 2),
                    280 - unit * (p[1] - (low[1] + high[1]) / 2)];
function draw(kind, attributes, parent) {
  const node = document.createElementNS(space, kind);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return (parent || picture).appendChild(node);
}
const path = points => points.map(p => place(p).map(x => x.toFixed(2)).join(",")).join(" ");
function line(a, b, attributes, parent) {
  const [x1, y1] = place(a), [x2, y2] = place(b);
  draw("line", {x1, y1, x2, y2, ...attributes}, parent);
}
[0, 1].forEach(side => {
  draw("polygon", {points: path(data.hulls[side]), fill: colours[side], "fill-opacity": .06,
                   stroke: colours[side], "stroke-dasharray": "2 4"});
  draw("polygon", {points: path(data.reduced[side]), fill: colours[side], "fill-opacity": .18,
                   stroke: colours[side], "stroke-width": 1.5});
});
line(data.nearest[0], data.nearest[1], {stroke: "#999", "stroke-width": 1.5});
data.nearest.forEach(p => {
  const [cx, cy] = place(p);
  draw("circle", {cx, cy, r: 4, fill: "none", stroke: "#999", "stroke-width": 1.5});
});
const moving = draw("g", {});
function show() {
  const trace = data.traces[choice.selectedIndex], k = Number(slider.value);
  moving.replaceChildren();
  [trace.a, trace.b].forEach((course, side) => draw("polyline", {
    points: path(course.slice(0, k + 1)), fill: "none", stroke: colours[side], "stroke-width": 1,
    "stroke-opacity": .8}, moving));
  let support = 0;
  [0, 1].forEach(side => data.points[side].forEach((p, i) => {
    const now = trace.coef[side][k][i], before = k ? trace.coef[side][k - 1][i] : now;
    const [cx, cy] = place(p);
    support += now > 0;
    if (now <= 0) draw("circle", {cx, cy, r: 2.5, fill: "#fff", stroke: colours[side]}, moving);
    else draw("circle", {cx, cy, r: 2.5 + 9 * Math.sqrt(now), fill: colours[side],
                                 "fill-opacity": .75}, moving);
    if (now - before > 1e-9) draw("circle", {cx, cy, r: 15, fill: "none", stroke: ink}, moving);
    if (before - now > 1e-9 && k) draw("path", {
      d: `M${cx - 9},${cy - 9}L${cx + 9},${cy + 9}M${cx - 9},${cy + 9}L${cx + 9},${cy - 9}`,
      stroke: ink, "stroke-opacity": .6}, moving);
  }));
  line(trace.a[k], trace.b[k], {stroke: ink, "stroke-width": 3}, moving);
  [trace.a[k], trace.b[k]].forEach(p => {
    const [cx, cy] = place(p);
    draw("circle", {cx, cy, r: 5, fill: ink}, moving);
  });
  const last = trace.a.length - 1;
  document.getElementById("count").textContent =
    `${k} of ${last}` + (trace.converged ? "" : " (not converged)");
  document.getElementById("distance").textContent = trace.distance[k].toPrecision(8);
  document.getElementById("gap").textContent = trace.gap[k].toPrecision(3);
  document.getElementById("answer").textContent = data.distance.toPrecision(8);
  document.getElementById("support").textContent = support;
}
function choose() {
  slider.max = data.traces[choice.selectedIndex].a.length - 1;
  slider.value = 0;
  show();
}
let timer = null;
function stop() { clearInterval(timer); timer = null; play.textContent = "play"; }
play.onclick = () => {
  if (timer !== null) return stop();
  if (slider.value === slider.max) slider.value = 0;
  play.textContent = "stop";
  timer = setInterval(() => {
    if (slider.value === slider.max) return stop();
    slider.value = Number(slider.value) + 1;
    show();
  }, 400);
};
data.traces.forEach(trace => choice.add(new Option(trace.solver)));
choice.onchange = choose;
slider.oninput = show;
choose();
</script>
</body>
</html>
"""
