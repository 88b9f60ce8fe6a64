"""Runs of the code catalogue in the words of the harness that its tasks come from."""
