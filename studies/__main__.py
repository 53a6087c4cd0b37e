"""``python -m studies``: see run.py."""

from studies.run import main

main()
