"""From a reply to a verdict."""
