"""Reads suites: TOML or YAML files that say what to run."""
