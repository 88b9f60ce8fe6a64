"""Results computed for responses."""
