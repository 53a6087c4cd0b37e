"""Kernels: similarities of rows, and how they change with their parameters."""

from __future__ import annotations

from mercer.kernels.adapters.function import FunctionKernel
from mercer.kernels.adapters.sklearn import SklearnKernel
from mercer.kernels.base import Kernel
from mercer.kernels.combined.composite import Product, Sum
from mercer.kernels.combined.normalized import Normalized
from mercer.kernels.combined.scaled import Constant, Scaled
from mercer.kernels.convert import as_kernel
from mercer.kernels.distance import kernel_distance
from mercer.kernels.dot_product import Linear, Polynomial, Sigmoid
from mercer.kernels.gaussian import Gaussian
from mercer.kernels.laplacian import Laplacian
from mercer.kernels.oligo import Oligo
from mercer.kernels.parameters.hyperparameters import Hyperparameter
from mercer.kernels.precomputed import Precomputed

__all__ = [
    "Constant",
    "FunctionKernel",
    "Gaussian",
    "Hyperparameter",
    "Kernel",
    "Laplacian",
    "Linear",
    "Normalized",
    "Oligo",
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
