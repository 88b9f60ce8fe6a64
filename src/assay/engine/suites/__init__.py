"""Suites: runs that a file describes, of which only what is missing is asked."""
