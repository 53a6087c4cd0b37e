"""What the package says of itself agrees with what is built and tested."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, TOOLS = SETTINGS["project"], SETTINGS["tool"]
WORKFLOWS = "".join(p.read_text(encoding="utf-8") for p in ROOT.glob(".github/workflows/*.yml"))


def test_the_versions_of_python_are_those_of_the_wheels() -> None:
    prefix = "Programming Language :: Python :: 3."
    stated = [c.removeprefix(prefix) for c in PROJECT["classifiers"] if c.startswith(prefix)]
    assert PROJECT["requires-python"] == f">=3.{stated[0]}"
    # The second wheel is of the stable ABI and serves all later versions.
    assert TOOLS["cibuildwheel"]["build"] == [f"cp3{minor}-*" for minor in stated[:2]]
    assert TOOLS["scikit-build"]["wheel"]["py-api"] == f"cp3{stated[1]}"
    assert all(f'"3.{minor}"' in WORKFLOWS for minor in stated)


def test_the_version_is_that_of_the_citation() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {PROJECT['version']}\n" in citation


def test_the_systems_are_those_of_the_wheels() -> None:
    systems = {"MacOS": "macos", "Microsoft :: Windows": "windows", "POSIX :: Linux": "ubuntu"}
    prefix = "Operating System :: "
    stated = [c.removeprefix(prefix) for c in PROJECT["classifiers"] if c.startswith(prefix)]
    assert stated == list(systems)
    assert all(runner in WORKFLOWS for runner in systems.values())


def test_the_version_is_that_of_the_package() -> None:
    import mercer

    assert PROJECT["version"] == mercer.__version__


def test_the_first_commands_compile_once() -> None:
    """Each ``pip install .`` compiles: its isolated build starts from nothing."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = text.partition("```sh\n")[2].partition("```")[0]
    assert commands.count("pip install") == 1
    assert "mercer tune" in commands
    assert "&& pytest`" in text
