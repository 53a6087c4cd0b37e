"""Questions that exporters ask of a tree."""

from __future__ import annotations

from mercer.io.exchange.model import Node, Prepared, Rescaled
from mercer.io.exchange.preparation import Step

__all__ = ["first_steps"]


def first_steps(node: Node) -> tuple[Step, ...]:
    """The steps that see the rows as given; of several members, those of the first."""
    if isinstance(node, Prepared):
        return node.steps
    if isinstance(node, Rescaled):
        return first_steps(node.node)
    members = getattr(node, "members", ())
    return first_steps(getattr(members[0], "node", members[0])) if members else ()
