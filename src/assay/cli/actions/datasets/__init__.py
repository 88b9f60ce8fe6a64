"""What is done with data sets."""
