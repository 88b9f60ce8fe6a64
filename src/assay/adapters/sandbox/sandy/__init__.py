"""A remote service that runs programs in its own sandboxes, with the API of Sandy."""
