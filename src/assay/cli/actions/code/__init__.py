"""What `assay code` does."""
