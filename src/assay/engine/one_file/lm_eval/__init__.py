"""Tasks of lm-eval that generate text, read from their YAML files as they are."""
