"""The script of the page: the threshold and C move, and the numbers follow."""

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
  var data = JSON.parse(document.getElementById("data").textContent);
  function put(name, text) { document.getElementById(name).textContent = text; }
  function short(value) { return Number(value.toPrecision(4)); }
  function percent(part, whole) {
    return whole ? (100 * part / whole).toFixed(1) + " %" : "\\u2013";
  }
  function moved(name, own, show) {
    var slider = document.getElementById(name);
    slider.addEventListener("input", function () { show(slider); });
    return function () { slider.value = own; show(slider); };
  }
  function thresholds(all) {
    function cell(name, count, whole) {
      put(name, count.toLocaleString("en"));
      document.getElementById(name).style.setProperty("--share", whole ? count / whole : 0);
    }
    var back = moved("threshold", all.own, function (slider) {
      var k = Number(slider.value), hit = all.true_second[k], false_ = all.false_second[k];
      var n1 = all.n_second, n0 = all.n_first, right = hit + n0 - false_;
      cell("c0-0", n0 - false_, n0); cell("c0-1", false_, n0);
      cell("c1-0", n1 - hit, n1); cell("c1-1", hit, n1);
      put("at", short(all.threshold[k]) + (k === all.own ? " (the machine's)" : ""));
      put("accuracy", percent(right, n0 + n1));
      put("recall", percent(hit, n1)); put("precision", percent(hit, hit + false_));
      put("specificity", percent(n0 - false_, n0));
      slider.setAttribute("aria-valuetext", document.getElementById("at").textContent +
        ", " + percent(right, n0 + n1) + " right");
    });
    document.getElementById("reset").addEventListener("click", back);
    document.getElementById("controls").hidden = false;
    back();
  }
  function path(all, areShares) {
    function dot(name, k) {
      var one = document.getElementById(name), at = one.dataset.at.split(" ")[k].split(",");
      one.setAttribute("cx", at[0]); one.setAttribute("cy", at[1]);
    }
    var back = moved("C", all.own, function (slider) {
      var k = Number(slider.value), shown = document.querySelector(".of-C.shown");
      put("C-at", short(all.C[k]) + (k === all.own ? " (the machine's)" : ""));
      put("C-error", areShares ? percent(all.error[k], 1) : short(all.error[k]));
      put("C-support", all.n_support[k].toLocaleString("en"));
      dot("C-error-dot", k); dot("C-support-dot", k);
      if (shown) {
        shown.classList.remove("shown");
        document.getElementById("C-" + k).classList.add("shown");
      }
      slider.setAttribute("aria-valuetext", "C = " + document.getElementById("C-at").textContent +
        ", error " + document.getElementById("C-error").textContent);
    });
    document.getElementById("C-reset").addEventListener("click", back);
    document.getElementById("path-controls").hidden = false;
    back();
  }
  if (data.thresholds && document.getElementById("threshold")) { thresholds(data.thresholds); }
  if (data.path && data.path.C) { path(data.path, data.task === "classes"); }
})();
"""
