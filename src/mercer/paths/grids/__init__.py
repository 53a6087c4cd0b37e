"""How the cells of a grid are solved and scored."""
