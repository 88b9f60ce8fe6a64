"""The wordings in which a reply names one of several options.

All repetitions are bounded or possessive, so that none of the patterns can be made to take long.
"""

import re

from assay.engine.graders.robust.markup import BOX_CLOSES, BOX_OPENS

_OPENS = rf"(?P<opens>[(\[{{<\"'{BOX_OPENS}]{{0,3}})"
_CLOSES = rf"(?P<closes>[)\]}}>\"'{BOX_CLOSES}]{{0,3}})"
# One letter that is no part of a word or of a name such as C60.
LETTER = rf"{_OPENS}(?P<letter>[A-Za-z])(?![A-Za-z\u00c0-\u024f0-9_]|'[A-Za-z]){_CLOSES}"

_FILLER_WORDS = (
    "is", "are", "be", "was", "the", "my", "our", "option", "choice", "alternative", "letter", "answer",
    "statement", "correct", "right", "best", "final", "therefore", "thus", "hence", "then", "so", "clearly",
    "definitely", "likely", "probably", "most", "simply", "indeed", "actually", "rather", "still",
    "in fact", "i think", "i believe", "i would say",
)  # fmt: skip
_FILLER = rf"(?:\s|[:=>,|\"#\u2013\u2014\u2192-]|(?i:{'|'.join(_FILLER_WORDS)})\b){{0,12}}+"
_VERB = r"(?<![A-Za-z])(?i:is|are|be|was|becomes|remains|lautet|ist|es|est|but)(?![A-Za-z'])"
_SIGN = rf"[:=|\n{BOX_OPENS}\u2192\u2013\u2014-]|\u00e8|[\u662f\u4e3a\u70ba\u306f\u9009\u9078]"
# Up to here it is still the same clause.
_GAP = rf"[^.!?\n:={BOX_OPENS}{BOX_CLOSES}]{{0,80}}?"
_QUALITY = r"(?i:correct|right|best|only|proper|appropriate|accurate|true|valid|final)"

PLAIN_ENDING = re.compile(r"(?:answer is|Answer:) \(?(?P<letter>[A-Z])\)?[.\s]*\Z")
"""How most replies end: nothing can be stated after it."""

STATED = re.compile(rf"{_GAP}(?:{_VERB}|{_SIGN}){_FILLER}{LETTER}")
"""After a word for the answer: up to a verb or a sign, then the letter."""

FOLLOWING = re.compile(rf"{_FILLER}{LETTER}")
"""After a word for choosing: the letter itself."""

CONTENT = re.compile(rf"(?:{_GAP}(?:{_VERB}|{_SIGN}))?\s?(?P<content>[^\n]{{1,300}})")
"""After a word for the answer: what is said to be it, up to the end of the line."""

BOX = re.compile(rf"{BOX_OPENS}(?P<content>[^{BOX_OPENS}{BOX_CLOSES}]{{1,300}}){BOX_CLOSES}")

WHOLE = re.compile(
    r"(?i:(?:the |final |correct ){0,3}(?:option|choice|answer|letter)[ :]{0,3}(?:is )?)?"
    rf"{LETTER}[.!,:]?\s?"
)
"""A line or a box that has nothing but the letter."""

LISTED = re.compile(r"(?m)^\(?(?P<letter>[A-Za-z])[).:\]]\)? ?\S")
"""A line that the letter opens, as in a list of options."""

CALLED_RIGHT = re.compile(
    rf"(?<![A-Za-z0-9_'-]){LETTER}[,:]?"
    r" (?:is|was|must be|would be|should be|has to be|seems to be|appears to be)"
    r" (?:(?:thus|therefore|clearly|definitely|indeed|hence|obviously|likely|most likely|probably|in fact) )?"
    rf"(?:the |my |our )?(?:most )?(?:{_QUALITY} )?(?P<noun>answer|option|choice|one|correct|right|best)\b"
)
TICKED = re.compile(r"(?m)^[^\nA-Za-z]{0,4}(?P<letter>[A-Z])[).:\]][^\n]{0,200}?[\u2713\u2714\u2705]")
AT_END = re.compile(
    r"(?:^|[:;,\u2192=(>-] ?"
    r"|(?<![A-Za-z])(?i:is|be|it's|that's|option|choice|answer|therefore|thus|hence|so|pick|choose|select|with"
    rf"|definitely|probably|likely|clearly|say|guess|certainly) ){LETTER}[.!]?$"
)
SECOND = re.compile(
    rf" ?(?:,? ?(?:or|and) (?:maybe |perhaps |possibly )?|[/&,] ?){LETTER}"
    r"(?! (?:is|are|was|were|would|can|cannot|has|does|gives)\b)"
)
"""Another letter beside the one found, of which nothing else is said."""

DENIED = re.compile(r"(?:\b(?i:not|never|cannot|neither|nor|except|unlike)|n't)\b(?![^,;]*(?:[,;]|\bbut\b))")
"""A negation that still holds at the end."""

SUPPOSED = re.compile(
    r"\b(?i:if|whether|suppose|assume|assuming|unless|nor|not|were|why|is|was)\W{1,3}(?:\w+ )?$"
    r"|(?:n't|\bnot|\bnever|\bdoubt)\W(?:\w+ ){0,2}$|\b(?i:none|neither)\b[^.]*$"
)
"""Before a letter that is called right: it is only supposed to be, or denied."""

REASONS = (" because ", " since ", " as ", " for ", " given ", " due ", " based ")
# What may follow a letter that could also be a word: "A because", but not "A polymer".
LINKS = frozenset(
    {
        "because", "since", "as", "for", "and", "or", "which", "due", "with", "in", "is", "but", "by",
        "given", "so", "based", "therefore", "according", "from", "when", "where", "while", "although",
        "though", "if", "not", "rather", "it", "this", "that", "would", "was", "has", "-", "\u2013",
        "\u2014",
    }
)  # fmt: skip
