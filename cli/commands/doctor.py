"""`crag doctor`: look at each part, print what mends it, mend what can be mended."""

from __future__ import annotations

from typing import Annotated

from cli import options
from cli.app import new_app
from cli.exits import Exit

app = new_app()


@app.command()
@options.taking("engine", "store", "quiet")
def doctor(
    given: options.Given,
    repair: Annotated[
        bool,
        options.switch(
            "--repair", "Build damaged indexes again, save what is whole of other damaged files."
        ),
    ] = False,
    json_: options.Json = False,
) -> int:
    """Check each part and print the mending command.

    The parts are catalog, indexes, vectors, embedder, disk, permissions and model; exit 4 if one
    fails.

    Of a model: is it offered, which forms of reply its server takes, whether it thinks, how long
    its context is and how fast it reads. It is sent one small made-up document, twice.

    With --repair indexes are first built again from the catalog, which needs no model. Damaged
    threads, traces and research runs are written again with what of them is whole; the damaged
    file stays beside them, and is named.
    """
    terminal = given.terminal
    settings = given.settings()
    from rag.doctor import checkup

    if repair:
        checkup.repair(settings, terminal.notice)
    checks = []
    for check in checkup.examine(settings):
        checks.append(check)
        if not json_:
            terminal.beside(f"{'ok  ' if check.ok else 'FAIL'}  ", f"{check.part}: {check.detail}")
            if check.hint is not None:
                terminal.beside("      mend: ", check.hint)
    failed = [check for check in checks if not check.ok]
    if json_:
        rows = [
            {"part": check.part, "ok": check.ok, "detail": check.detail, "mend": check.hint}
            for check in checks
        ]
        terminal.json({"schema": "crag.doctor/1", "ok": not failed, "checks": rows})
    return Exit.SETUP if failed else Exit.DONE
