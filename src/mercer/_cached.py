"""Attributes that are worked out once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property:
        """That of Python 3.12: without a lock, which few rows would notice.

        Two threads may work out the same value; one of them is kept.
        """

        def __init__(self, work_out: Any) -> None:
            self._work_out, self.__doc__ = work_out, work_out.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = self._work_out(instance)
            vars(instance)[self._name] = value
            return value


__all__ = ["cached_property"]
