"""Some of the combinations of two parameters: what one behaviour shares needs no full product.

Which ones is fixed by positions in the lists, the same in every run and in every process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, TypeVar

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

First, Second = TypeVar("First"), TypeVar("Second")


def some_of_each(
    first: Iterable[First], second: Iterable[Second], share: int
) -> list[tuple[First, Second]]:
    """Of every one of the first, each ``share``-th of the second, another set for the next."""
    others = list(second)
    return [
        (one, other)
        for i, one in enumerate(first)
        for j, other in enumerate(others)
        if (i + j) % share == 0
    ]


def checks_of(
    machines: Sequence[Any], settings: Sequence[Any] = (), share: int = 3
) -> pytest.MarkDecorator:
    """scikit-learn's checks, all of them for machines and some for other settings of theirs.

    What a check asks for is mostly answered by code that all settings share: ``share`` settings in
    succession pass every check between them.
    """
    every, some = parametrize_with_checks(machines), parametrize_with_checks(settings)
    by_setting = groupby(some.args[1], key=lambda case: id(case[0]))
    divided = [
        case
        for turn, (_, cases) in enumerate(by_setting)
        for position, case in enumerate(cases)
        if (turn + position) % share == 0
    ]
    return pytest.mark.parametrize(every.args[0], [*every.args[1], *divided], **every.kwargs)
