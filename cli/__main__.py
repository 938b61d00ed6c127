"""`python -m cli` is `crag`."""

from cli.main import main

main()
