"""What a comparison of solvers found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from mercer.lab.comparison.plot import convergence_figure
from mercer.problem import Solution

__all__ = ["Comparison", "Measurement", "Summary"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Measurement:
    """One run of one solver."""

    iterations: float
    rows_computed: float
    rows_hit: float
    seconds: float
    objective: float
    violation: float
    converged: float

    @classmethod
    def of(cls, solution: Solution) -> Measurement:
        """What is compared of a solution; rows are NaN if the solver did not count them."""
        return cls(
            iterations=solution.n_iter,
            rows_computed=solution.trace.get("rows_computed", np.nan),
            rows_hit=solution.trace.get("rows_hit", np.nan),
            seconds=solution.seconds,
            objective=solution.objective,
            violation=solution.violation,
            converged=solution.converged,
        )


@dataclass(frozen=True)
class Summary:
    """Medians of one solver, and p-values of their difference from the first solver.

    The p-values are those of Wilcoxon's signed rank test, two-sided, over the orders.
    """

    solver: str
    iterations: float
    rows_computed: float
    rows_hit: float
    seconds: float
    objective: float
    violation: float
    converged: float
    p_iterations: float
    p_rows_computed: float
    p_seconds: float


COLUMNS = {
    "solver": "{}",
    "iterations": "{:,.0f}",
    "p_iterations": "{:.2g}",
    "rows_computed": "{:,.0f}",
    "p_rows_computed": "{:.2g}",
    "rows_hit": "{:,.0f}",
    "seconds": "{:.3g}",
    "p_seconds": "{:.2g}",
    "objective": "{:.8g}",
    "violation": "{:.1e}",
    "converged": "{:.0%}",
}


class Comparison:
    """Solvers side by side.

    Parameters
    ----------
    measured : mapping of str to sequence of Measurement
        The runs of each solver, in the same orders of the rows; the first solver is the
        one the others are tested against.
    traces : mapping of str to structured array or None
        The course of one run of each solver (see ``Smo(trace=...)``), None if there is none.

    Examples
    --------
    >>> from mercer import Gram
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> from mercer.lab import compare
    >>> problem = svc([-1, -1, 1, 1], C=1.0).problem
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]])
    >>> compare(problem, gram, ["smo", "chunked"], permutations=3).median("smo", "converged")
    1.0
    """

    def __init__(
        self,
        measured: Mapping[str, tuple[Measurement, ...]],
        traces: Mapping[str, NDArray[Any] | None],
    ) -> None:
        self.measured = dict(measured)
        self.traces = dict(traces)

    def values(self, solver: str, quantity: str) -> FloatArray:
        """One quantity of all runs of a solver."""
        return np.array([getattr(run, quantity) for run in self.measured[solver]], dtype=float)

    def median(self, solver: str, quantity: str) -> float:
        """Median over the orders."""
        return float(np.median(self.values(solver, quantity)))

    def ratio(self, solver: str, other: str, quantity: str = "iterations") -> float:
        """Quotient of two medians."""
        return self.median(solver, quantity) / self.median(other, quantity)

    def p_value(self, solver: str, quantity: str) -> float:
        """Of the hypothesis that the solver does not differ from the first; NaN for itself."""
        first = next(iter(self.measured))
        difference = self.values(solver, quantity) - self.values(first, quantity)
        if solver == first or np.isnan(difference).any():
            return np.nan
        return float(wilcoxon(difference).pvalue) if difference.any() else 1.0

    @property
    def table(self) -> tuple[Summary, ...]:
        """One row for each solver."""
        medians = [field for field in Measurement.__dataclass_fields__ if field != "converged"]
        return tuple(
            Summary(
                solver=name,
                **{quantity: self.median(name, quantity) for quantity in medians},
                converged=float(self.values(name, "converged").mean()),
                p_iterations=self.p_value(name, "iterations"),
                p_rows_computed=self.p_value(name, "rows_computed"),
                p_seconds=self.p_value(name, "seconds"),
            )
            for name in self.measured
        )

    def cells(self, columns: Iterable[str] = tuple(COLUMNS)) -> list[list[str]]:
        """The table as texts, a row of titles first; empty where there is no value."""
        shown = {name: COLUMNS[name] for name in columns}
        rows = [[name.replace("_", " ") for name in shown]]
        for summary in self.table:
            values = ((getattr(summary, name), form) for name, form in shown.items())
            rows.append(["" if value != value else form.format(value) for value, form in values])
        return rows

    def __repr__(self) -> str:
        cells = self.cells()
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(
                text.ljust(width) if k == 0 else text.rjust(width)
                for k, (text, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in cells
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head, *rows = self.cells()
        titles = "".join(f"<th>{escape(title)}</th>" for title in head)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"

    def plot(self) -> Any:
        """Violation and duality gap over iterations and over time; returns the figure.

        Needs matplotlib (``pip install 'mercer[plot]'``).
        """
        return convergence_figure(self.traces)
