"""Who may do and see what, and what nobody may see."""
