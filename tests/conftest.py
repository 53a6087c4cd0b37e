"""What all tests share. The folder of this file is on the path: ``import reference`` works."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from quick import is_quick

# Every worker has a core for itself: threads of BLAS that share cores spin while they wait for each
# other, which takes several times as long. NumPy has not been loaded yet.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A busy machine is no reason to fail, and the same commit passes or fails every time. New examples
# are searched with `pytest --hypothesis-profile=search`.
settings.register_profile("mercer", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("mercer")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_quick(item.path):
            item.add_marker(pytest.mark.quick)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files that ``-m quick`` would not run need not be imported, which takes longer than it."""
    is_left_out = collection_path.suffix == ".py" and not is_quick(collection_path)
    return True if config.option.markexpr == "quick" and is_left_out else None


@pytest.fixture(autouse=True)
def no_figures_left_open() -> Iterator[None]:
    """pyplot keeps every figure, and warns of the twenty-first, in whichever test that is."""
    yield
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, here and in processes started here.

    Shells start what runs in the background with SIGINT ignored, and children inherit that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
