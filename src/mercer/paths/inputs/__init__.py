"""The arguments of the functions for paths: rows, kernels, limits; checked and prepared."""
