"""Code run under a given instruction set, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent


def output_at_level(level: str, code: str) -> str:
    """What ``code`` prints; it may import the tests of the solvers."""
    environment = os.environ | {
        "MERCER_ISA": level,
        "PYTHONPATH": os.pathsep.join(map(str, (TESTS, TESTS / "solvers"))),
    }
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, env=environment, capture_output=True, check=False, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout
