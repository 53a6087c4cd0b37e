"""Kernels written elsewhere: Python functions and those of scikit-learn."""
