"""Decides whether a run has regressed against a baseline, for continuous integration."""
