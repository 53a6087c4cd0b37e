"""Options of one value that were given twice: the command line would take the last in silence."""

from __future__ import annotations

from collections import Counter
from typing import Any

from typer.core import TyperCommand

__all__ = ["Once"]


class Once(TyperCommand):
    """A command whose options are given once, except for those that make a list."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options of the command."""
        *_, given = self.make_parser(ctx).parse_args(args=list(args))
        for own, count in Counter(own for own in given if _has_one_value(own)).items():
            if count > 1:
                remedy = "; train a model for each, and leave the others out with --ignore"
                ctx.fail(
                    f"{own.opts[0]} was given {count} times, and takes one value"
                    f"{remedy if own.name == 'target' else ''}"
                )
        return super().parse_args(ctx, args)


def _has_one_value(own: Any) -> bool:
    return own.param_type_name == "option" and not (own.multiple or own.is_flag)
