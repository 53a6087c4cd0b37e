"""Look into a wheel: its tag must agree with the core inside, and its list of parts be there.

usage: python .ci/wheel_content.py FILE.whl
"""

from __future__ import annotations

import json
import re
import sys
import zipfile


def check(path: str) -> None:
    """Print what was found; exit with a message if it is not as it should be."""
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        tags = re.findall(r"^Tag: (.*)$", wheel.read(_only(names, "/WHEEL")).decode(), re.M)
        parts = json.loads(wheel.read(_only(names, ".cdx.json")))
    core = _only(names, "mercer/_core.", but=".pyi")
    if not re.fullmatch(_core_name(tags[0]), core):
        sys.exit(f"tag {tags[0]} asks for {_core_name(tags[0])}, the wheel has {core}")
    unexpected = [name for name in names if not name.startswith("mercer")]
    if unexpected:
        sys.exit(f"files beside the package: {unexpected}")
    listed = [f"{part['name']} {part.get('version', '')}".strip() for part in parts["components"]]
    print(f"{core} agrees with {', '.join(tags)}; {len(names)} files; compiled in: {listed}")


def _only(names: list[str], part: str, but: str = "\0") -> str:
    found = [name for name in names if part in name and not name.endswith(but)]
    if len(found) != 1:
        sys.exit(f"the wheel must have one file called {part}, it has {found}")
    return found[0]


def _core_name(tag: str) -> str:
    """What the core is called, as a pattern: cp311-cp311-PLATFORM or cp312-abi3-PLATFORM."""
    python, abi, platform = tag.split("-")
    if platform.startswith("win"):
        return r"mercer/_core(\.cp\d+-win_\w+)?\.pyd"
    middle = r"\.abi3" if abi == "abi3" else rf"\.cpython-{python[2:]}-[\w-]+"
    return rf"mercer/_core{middle}\.so"


if __name__ == "__main__":
    check(sys.argv[1])
