"""What benchmarks need beside their data: interpreters with pinned packages, and files of the user's own."""
