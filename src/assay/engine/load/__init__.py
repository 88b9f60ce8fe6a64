"""Load tests: requests on a schedule or from so many clients, and what came of them."""
