"""How C is chosen: splits, held-out rows, scores."""
