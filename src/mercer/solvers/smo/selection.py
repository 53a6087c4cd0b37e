"""Which pair :class:`~mercer.Smo` moves next: names, and objects where there are parameters."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

__all__ = [
    "RELATED",
    "SELECTIONS",
    "CachedMaximumGain",
    "HybridMaximumGain",
    "LargeMaximumGain",
    "MaximumGain",
    "OneRowMaximumGain",
    "RecentMaximumGain",
    "SelectionPolicy",
    "resolve_selection",
]

Fallback = Literal["second-order", "most-violating"]


@dataclass(frozen=True)
class SelectionPolicy:
    """A way to choose the pair to move; without parameters its name alone will do."""

    name: ClassVar[str]

    def configure(self, options: Any) -> None:
        """Write the policy into the options of a native run."""
        options.selection = self.name
        for parameter in fields(self):
            setattr(options, parameter.name, getattr(self, parameter.name))


@dataclass(frozen=True)
class _Auto(SelectionPolicy):
    name = "auto"


@dataclass(frozen=True)
class _SecondOrder(SelectionPolicy):
    name = "second-order"


@dataclass(frozen=True)
class _MostViolating(SelectionPolicy):
    name = "most-violating"


@dataclass(frozen=True)
class _Greedy(SelectionPolicy):
    name = "greedy"


@dataclass(frozen=True)
class _Recall(SelectionPolicy):
    name = "recall"


@dataclass(frozen=True)
class MaximumGain(SelectionPolicy):
    """The pair of largest gain among those that share a variable with the last.

    Glasmachers & Igel 2006, section 2.3.

    For study: it may stop where no such pair gains, though others would (status "stuck").

    Parameters
    ----------
    fallback : {"second-order", "most-violating"}, default="second-order"
        How the first pair is chosen.
    """

    fallback: Fallback = "second-order"

    name = "maximum-gain"

    def __post_init__(self) -> None:
        if self.fallback not in ("second-order", "most-violating"):
            raise ValueError(
                f"fallback must be 'second-order' or 'most-violating', got {self.fallback!r}"
            )


@dataclass(frozen=True)
class HybridMaximumGain(MaximumGain):
    """Maximum gain with a fallback where both variables are at a bound.

    Glasmachers & Igel 2006, section 2.4.

    An iteration asks for at most one row that the last one did not use, a fallback for two:
    this is for kernel rows that are costly and do not fit into the cache.

    Parameters
    ----------
    fallback : {"second-order", "most-violating"}, default="second-order"
        What chooses the pair in a corner of the box, and at the start.
    eta : float, default=1e-8
        Share of the box within which a variable counts as being on its bound; the proof of
        convergence needs it to be positive.
    """

    eta: float = 1e-8

    name = "hybrid-maximum-gain"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.eta < 0.5:
            raise ValueError(f"eta must lie in [0, 0.5), got {self.eta!r}")


@dataclass(frozen=True)
class OneRowMaximumGain(HybridMaximumGain):
    """Maximum gain among the pairs of the variable the last pair brought in.

    Glasmachers & Igel 2006, section 2.5.
    """

    name = "one-row-maximum-gain"


@dataclass(frozen=True)
class RecentMaximumGain(HybridMaximumGain):
    """Maximum gain among the pairs of the last few variables, whose rows are kept.

    Parameters
    ----------
    fallback, eta
        See :class:`HybridMaximumGain`.
    recent_rows : int, default=10
        Number of variables, at least 2; their rows are held even if the cache is smaller.
    """

    recent_rows: int = 10

    name = "recent-maximum-gain"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.recent_rows >= 2:
            raise ValueError(f"recent_rows must be at least 2, got {self.recent_rows!r}")


@dataclass(frozen=True)
class CachedMaximumGain(HybridMaximumGain):
    """Maximum gain among the pairs of all variables whose rows are in the cache."""

    name = "cached-maximum-gain"


@dataclass(frozen=True)
class LargeMaximumGain(SelectionPolicy):
    """Maximum gain with sets of more than two variables, one of them new.

    Glasmachers & Igel 2006, section 2.5.

    For study and very costly kernels: one small problem is solved for each combination.

    Parameters
    ----------
    set_size : int, default=3
        Number of variables, at least 3.
    eta : float, default=1e-8
        See :class:`HybridMaximumGain`.
    """

    set_size: int = 3
    eta: float = 1e-8

    name = "large-maximum-gain"

    def __post_init__(self) -> None:
        if not self.set_size >= 3:
            raise ValueError(f"set_size must be at least 3, got {self.set_size!r}")
        if not 0 <= self.eta < 0.5:
            raise ValueError(f"eta must lie in [0, 0.5), got {self.eta!r}")


SELECTIONS: dict[str, type[SelectionPolicy]] = {
    policy.name: policy
    for policy in (
        _Auto,
        _SecondOrder,
        _MostViolating,
        _Greedy,
        _Recall,
        MaximumGain,
        HybridMaximumGain,
        OneRowMaximumGain,
        RecentMaximumGain,
        CachedMaximumGain,
        LargeMaximumGain,
    )
}
RELATED = tuple(name for name, policy in SELECTIONS.items() if issubclass(policy, MaximumGain))


def resolve_selection(selection: str | SelectionPolicy) -> SelectionPolicy:
    """The policy a name stands for; objects pass through."""
    if isinstance(selection, SelectionPolicy):
        return selection
    if not isinstance(selection, str) or selection not in SELECTIONS:
        raise ValueError(
            f"selection must be one of {tuple(SELECTIONS)} or a policy object such as "
            f"HybridMaximumGain(), got {selection!r}"
        )
    return SELECTIONS[selection]()
