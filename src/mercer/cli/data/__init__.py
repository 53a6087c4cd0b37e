"""From a file to rows and targets."""
