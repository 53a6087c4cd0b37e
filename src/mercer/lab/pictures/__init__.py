"""Pictures of hulls and of the algorithms that look for their nearest points."""

from __future__ import annotations

from mercer.lab.pictures.hull_trace import HullTrace, hull_trace
from mercer.lab.pictures.plot import plot_hulls
from mercer.lab.pictures.report import hull_report

__all__ = ["HullTrace", "hull_report", "hull_trace", "plot_hulls"]
