"""Kernel paths: one parameter of the kernel moves, C stays."""
