"""Writes the tasks of janus_research, janus_streaming and janus_cost: `python -m scripts.janus_items`."""
