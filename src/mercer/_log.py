"""The logger of the package, silent unless a program asks for it."""

from __future__ import annotations

import logging

__all__ = ["LOG"]

LOG = logging.getLogger("mercer")
# without it Python would print warnings of a program that has set up nothing
LOG.addHandler(logging.NullHandler())
