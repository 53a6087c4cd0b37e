"""The commands: fit, predict, info and bench."""
