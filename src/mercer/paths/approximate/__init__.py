"""Approximate paths: solutions where they are needed, chords between."""
