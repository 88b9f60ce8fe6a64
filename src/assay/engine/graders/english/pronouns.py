"""The English pronouns that IFBench counts."""

# ruff: noqa: SIM905 - a list of words reads best as text
PRONOUNS = frozenset(
    (
        "i me we us you he him she her it they them my mine our ours your yours his hers its their theirs "
        "myself ourselves yourself yourselves himself herself itself themselves this that these those who "
        "whom whose which what whoever whomever whatever whichever anybody anyone anything everybody "
        "everyone everything nobody nothing somebody someone something each either neither both all some "
        "any none"
    ).split()
)
