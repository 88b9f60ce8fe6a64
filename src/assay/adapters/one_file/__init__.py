"""Loads the files in which users write benchmarks, in their own process alone."""
