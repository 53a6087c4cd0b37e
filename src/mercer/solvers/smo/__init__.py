"""Sequential minimal optimization and its policies: which pair, how far."""
