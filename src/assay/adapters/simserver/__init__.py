"""A test endpoint: an OpenAI-compatible server on loopback that misbehaves on request."""
