"""The active-set method: the basis, the solver, refinement, low rank."""
