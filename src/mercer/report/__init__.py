"""A report to share: one page on a fitted machine and how well it predicts."""

from mercer.report.report import Report, write_report
from mercer.report.search import trials

__all__ = ["Report", "trials", "write_report"]
