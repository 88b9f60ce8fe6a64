"""Exports of runs: signed bundles that anyone can verify, and the formats of other tools."""
