"""The parameters of kernels: their names, coordinates and values taken from the rows."""
