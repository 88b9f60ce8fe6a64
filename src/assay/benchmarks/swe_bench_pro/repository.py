"""The repository in an agent's container: without what came later, and the changes made to it."""

from assay.domain.errors import DataError
from assay.domain.programs.containers import Container
from assay.domain.programs.sandbox import MIB, Status

_PATCH_BYTES = 16 * MIB
_GIT_S = 900.0
# The commit is kept with all before it; nothing else that git could find again.
_FORGET = """
set -e
cd /app
git config --global --add safe.directory /app
base=$(git rev-parse --verify "$1^{commit}")
git reset -q --hard "$base"
git checkout -q --detach "$base"
git for-each-ref --format='delete %(refname)' | git update-ref --stdin
git remote | while read -r name; do git remote remove "$name"; done
git stash clear
rm -rf .git/logs .git/FETCH_HEAD .git/ORIG_HEAD .git/MERGE_HEAD .git/packed-refs .git/worktrees
git checkout -q -b task
rm -rf .git/logs
git gc -q --prune=now
test -z "$(git log --all --format=%H --not "$base")"
echo "$base"
"""
_CHANGES = """
cd /app
git add -A
git -c core.quotePath=true -c diff.noprefix=false -c diff.mnemonicPrefix=false \\
  diff --cached --binary --no-color --no-ext-diff --no-textconv "$1"
"""


async def forget_the_future(container: Container, base_commit: str) -> str:
    """Remove every commit after the base commit, and return the whole name of that one."""
    result = await container.exec(["bash", "-c", _FORGET, "bash", base_commit], wall_s=_GIT_S)
    if result.status is not Status.OK:
        said = result.stderr.decode("utf-8", "replace").strip()[-500:]
        raise DataError(f"the history of the repository could not be shortened: {said}")
    return result.stdout.decode().strip()


async def changes(container: Container, base_commit: str) -> str:
    """The patch from the base commit to the files as they are, new ones included; empty if there is none."""
    result = await container.exec(
        ["bash", "-c", _CHANGES, "bash", base_commit], wall_s=_GIT_S, output_bytes=_PATCH_BYTES
    )
    if result.status is not Status.OK or result.truncated:
        return ""
    return result.stdout.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode()
