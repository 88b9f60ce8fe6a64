"""Long-running processes: the server, workers and the test endpoint."""
