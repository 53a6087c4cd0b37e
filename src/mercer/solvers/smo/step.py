"""How far :class:`~mercer.Smo` moves a pair: names, and objects where there are parameters."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

__all__ = ["STEPS", "CycleBreaking", "OverRelaxed", "PlanningAhead", "StepPolicy", "resolve_step"]


@dataclass(frozen=True)
class StepPolicy:
    """A way to choose the length of a step; without parameters its name alone will do."""

    name: ClassVar[str]

    def configure(self, options: Any) -> None:
        """Write the policy into the options of a native run."""
        options.step = self.name
        for parameter in fields(self):
            setattr(options, parameter.name, getattr(self, parameter.name))


@dataclass(frozen=True)
class _Newton(StepPolicy):
    name = "newton"


@dataclass(frozen=True)
class _Momentum(StepPolicy):
    name = "momentum"


@dataclass(frozen=True)
class _Conjugate(StepPolicy):
    name = "conjugate"


@dataclass(frozen=True)
class PlanningAhead(StepPolicy):
    """The first half of the best double step with one of the last pairs.

    Glasmachers 2008, section 7.1.

    Parameters
    ----------
    recent_sets : int, default=1
        Number of recent pairs to plan with; 2 or 3 save a few more iterations.
    """

    recent_sets: int = 1

    name = "planning-ahead"

    def __post_init__(self) -> None:
        if not self.recent_sets >= 1:
            raise ValueError(f"recent_sets must be at least 1, got {self.recent_sets!r}")


@dataclass(frozen=True)
class OverRelaxed(StepPolicy):
    """Every step a little longer than to the maximum along the pair.

    Glasmachers 2008, section 7.2.3.

    Parameters
    ----------
    factor : float, default=1.1
        Length relative to the Newton step, between 0 and 2.
    """

    factor: float = 1.1

    name = "over-relaxed"

    def __post_init__(self) -> None:
        if not 0 < self.factor < 2:
            raise ValueError(f"factor must lie between 0 and 2, got {self.factor!r}")


@dataclass(frozen=True)
class CycleBreaking(StepPolicy):
    """A step along all that was gone since the same pair was last moved (Barbero et al. 2009).

    Parameters
    ----------
    window : int, default=30
        Number of steps to look back; so many gradients are kept.
    """

    window: int = 30

    name = "cycle-breaking"

    def __post_init__(self) -> None:
        if not self.window >= 1:
            raise ValueError(f"window must be at least 1, got {self.window!r}")


@dataclass(frozen=True)
class _FourVector(StepPolicy):
    name = "four-vector"


@dataclass(frozen=True)
class _GradientProjection(StepPolicy):
    name = "gradient-projection"


STEPS: dict[str, type[StepPolicy]] = {
    policy.name: policy
    for policy in (
        *(_Newton, PlanningAhead, OverRelaxed, _Momentum, _Conjugate, CycleBreaking),
        *(_FourVector, _GradientProjection),
    )
}


def resolve_step(step: str | StepPolicy) -> StepPolicy:
    """The policy a name stands for; objects pass through."""
    if isinstance(step, StepPolicy):
        return step
    if not isinstance(step, str) or step not in STEPS:
        raise ValueError(
            f"step must be one of {('auto', *STEPS)} or a policy object such as PlanningAhead(), "
            f"got {step!r}"
        )
    return STEPS[step]()
