"""Model selection: criteria with gradients, optimizers, machines that tune themselves."""
