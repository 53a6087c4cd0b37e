"""Errors as functions of C: where decisions change sign, and what that adds up to."""
