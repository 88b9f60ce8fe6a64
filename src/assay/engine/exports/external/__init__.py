"""The formats of other evaluation tools."""
