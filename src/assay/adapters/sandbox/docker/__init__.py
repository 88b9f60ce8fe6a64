"""Containers of an engine with Docker's API: Docker, or Podman's socket."""
