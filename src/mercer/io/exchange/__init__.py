"""What a fitted estimator computes, as plain arrays: what every exporter starts from."""

from __future__ import annotations

from mercer.io.exchange.describe import describe
from mercer.io.exchange.model import Node

__all__ = ["Node", "describe"]
