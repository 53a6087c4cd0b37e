"""Boxes of extreme size: their path is followed in a box near 1, and read on its own scale.

With the box s times as large, C and 1/t are 1/s times as large and everything else is the same.
A power of two rounds nothing.
"""

from __future__ import annotations

from dataclasses import replace

from mercer.paths.inputs.limits import Limits
from mercer.paths.results.segments import Segments
from mercer.problem import Problem
from mercer.solvers.runs.progress import Progress

__all__ = ["scaled_limits", "unscaled"]


def scaled_limits(limits: Limits, box_scale: float) -> Limits:
    """The limits of a path whose box was multiplied by ``box_scale``."""
    report = limits.callback
    if report is None:
        return replace(limits, C_max=limits.C_max / box_scale)

    def scaled(progress: Progress) -> object:
        return report(replace(progress, value=progress.value * box_scale))

    return replace(limits, C_max=limits.C_max / box_scale, callback=scaled)


def unscaled(segments: Segments, problem: Problem, box_scale: float) -> Segments:
    """The path of ``problem`` from that of its box multiplied by ``box_scale``."""
    back = 1.0 / box_scale
    return replace(
        segments,
        lower=problem.lower,
        upper=problem.upper,
        parameter=segments.parameter * back,
        bias=segments.bias * back,
        values=segments.values * back,
        end_parameter=segments.end_parameter * back,
    )
