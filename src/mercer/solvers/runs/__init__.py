"""What all runs share: start, progress, deadline, certificate."""
