"""NoisyRprop on the noisy functions (Glasmachers 2008, figures 11.1 to 11.3)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from studies.noisy_rprop import search
from studies.study import Column, Results, Row, Study

SEEDS = 3
GRADIENTS = 1_000_000


def ends(name: str) -> list[float]:
    """Distance from the optimum after the last gradient, for each seed."""
    return [list(search(name, seed, GRADIENTS).values())[-1] for seed in range(SEEDS)]


def median_row(name: str) -> Row:
    return Row(f"{name}, distance from the optimum", [0.0], [float(np.median(ends(name)))])


def run(data: Path) -> Results:
    return {
        "Glasmachers 2008, figure 11.1": [median_row("f1")],
        "Glasmachers 2008, figure 11.2": [median_row("f2"), median_row("f3")],
        "Glasmachers 2008, figure 11.3": [median_row("f4")],
    }


STUDIES = (
    Study(
        "noisy-rprop",
        {
            "Glasmachers 2008, figure 11.1": (Column("median of three walks", "0"),),
            "Glasmachers 2008, figure 11.2": (Column("median of three walks", "0.05"),),
            "Glasmachers 2008, figure 11.3": (Column("median of three walks", "0.05"),),
        },
        (), 60,
        "A million gradients, first step 0.01, begun one unit away. The curves of the source have "
        "no numbers: that the optimum is reached is compared, of f1 exactly.",
        run, ("noisy_rprop.py",),
    ),
)  # fmt: skip
