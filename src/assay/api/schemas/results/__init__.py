"""What is read of finished attempts."""
