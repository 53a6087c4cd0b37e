"""The ``mercer`` command: train on a file, predict for another."""

from __future__ import annotations

import signal
import sys
import time

__all__: list[str] = []

EXTRA = ("typer", "rich", "pandas", "pyarrow")


def main() -> None:
    """Run the command line; the entry point of the ``mercer`` script."""
    try:
        from mercer.cli.app import app
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in EXTRA:
            raise
        sys.stderr.write(
            f"the mercer command needs {missing}, which is not installed; "
            "install it with: pip install 'mercer[cli]'\n"
        )
        sys.exit(1)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    if hasattr(signal, "SIGPIPE"):
        # a reader that has seen enough, such as head, ends the command as it ends others
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # a limit of the command counts from its start, before what it imports
    app(prog_name="mercer", obj=time.perf_counter() - time.process_time())
