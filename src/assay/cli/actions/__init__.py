"""What commands do."""
