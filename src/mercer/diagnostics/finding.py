"""The parts of a diagnosis."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NEARLY_ALL", "Diagnosis", "Finding", "percent"]

NEARLY_ALL = 0.99


@dataclass(frozen=True)
class Finding:
    """One sign of badly chosen parameters.

    Attributes
    ----------
    name : str
        "not-converged", "not-finished", "indefinite-kernel", "unscaled-features",
        "nearly-all-support", "nearly-all-bounded", "nearest-neighbour", "no-free-vectors",
        "ill-conditioned", "interpolation", "alpha-boundary", "search-boundary" or "labels-seen".
    observed : str
        What was seen.
    advice : str
        What to try.

    Examples
    --------
    >>> from mercer.diagnostics import Finding
    >>> finding = Finding("unscaled-features", "feature 3 varies 1,000 times as much", "scale them")
    >>> finding.advice
    'scale them'
    """

    name: str
    observed: str
    advice: str


@dataclass(frozen=True)
class Diagnosis:
    """What a fitted machine reveals about its parameters.

    Attributes
    ----------
    n_rows : int
        Training rows; of a stream the examples seen.
    support_share : float
        Share of them that are support vectors.
    bounded_share : float or None
        Share of the coefficients that are not zero, of all two-class problems, that lie at their
        bound; such rows are on the wrong side of their margin. 0 for least squares, which has no
        bounds; None for a stream that is not finished.
    findings : tuple of Finding
        Signs of badly chosen parameters; empty if there are none.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.diagnostics import diagnose
    >>> found = diagnose(SVC(kernel="linear").fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]))
    >>> found.n_rows, found.support_share
    (4, 0.5)
    """

    n_rows: int
    support_share: float
    bounded_share: float | None
    findings: tuple[Finding, ...]

    def __repr__(self) -> str:
        first = f"{self.n_rows:,} rows, {percent(self.support_share)} of them support vectors"
        if self.bounded_share is not None:
            first += f", {percent(self.bounded_share)} of these at their bound"
        found = [f"- {item.name}: {item.observed}. {item.advice}." for item in self.findings]
        return "\n".join([first, *(found or ["nothing unusual"])])


def percent(share: float) -> str:
    """A share in words."""
    return f"{100.0 * share:.3g} %"
