"""The API of the code harness: its paths, requests and responses over the runs of this installation."""
