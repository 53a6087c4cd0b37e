"""Training data: rows, classes and weights, read and checked once; splits of them."""

__all__: list[str] = []
