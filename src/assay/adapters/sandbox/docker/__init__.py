"""Containers of an engine that speaks Docker's API: Docker itself, or Podman's socket."""
