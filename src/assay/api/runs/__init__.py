"""From requests to runs, and runs as responses."""
