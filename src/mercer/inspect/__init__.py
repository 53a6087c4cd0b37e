"""Pictures of hulls and of the algorithms that look for their nearest points."""

from __future__ import annotations

from mercer.inspect.hull_trace import HullTrace, hull_trace
from mercer.inspect.plot import plot_hulls
from mercer.inspect.report import hull_report

__all__ = ["HullTrace", "hull_report", "hull_trace", "plot_hulls"]
