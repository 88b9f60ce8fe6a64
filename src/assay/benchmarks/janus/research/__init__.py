"""Janus research: questions over short invented documents."""
