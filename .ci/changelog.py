"""Changes of the package must come with a line in CHANGELOG.md, and the versions must agree.

usage: python .ci/changelog.py [commit to compare with, default origin/main]

A commit whose message says "Changelog: none" speaks for all: nobody will notice.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
WATCHED = ("src/", "native/")


def main(base: str) -> str | None:
    """What is missing, or None."""
    return _versions() or _line(base)


def _versions() -> str | None:
    """The version of the package, of CITATION.cff and of the newest section of the changes."""
    version = _found(r'^version = "(.*)"$', "pyproject.toml")
    if _found(r"^version: (.*)$", "CITATION.cff") != version:
        return f"CITATION.cff must have version {version} of pyproject.toml"
    newest = _found(r"^## (.*)$", "CHANGELOG.md")
    if newest != "Unreleased" and not newest.startswith(version):
        return f"CHANGELOG.md must begin with Unreleased or {version}, it begins with {newest}"
    return None


def _line(base: str) -> str | None:
    changed = _git("diff", "--name-only", f"{base}...HEAD").split()
    is_noticed = any(name.startswith(WATCHED) for name in changed)
    if not is_noticed or "CHANGELOG.md" in changed:
        return None
    if "Changelog: none" in _git("log", "--format=%B", f"{base}..HEAD"):
        return None
    return "src/ or native/ changed: say in CHANGELOG.md what users notice, or 'Changelog: none'"


def _found(pattern: str, name: str) -> str:
    match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.M)
    return match[1] if match else ""


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "origin/main"))
