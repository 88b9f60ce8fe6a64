"""Tells from a stored run whether several endpoints serve the same model."""
