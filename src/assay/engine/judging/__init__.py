"""Models that grade answers."""
