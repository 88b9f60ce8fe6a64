"""Calls to models: retries, limits, quotas and the registry."""
