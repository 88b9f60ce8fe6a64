"""What benchmarks need besides their data: interpreters with pinned packages, and files from the user."""
