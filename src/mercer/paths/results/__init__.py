"""What paths and grids return: solutions, predictions, pictures, files."""
