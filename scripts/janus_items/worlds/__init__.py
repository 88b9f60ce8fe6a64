"""Fifteen kinds of worlds; the same kind is drawn anew for every task."""
