"""How C may move with the number of rows so that a machine learns everything in the end."""

from __future__ import annotations

from mercer.diagnostics.stability.checks import count, positive, share

__all__ = ["consistent_C"]


def consistent_C(n: int, *, n_features: int, C: float, n_at: int, rate: float = 0.5) -> float:
    """C for n rows on a schedule that makes the Gaussian machine universally consistent.

    With a universal kernel the hinge machine comes to the least error there is, for any
    distribution on a bounded set, if (Steinwart 2002; Glasmachers 2008, section 2.4)

        n C_n -> infinity,    C_n in O(n^(beta - 1)),    0 < beta < 1/a,

    where e^(-a) balls of radius e cover the rows in the distance of the kernel: for the Gaussian
    kernel of fixed width a is the number of features. So C_n = C (n / n_at)^(beta - 1) with
    beta = rate/n_features. It falls nearly as 1/n, and lambda = 1/(2 C n) as n^-beta.

    Parameters
    ----------
    n : int
        Rows.
    n_features : int
        Dimension of the set that the rows fill.
    C : float
        C of ``n_at`` rows, say by cross-validation on a sample.
    n_at : int
        Rows of the sample.
    rate : float, default=0.5
        In (0, 1).

    Examples
    --------
    >>> from mercer.diagnostics.stability import consistent_C
    >>> round(consistent_C(10_000, n_features=2, C=1.0, n_at=100), 4)
    0.0316
    """
    beta = share("rate", rate) / count("n_features", n_features)
    return positive("C", C) * (count("n", n) / count("n_at", n_at)) ** (beta - 1.0)
