"""Kernels made of kernels: sums, products, multiples, and values scaled to a unit diagonal."""
