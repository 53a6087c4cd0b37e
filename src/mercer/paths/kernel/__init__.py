"""Kernel paths: the width of a Gaussian kernel moves, C stays."""
