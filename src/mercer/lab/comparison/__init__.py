"""Solvers side by side on one problem."""
