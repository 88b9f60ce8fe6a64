"""What is done for the Janus suite."""
