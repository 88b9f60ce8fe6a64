"""Runs as files: signed bundles that a stranger verifies, and the formats of other tools."""
