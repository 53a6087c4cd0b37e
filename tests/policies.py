"""The policies of Smo that converge, in all combinations that make sense."""

from __future__ import annotations

SELECTIONS = (
    "auto", "second-order", "most-violating", "greedy", "hybrid-maximum-gain",
    "one-row-maximum-gain", "recent-maximum-gain", "cached-maximum-gain", "recall",
)  # fmt: skip
STEPS = (
    "newton", "planning-ahead", "over-relaxed", "momentum", "conjugate", "cycle-breaking",
    "four-vector", "gradient-projection",
)  # fmt: skip
POLICIES = [
    (selection, step)
    for selection in SELECTIONS
    for step in STEPS
    if (selection, step) != ("recall", "planning-ahead")
] + [("large-maximum-gain", "newton")]
