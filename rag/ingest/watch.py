"""Folders kept in step: a sync after every burst of changes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence

from rag.ingest.roots import roots_of
from state.errors import RemoteError, StoreBusyError, UsageError

DEBOUNCE_MS = 1600
_STEP_MS = 100
_RETRY_SECONDS = 5.0


def watch_folders(
    paths: Sequence[str],
    home: os.PathLike[str],
    sync: Callable[[], object],
    notice: Callable[[str], None],
    *,
    stop: threading.Event | None = None,
) -> None:
    """Calls `sync` after changes under `paths`, until interrupted or `stop` is set.

    A burst of changes is one sync: editors save by writing another file and renaming it. What
    only concerns one moment (a folder unmounted, a lock held, a server away) is reported, and
    tried again after some seconds.
    """
    from watchfiles import DefaultFilter, watch

    ended = threading.Event() if stop is None else stop
    roots = roots_of(paths)
    # A file that is replaced by a rename is another file: its folder is what can be watched.
    watched = {os.path.dirname(root.path) if root.is_file else root.path for root in roots}
    own = os.path.realpath(home)

    pending = True  # what changed before the watch began is found by one more look
    for changes in watch(
        *sorted(watched),
        watch_filter=DefaultFilter(ignore_paths=[own]),
        debounce=DEBOUNCE_MS,
        step=_STEP_MS,
        stop_event=ended,
        raise_interrupt=True,
        rust_timeout=int(_RETRY_SECONDS * 1000),
        yield_on_timeout=True,
        ignore_permission_denied=True,
    ):
        if not changes and not pending:
            continue
        pending = False
        try:
            sync()
        except (StoreBusyError, RemoteError, UsageError) as error:
            pending = True
            notice(str(error))
