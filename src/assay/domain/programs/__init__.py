"""Where programs of models run, and what builds them."""
