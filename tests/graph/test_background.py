import os
import signal
import threading

import pytest

from state.background import Cancellation, RunCancelledError, in_background


def test_leaving_does_not_wait_and_what_follows_has_no_effect():
    asked, replied, ended = threading.Event(), threading.Event(), threading.Event()
    cancel = Cancellation()
    kept = []

    def run():
        try:
            yield "asked"
            asked.set()
            replied.wait(30)  # the model takes its time
            with pytest.raises(RunCancelledError):
                cancel.unless_cancelled(lambda: kept.append("turn"))
            yield "answered"
            kept.append("went on")
        finally:
            ended.set()

    items = in_background(run, cancel)
    assert next(items) == "asked"
    assert asked.wait(30)
    items.close()
    replied.set()
    assert ended.wait(30)
    assert kept == []


def test_leaving_waits_for_what_must_not_be_halved():
    begun, finish = threading.Event(), threading.Event()
    cancel = Cancellation()
    order = []

    def keep():
        begun.set()
        finish.wait(30)
        order.append("kept")

    keeper = threading.Thread(target=cancel.unless_cancelled, args=(keep,))
    keeper.start()
    assert begun.wait(30)
    leaver = threading.Thread(target=lambda: (cancel.cancel(), order.append("left")))
    leaver.start()
    finish.set()
    keeper.join(30)
    leaver.join(30)
    assert order == ["kept", "left"]


def test_an_interrupt_that_wakes_nobody_is_heeded():
    """As one just before a wait: handlers run between instructions. Here another thread gets it."""
    cancel = Cancellation()

    def hang():
        yield "asked"
        threading.Event().wait(30)

    items = in_background(hang, cancel)
    assert next(items) == "asked"
    handled = signal.signal(signal.SIGINT, lambda *_: cancel.interrupt())
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            next(items)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        signal.signal(signal.SIGINT, handled)
