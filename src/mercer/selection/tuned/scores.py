"""One score or several, of which one decides."""

from __future__ import annotations

from typing import Any

__all__ = ["scoring_options"]


def scoring_options(scoring: Any, refit: str | None) -> dict[str, Any]:
    """Options of criteria: the score that decides, and the others by their names."""
    if not isinstance(scoring, list | tuple | dict):
        if refit is not None:
            raise ValueError(
                f"refit names one of several scores, scoring is {scoring!r:.80}: give a list or a "
                f"dict of scores, or refit=None, got {refit!r}"
            )
        return {} if scoring is None else {"loss": scoring}
    named = scoring if isinstance(scoring, dict) else {name: name for name in scoring}
    if not named or not all(isinstance(name, str) and name != "score" for name in named):
        raise ValueError(
            "several scores are a list of names, or a dict from names (not 'score') to scorers, "
            f"at least one, got scoring={scoring!r:.80}"
        )
    first = next(iter(named)) if refit is None else refit
    if first not in named:
        raise ValueError(f"refit must be one of {sorted(named)}, got {refit!r}")
    return {"loss": named[first], "also": dict(named)}
