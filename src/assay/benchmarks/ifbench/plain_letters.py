import unicodedata


def plain_letters(text: str) -> str:
    """The text without accents, and without whatever has no ASCII letter: "São" becomes "Sao"."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
