"""What all tests share. The folder of this file is on the path: ``import reference`` works."""

from __future__ import annotations

from hypothesis import settings

# A busy machine is no reason to fail.
settings.register_profile("mercer", deadline=None)
settings.load_profile("mercer")
