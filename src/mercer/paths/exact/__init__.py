"""Exact paths: where they begin, and the event loop that follows them."""
