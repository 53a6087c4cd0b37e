"""Least squares machines: RLSC, LSSVC and LSSVR."""
