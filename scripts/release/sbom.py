"""Bill of materials (CycloneDX 1.6): the locked Python packages and those bundled into the web UI.

From the locks and not from an environment, which has the packages of one platform alone.
"""

import base64
import json
import re
import uuid
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

_LOCKED = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+)", re.MULTILINE)
_FOLDER = "node_modules/"
_LONGEST_NAME = 80
Component = dict[str, Any]


def sbom(tree: Path, name: str, version: str, epoch: int) -> Component:
    purl = f"pkg:pypi/{name}@{version}"
    components = [*_python_packages(tree), *_bundled_packages(tree)]
    about = {
        "type": "application",
        "name": name,
        "version": version,
        "licenses": [{"expression": "Apache-2.0"}],
    }
    content = json.dumps([purl, components], sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch, UTC).isoformat(),
            "component": about | {"bom-ref": purl, "purl": purl},
        },
        "components": components,
    }


def _python_packages(tree: Path) -> list[Component]:
    lock = (tree / "requirements/assay.txt").read_text(encoding="utf-8")
    # Some are locked in one version for old Pythons and in another for new ones.
    found = {(match["name"], match["version"]) for match in _LOCKED.finditer(lock)}
    return [
        _component(name, version, f"pkg:pypi/{name}@{version}", python_licences(name))
        for name, version in sorted(found)
    ]


def _bundled_packages(tree: Path) -> list[Component]:
    packages: dict[str, Any] = json.loads((tree / "ui/package-lock.json").read_bytes())["packages"]
    found: list[Component] = []
    for path, package in sorted(packages.items()):
        if not path or package.get("dev"):
            continue
        name, version = path.rpartition(_FOLDER)[2], package["version"]
        purl = f"pkg:npm/{name.replace('@', '%40', 1)}@{version}"
        component = _component(name, version, purl, [{"expression": package["license"]}])
        algorithm, _, digest = package["integrity"].partition("-")
        hashed = {"alg": algorithm.upper().replace("SHA", "SHA-"), "content": base64.b64decode(digest).hex()}
        found.append(component | {"hashes": [hashed]})
    return found


def _component(name: str, version: str, purl: str, licences: list[Component]) -> Component:
    found: Component = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    return found | {"licenses": licences} if licences else found


def python_licences(name: str) -> list[Component]:
    """As the package states them; none for a package of another platform, which is not installed here."""
    try:
        stated = metadata(name).json
    except PackageNotFoundError:
        return []
    if expression := stated.get("license_expression"):
        return [{"expression": expression}]
    classified = [
        one.rpartition(" :: ")[2]
        for one in stated.get("classifier", ())
        if one.startswith("License :: ") and one != "License :: OSI Approved"
    ]
    text = str(stated.get("license", "")).strip()
    is_name = text and "\n" not in text and len(text) <= _LONGEST_NAME
    return [{"license": {"name": one}} for one in ([text] if is_name else classified)]
