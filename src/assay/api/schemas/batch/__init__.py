"""Data sets, batches and their runs."""
