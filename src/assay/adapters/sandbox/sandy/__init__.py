"""A remote service that runs programs in sandboxes of its own, as Sandy does."""
