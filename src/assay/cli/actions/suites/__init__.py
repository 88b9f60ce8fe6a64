"""Suites on the command line."""
