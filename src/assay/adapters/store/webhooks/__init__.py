"""Addresses that are notified when a run ends."""
