"""Whether a caller knows the operator's secret."""

import secrets


def is_admin_secret(given: str | None, expected: str | None) -> bool:
    """Compared in constant time; where no secret is set, none is right."""
    if not expected:
        return False
    # Servers read header bytes as Latin-1, whatever the caller wrote them in.
    return secrets.compare_digest((given or "").encode("latin-1", "replace"), expected.encode())
