"""What all tests share. The folder of this file is on the path: ``import reference`` works."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Every worker has a core for itself: threads of BLAS that share cores spin while they wait for each
# other, which takes several times as long. NumPy has not been loaded yet.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A busy machine is no reason to fail, and the same commit passes or fails every time. New examples
# are searched with `pytest --hypothesis-profile=search`.
settings.register_profile("mercer", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("mercer")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, here and in processes started here.

    Shells start what runs in the background with SIGINT ignored, and children inherit that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
