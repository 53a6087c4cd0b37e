"""Kernels: what a similarity of rows is, and how it changes with its parameters."""

from __future__ import annotations

from mercer.kernels.base import Kernel
from mercer.kernels.composite import Product, Sum
from mercer.kernels.convert import as_kernel
from mercer.kernels.distance import kernel_distance
from mercer.kernels.dot_product import Linear, Polynomial, Sigmoid
from mercer.kernels.function import FunctionKernel
from mercer.kernels.gaussian import Gaussian
from mercer.kernels.hyperparameters import Hyperparameter
from mercer.kernels.laplacian import Laplacian
from mercer.kernels.normalized import Normalized
from mercer.kernels.precomputed import Precomputed
from mercer.kernels.scaled import Constant, Scaled
from mercer.kernels.sklearn_adapter import SklearnKernel

__all__ = [
    "Constant",
    "FunctionKernel",
    "Gaussian",
    "Hyperparameter",
    "Kernel",
    "Laplacian",
    "Linear",
    "Normalized",
    "Polynomial",
    "Precomputed",
    "Product",
    "Scaled",
    "Sigmoid",
    "SklearnKernel",
    "Sum",
    "as_kernel",
    "kernel_distance",
]
