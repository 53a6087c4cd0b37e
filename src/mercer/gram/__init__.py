"""Kernel values on demand: of one set of rows, between two, and expansions over them."""

from mercer.gram.gram import Gram

__all__ = ["Gram"]
