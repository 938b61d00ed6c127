"""`crag doctor`: look at each part and print what mends it."""

from __future__ import annotations

from dataclasses import asdict

from cli import options
from cli.app import new_app
from cli.errors import Exit

app = new_app()


@options.command(app, "engine", "store")
def doctor(given: options.Shared, json_: options.Json = False) -> int:
    """Check each part and print the mending command.

    The parts are catalog, indexes, vectors, embedder, disk, permissions, the servers of models on
    this machine and model, which is asked for one word; exit 4 if one fails.
    """
    from rag.doctor.checkup import examine

    terminal, checks = given.terminal, []
    for check in examine(given.settings()):
        checks.append(check)
        if not json_:
            sign = "ok  " if check.ok else "FAIL"
            terminal.wrapped(f"{sign}  {check.part}: {check.detail}", 6)
            if check.mend is not None:
                terminal.wrapped(f"      {'next' if check.ok else 'mend'}: {check.mend}", 12)
    well = all(check.ok for check in checks)
    if json_:
        rows = [asdict(check) for check in checks]
        terminal.json({"schema": "crag.doctor/1", "ok": well, "checks": rows})
    return Exit.DONE if well else Exit.SETUP
