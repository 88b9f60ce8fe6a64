"""The workers of an installation and the queue they share."""
