"""`crag doctor`: look at each part and print what mends it."""

from __future__ import annotations

from cli import options
from cli.app import new_app
from cli.errors import Exit

app = new_app()


@app.command()
@options.taking("engine", "store", "quiet")
def doctor(given: options.Given, json_: options.Json = False) -> int:
    """Check each part and print the mending command.

    The parts are catalog, indexes, vectors, embedder, disk, permissions and model; exit 4 if one
    fails.

    Of a model: is it offered, which forms of reply its server takes, whether it thinks, how long
    its context is and how fast it reads. It is sent one small made-up document.
    """
    terminal = given.terminal
    settings = given.settings()
    from rag.doctor import checkup

    checks = []
    for check in checkup.examine(settings):
        checks.append(check)
        if not json_:
            sign = "ok  " if check.ok else "FAIL"
            terminal.wrapped(f"{sign}  {check.part}: {check.detail}", 6)
            if check.hint is not None:
                terminal.wrapped(f"      mend: {check.hint}", 12)
    failed = [check for check in checks if not check.ok]
    if json_:
        rows = [
            {"part": check.part, "ok": check.ok, "detail": check.detail, "mend": check.hint}
            for check in checks
        ]
        terminal.json({"schema": "crag.doctor/1", "ok": not failed, "checks": rows})
    return Exit.SETUP if failed else Exit.DONE
