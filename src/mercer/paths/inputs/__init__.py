"""What the functions for paths are given: rows, kernels, limits; checked, and made ready."""
