"""The results of paths and grids: solutions, predictions, pictures, files."""
