"""Boxes of extreme size: their path is followed in a box near 1, and read in its own units.

With the box s times as large, C and 1/t are 1/s times as large and everything else is the same.
A power of two rounds nothing.
"""

from __future__ import annotations

from dataclasses import replace

from mercer.paths.inputs.limits import Limits, PathProgress
from mercer.paths.results.segments import Segments
from mercer.problem import Problem

__all__ = ["in_unit", "out_of_unit"]


def in_unit(limits: Limits, unit: float) -> Limits:
    """The limits of a path whose box was multiplied by ``unit``."""
    report = limits.callback
    if report is None:
        return replace(limits, C_max=limits.C_max / unit)

    def scaled(progress: PathProgress) -> object:
        return report(replace(progress, value=progress.value * unit))

    return replace(limits, C_max=limits.C_max / unit, callback=scaled)


def out_of_unit(segments: Segments, problem: Problem, unit: float) -> Segments:
    """The path of ``problem`` from that of its box multiplied by ``unit``."""
    back = 1.0 / unit
    return replace(
        segments,
        lower=problem.lower,
        upper=problem.upper,
        parameter=segments.parameter * back,
        bias=segments.bias * back,
        values=segments.values * back,
        end_parameter=segments.end_parameter * back,
    )
