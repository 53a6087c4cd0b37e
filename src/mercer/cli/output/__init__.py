"""The output of commands and where they write."""
