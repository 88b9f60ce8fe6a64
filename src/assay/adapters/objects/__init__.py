"""Places for files by name."""
