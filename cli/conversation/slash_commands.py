"""The lines of `crag chat`: its slash commands, and questions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from cli.conversation.talk import Conversation, new_thread_name
from cli.render.answer_text import citation_of, print_surroundings, source_lines
from cli.render.trace_view import TraceView
from state.answer import Answer, shown_citations
from state.errors import UsageError
from state.settings_report import shown_value
from state.trace_store import TraceStore
from state.wording import checked_question, did_you_mean

CHANGEABLE = (
    *("collection", "k", "max_loops", "engine", "model", "grader", "verify"),
    *("history_tokens", "max_tokens", "max_cost", "timeout", "web", "full", "quotes"),
)
_LEAVE = ("exit", "quit")


class Command(NamedTuple):
    """`run` is given the conversation and the words behind the command."""

    argument: str
    help: str
    run: Callable[[Conversation, str], None]


def run_line(line: str, talk: Conversation) -> bool:
    """Run a command or ask a question; False if the person leaves. Leaving, `help` and `?` need no
    slash.

    Raises:
        UsageError: no such command, or its argument is unusable.
        CragError: as `Conversation.ask`.
    """
    if not line.startswith("/") and line.lower() not in (*_LEAVE, "help", "?"):
        if line:
            talk.ask(checked_question(line))
        return True
    name, _, argument = line.removeprefix("/").strip().partition(" ")
    if name.lower() in _LEAVE:
        return False
    command = COMMANDS.get("help" if name == "?" else name.lower())
    if command is None:
        known = [f"/{each}" for each in COMMANDS]
        hint = did_you_mean(f"/{name.lower()}", known, "/help lists them.")
        raise UsageError(f"There is no command /{name}.", hint)
    command.run(talk, argument.strip())
    return True


def _help(talk: Conversation, _argument: str) -> None:
    shown = {f"/{name} {each.argument}": each.help for name, each in COMMANDS.items()}
    width = max(map(len, shown)) + 2
    for command, text in shown.items():
        talk.terminal.wrapped(f"{command:<{width}}{text}", width)
    talk.terminal.wrapped("\nAlt-Enter begins a new line; Ctrl-R searches what was typed before.")
    talk.terminal.wrapped("Ctrl-C cancels the turn; Ctrl-D leaves.")


def _trace(talk: Conversation, argument: str) -> None:
    if argument in ("on", "off"):
        talk.live_trace = argument == "on"
        talk.terminal.notice(f"Traces are {argument}.")
        return
    answer = _last_answer(talk)
    with TraceStore(talk.settings) as traces:
        found = traces.get(argument or answer["trace_id"])
    TraceView(talk.terminal.console(stderr=False)).show_stored(found)


def _sources(talk: Conversation, _argument: str) -> None:
    talk.terminal.wrapped("\n".join(source_lines(shown_citations(_last_citing(talk)))))


def _open(talk: Conversation, argument: str) -> None:
    answer = _last_citing(talk)
    wanted = argument.strip("[] ") or str(min(each["marker"] for each in shown_citations(answer)))
    print_surroundings(talk.terminal, citation_of(answer, wanted), talk.session.reader)


def _thread(talk: Conversation, argument: str) -> None:
    if argument:
        talk.switch_thread(argument)
    talk.terminal.notice(talk.place)


def _new(talk: Conversation, argument: str) -> None:
    _thread(talk, argument or new_thread_name())


def _set(talk: Conversation, argument: str) -> None:
    name, *value = re.split(r"\s*=\s*|\s+", argument, maxsplit=1)
    key = name.removeprefix("--").replace("-", "_")
    if not key:
        for each in CHANGEABLE:
            talk.terminal.out(f"{each:<16}{shown_value(getattr(talk.settings, each))}")
        return
    if key not in CHANGEABLE:
        known = f"/set takes {', '.join(CHANGEABLE)}."
        raise UsageError(f"{name} cannot be set here.", did_you_mean(key, CHANGEABLE, known))
    if any(value) or isinstance(getattr(talk.settings, key), bool):
        talk.change(**{key: "".join(value) or "on"})
    talk.terminal.notice(f"{key} is {shown_value(getattr(talk.settings, key))}.")


def _last_answer(talk: Conversation) -> Answer:
    """The thread's last answer, of this session or an earlier one."""
    if talk.last is None:
        newest = talk.session.memory.store.newest(talk.thread)
        talk.last = None if newest is None else newest.answer
    if talk.last is None:
        raise UsageError("Nothing was answered on this thread yet.")
    return talk.last


def _last_citing(talk: Conversation) -> Answer:
    last = _last_answer(talk)
    if not shown_citations(last):
        raise UsageError("The last answer cites nothing.")
    return last


COMMANDS = {
    "sources": Command("", "The places the last answer cites.", _sources),
    "trace": Command("[on|off|ID]", "How the last answer was found; or show it live.", _trace),
    "new": Command("[NAME]", "Begin a new thread.", _new),
    "thread": Command("[NAME]", "Go on in another thread.", _thread),
    "set": Command("[KEY VALUE]", "Show or change a setting, the collection too.", _set),
    "open": Command("[N]", "Source N in its surroundings.", _open),
    "help": Command("", "This list.", _help),
    _LEAVE[0]: Command("", "Leave.", lambda _talk, _argument: None),
}
