"""Protocols of everything that outlives the process."""
