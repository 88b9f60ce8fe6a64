"""Load tests and their results."""
