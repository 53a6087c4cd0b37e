"""The cost of a search inside an estimator that trains again for every row."""

from __future__ import annotations

from typing import Any

from mercer._sklearn import BaseSearchCV
from mercer._warning import warn
from mercer.paths import PathSVC
from mercer.selection.tuned import TunedMachine

__all__ = ["warn_of_searches"]


def warn_of_searches(machine: Any, kind: str, times: str, advice: str) -> None:
    """Tell how often an estimator searches its parameters anew, if it is one that searches."""
    inside = [machine, *machine.get_params(deep=True).values()]
    found = [own for own in inside if isinstance(own, (TunedMachine, PathSVC, BaseSearchCV))]
    if found:
        warn(
            f"kind={kind!r} searches the parameters of {type(found[0]).__name__} anew {times}: as "
            f"many times what this fit takes; kind={advice!r} searches once a fold"
        )
