"""Graders that benchmarks share."""
