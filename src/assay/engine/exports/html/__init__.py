"""Runs and comparisons as one HTML file each, which loads nothing from elsewhere."""
