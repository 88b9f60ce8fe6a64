"""What is sent to a model in one call, what comes back, and what it costs."""
