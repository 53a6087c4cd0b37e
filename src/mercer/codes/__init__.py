"""Output codes: many classes by two-class machines."""

from mercer.codes.bounds import possible_loo_errors, training_error_bound
from mercer.codes.decoding import Decoding
from mercer.codes.making import make_code
from mercer.codes.output_code import OutputCode

__all__ = [
    "Decoding",
    "OutputCode",
    "make_code",
    "possible_loo_errors",
    "training_error_bound",
]
