"""The name of an instance's image in the official registry."""

OFFICIAL_ACCOUNT = "jefzda"
_MOST_TAG_CHARACTERS = 128
_UNVERSIONED = "-vnan"
# The one instance of its repository whose image has the repository's whole name.
_WHOLE_NAME = "instance_element-hq__element-web-ec0f940ef0e8e3b61078f145f34dc40d1938e6c5-vnan"


def image_uri(instance_id: str, repository: str, *, account: str = OFFICIAL_ACCOUNT) -> str:
    """By the rule of the official script, with its exceptions."""
    owner, name = repository.lower().split("/")
    commit = instance_id.replace("instance_", "")
    if instance_id == _WHOLE_NAME:
        name = "element-web"
    else:
        commit = commit.removesuffix(_UNVERSIONED)
        if "element-hq" in repository.lower() and "element-web" in repository.lower():
            name = "element"
    return f"{account}/sweap-images:{f'{owner}.{name}-{commit}'[:_MOST_TAG_CHARACTERS]}"
