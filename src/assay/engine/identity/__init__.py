"""Users, logins and the keys of callers."""
