"""The script of the page: the threshold moves, and the counts follow."""

from __future__ import annotations

__all__ = ["SCRIPT"]

# All numbers come from the JSON in the page. Without scripts the page shows the threshold of the
# machine, and others in a table.
SCRIPT = """
(function () {
  var closed = [];
  addEventListener("beforeprint", function () {
    closed = Array.from(document.querySelectorAll("details:not([open])"));
    closed.forEach(function (one) { one.open = true; });
  });
  addEventListener("afterprint", function () {
    closed.forEach(function (one) { one.open = false; });
  });
  var all = JSON.parse(document.getElementById("data").textContent).thresholds;
  var slider = document.getElementById("threshold");
  if (!all || !slider) { return; }
  function put(name, text) { document.getElementById(name).textContent = text; }
  function percent(part, whole) {
    return whole ? (100 * part / whole).toFixed(1) + " %" : "\\u2013";
  }
  function cell(name, count, whole) {
    put(name, count.toLocaleString("en"));
    document.getElementById(name).style.setProperty("--share", whole ? count / whole : 0);
  }
  function show() {
    var k = Number(slider.value), hit = all.true_second[k], false_ = all.false_second[k];
    var n1 = all.n_second, n0 = all.n_first, right = hit + n0 - false_;
    cell("c0-0", n0 - false_, n0); cell("c0-1", false_, n0);
    cell("c1-0", n1 - hit, n1); cell("c1-1", hit, n1);
    put("at", Number(all.threshold[k].toPrecision(4)) + (k === all.own ? " (the machine's)" : ""));
    put("accuracy", percent(right, n0 + n1));
    put("recall", percent(hit, n1)); put("precision", percent(hit, hit + false_));
    put("specificity", percent(n0 - false_, n0));
    slider.setAttribute("aria-valuetext", document.getElementById("at").textContent +
      ", " + percent(right, n0 + n1) + " right");
  }
  slider.addEventListener("input", show);
  document.getElementById("reset").addEventListener("click", function () {
    slider.value = all.own; show();
  });
  document.getElementById("controls").hidden = false;
  show();
})();
"""
