"""The model that a command fits, and what its file says of the training."""
