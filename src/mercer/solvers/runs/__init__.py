"""The parts of all runs: start, progress, deadline, certificate."""
