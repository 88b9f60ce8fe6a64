"""Steps of a release; docs/how-to/release.md says when to take which.

python -m scripts.release notes 1.2.0    writes the section of the changelog
python -m scripts.release build          builds, describes and signs what is published, for a tagged commit
"""

import argparse
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from assay.adapters.signing.ed25519 import read_private_key
from assay.adapters.signing.keyring import PRIVATE_VARIABLE
from assay.domain.errors import AssayError
from scripts.release.build import release
from scripts.release.changelog import cut
from scripts.release.fault import ReleaseError


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m scripts.release", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tree", type=Path, default=Path(__file__).resolve().parents[2], help="the checkout")
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("notes").add_argument("version")
    steps.add_parser("build").add_argument("--out", type=Path, default=Path("dist"))
    asked = parser.parse_args()
    try:
        if asked.step == "notes":
            write_section(asked.tree / "CHANGELOG.md", asked.version)
        else:
            build(asked.tree, asked.out)
    except (ReleaseError, AssayError) as error:
        sys.exit(f"error: {error}")


def write_section(changelog: Path, version: str) -> None:
    text = cut(changelog.read_text(encoding="utf-8"), version, datetime.now(UTC).date().isoformat())
    changelog.write_text(text, encoding="utf-8")
    print(f"CHANGELOG.md has a section {version}; read it, commit it, and tag the commit v{version}")


def build(tree: Path, out: Path) -> None:
    key = os.environ.get(PRIVATE_VARIABLE)
    if not key:
        raise ReleaseError(f"set {PRIVATE_VARIABLE} to the key that signs releases")
    version = release(tree, out, read_private_key(key, where=PRIVATE_VARIABLE))
    print(f"{version} is in {str(out)!r}, built twice with the same bytes:")
    for path in sorted(out.iterdir()):
        print(f"{path.stat().st_size:>12,}  {path.name}")


main()
