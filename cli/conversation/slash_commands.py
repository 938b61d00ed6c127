"""The slash commands of `crag chat`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from cli.conversation.passage import passage_lines
from cli.conversation.talk import Conversation, new_thread_name
from cli.render.answer_text import citation_of, cited, print_sources
from cli.render.links import citation_links
from cli.render.short_text import dollars, shorten
from state.answer import Answer
from state.counting import many
from state.errors import UsageError
from state.settings_report import shown_value

CONTEXT_LINES = 3
HISTORY_INDENT = 6
LOOK_BACK = 50
"""Turns among which one that cites anything is looked for."""


class LeaveError(Exception):
    """The person wants to leave."""


@dataclass(frozen=True, slots=True)
class Command:
    """`run` is given the conversation and the words behind the command; it may return a question
    to ask.
    """

    argument: str
    help: str
    run: Callable[[Conversation, str], str | None]


def is_command(line: str) -> bool:
    return line.startswith("/") or line.lower() in WITHOUT_SLASH


def run_command(line: str, talk: Conversation) -> str | None:
    """Run a line that is a command; the question that is to be asked then, if any.

    Raises:
        UsageError: no such command, or its argument is unusable.
        LeaveError: the person wants to leave.
    """
    name, _, argument = line.removeprefix("/").strip().partition(" ")
    command = COMMANDS.get(ALSO.get(name.lower(), name.lower()))
    if command is None:
        near = get_close_matches(name.lower(), COMMANDS, n=1)
        hint = f"Did you mean /{near[0]}?" if near else "/help lists them."
        raise UsageError(f"There is no command /{name}.", hint)
    return command.run(talk, argument.strip())


def _help(talk: Conversation, _argument: str) -> None:
    shown = {f"/{name} {each.argument}": each.help for name, each in COMMANDS.items()}
    width = max(map(len, shown))
    for command, text in shown.items():
        talk.terminal.beside(f"{command:<{width}}  ", text)
    talk.terminal.out("")
    talk.terminal.wrapped("help, ?, exit, quit and bye need no slash.")
    talk.terminal.wrapped("Alt-Enter begins a new line; Ctrl-R searches what was typed before.")
    talk.terminal.wrapped("Ctrl-C cancels the turn; Ctrl-D leaves.")


def _trace(talk: Conversation, argument: str) -> None:
    if argument in ("on", "off"):
        talk.live_trace = argument == "on"
        talk.terminal.notice(f"Traces are {argument}.")
        return
    answer = _last(talk)
    from cli.render.trace_view import TraceView
    from state.shared_place import open_traces

    with open_traces(talk.settings) as traces:
        found = traces.get(argument or answer["trace_id"])
    TraceView(talk.terminal.out_console()).show_stored(found)


def _sources(talk: Conversation, _argument: str) -> None:
    answer = _last_citing(talk)
    print_sources(talk.terminal, cited(answer), _links(talk, answer))


def _open(talk: Conversation, argument: str) -> None:
    answer = _last_citing(talk)
    first = min(each["marker"] for each in cited(answer))
    citation = citation_of(answer, _number(argument, "source") if argument else first)
    text = talk.session.reader.document_text(citation["source"])
    if text is None:
        raise UsageError(
            f"{citation['source']} is no longer in {talk.session.reader.name}.",
            "`crag threads show` still has the quote.",
        )
    print_sources(talk.terminal, [citation], _links(talk, answer))
    talk.terminal.out("")
    for gutter, line in passage_lines(text, citation, CONTEXT_LINES):
        talk.terminal.beside(gutter, line)


def _links(talk: Conversation, answer: Answer) -> dict[int, str]:
    return citation_links(talk.settings.links, answer, talk.session.reader)


def _pin(talk: Conversation, argument: str) -> None:
    words = argument.split()
    off = "off" in words
    numbers = [word for word in words if word != "off"]
    number = _number(numbers[0], "turn") if numbers else talk.turns
    talk.session.memory.store.pin(talk.thread, number, milestone=not off)
    talk.terminal.notice(f"Turn {number} is {'no longer' if off else 'now'} pinned.")


def _history(talk: Conversation, argument: str) -> None:
    count = _number(argument, "number") if argument else 10
    store = talk.session.memory.store
    newest = list(store.turns(talk.thread, newest_first=True, limit=count))
    for turn in reversed(newest):
        pin = "  (pinned)" if turn.milestone else ""
        width = min(100, talk.terminal.width or 100) - HISTORY_INDENT
        talk.terminal.out(f"{turn.number:>4}. {shorten(turn.answer['question'], width)}{pin}")
        talk.terminal.out(f"{'':{HISTORY_INDENT}}{shorten(turn.answer['answer'], width)}")
    if not newest:
        talk.terminal.notice(f"{talk.thread} has no turns yet.")


def _thread(talk: Conversation, argument: str) -> None:
    if argument:
        talk.switch(argument)
    reader = talk.session.reader
    talk.terminal.notice(f"On {talk.thread}, {many(talk.turns, 'turn')}, asking {reader.name}.")


def _new(talk: Conversation, argument: str) -> None:
    name = argument or new_thread_name()
    if talk.session.memory.store.last_turn(name):
        raise UsageError(f"There is a thread {name!r} already.", "/thread goes on with it.")
    talk.switch(name)
    talk.terminal.notice(f"On {talk.thread}, a new thread.")


def _collection(talk: Conversation, argument: str) -> None:
    from rag.index.stores import store_of

    if argument:
        talk.change(collection=argument)
        reader = talk.session.reader
        talk.terminal.notice(f"Asking {reader.name}, {many(reader.document_count, 'document')}.")
        return
    for name in store_of(talk.settings).names():
        mark = "*" if name == talk.session.reader.name else " "
        talk.terminal.out(f"{mark} {name}")


CHANGEABLE = (
    "k",
    "max_loops",
    "engine",
    "model",
    "grader",
    "verify",
    "history_tokens",
    "max_tokens",
    "max_cost",
    "timeout",
    "web",
)


def _set(talk: Conversation, argument: str) -> None:
    key, _, value = argument.replace("=", " ", 1).partition(" ")
    key = key.replace("-", "_")
    if not key:
        for each in CHANGEABLE:
            talk.terminal.out(f"{each:<16}{shown_value(getattr(talk.settings, each))}")
        return
    if key not in CHANGEABLE or not value.strip():
        raise UsageError("/set takes a key and a value.", f"The keys are {', '.join(CHANGEABLE)}.")
    talk.change(**{key: value.strip()})
    talk.terminal.notice(f"{key} is {shown_value(getattr(talk.settings, key))}.")


def _retry(talk: Conversation, _argument: str) -> str:
    if talk.question is None:
        raise UsageError("There is nothing to ask again yet.")
    return talk.question


def _cost(talk: Conversation, _argument: str) -> None:
    spent = talk.spent
    price = "at an unknown price" if spent["cost_usd"] is None else dollars(spent["cost_usd"])
    tokens = f"{spent['input_tokens']:,} + {spent['output_tokens']:,} tokens"
    talk.terminal.out(f"{many(spent['llm_calls'], 'model call')}, {tokens}, {price}")


def _save(talk: Conversation, argument: str) -> None:
    from cli.files import write_text
    from rag.thread_export import thread_text

    if not argument:
        raise UsageError("/save takes a file name.", "One that ends in .json gets JSON.")
    file = Path(argument).expanduser()
    turns = talk.session.memory.store.turns(talk.thread)
    text = thread_text(talk.thread, turns, as_json=file.suffix == ".json")
    write_text(file, text, talk.terminal)


def _exit(_talk: Conversation, _argument: str) -> None:
    raise LeaveError


def _last(talk: Conversation) -> Answer:
    """The answer shown last, of this session or before."""
    if talk.last is None:
        store = talk.session.memory.store
        for turn in store.turns(talk.thread, newest_first=True, limit=1):
            talk.last = turn.answer
    if talk.last is None:
        raise UsageError("Nothing was answered on this thread yet.")
    return talk.last


def _last_citing(talk: Conversation) -> Answer:
    """The last answer that cites anything, said of which turn where others came after it."""
    last = _last(talk)
    if cited(last):
        return last
    store = talk.session.memory.store
    turns = store.turns(talk.thread, newest_first=True, limit=LOOK_BACK)
    answer = next((turn.answer for turn in turns if cited(turn.answer)), None)
    if answer is None:
        raise UsageError("The last answer cites nothing.")
    talk.terminal.notice(f"Of turn {answer['turn']}, “{shorten(answer['question'], 60)}”:")
    return answer


def _number(argument: str, what: str) -> int:
    digits = argument.strip("[] ")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise UsageError(f"{argument!r} is no {what}.")
    return int(digits)


COMMANDS = {
    "trace": Command("[on|off|ID]", "How the last answer was found; or show it live.", _trace),
    "sources": Command("", "The places the last answer cites.", _sources),
    "open": Command("N", "Source N in its surroundings.", _open),
    "pin": Command("[N] [off]", "Keep a turn in the model's view.", _pin),
    "history": Command("[N]", "The last turns of the thread.", _history),
    "thread": Command("[NAME]", "Go on in another thread.", _thread),
    "new": Command("[NAME]", "Begin a new thread.", _new),
    "collection": Command("[NAME]", "List the collections, or ask another.", _collection),
    "set": Command("[KEY VALUE]", "Show or change a setting.", _set),
    "retry": Command("", "Ask the last question again.", _retry),
    "cost": Command("", "What this session has spent.", _cost),
    "save": Command("FILE", "Write the thread as Markdown or JSON.", _save),
    "help": Command("", "This list.", _help),
    "exit": Command("", "Leave.", _exit),
}
ALSO = {"quit": "exit", "bye": "exit", "q": "exit", "?": "help", "h": "help"}
"""Other names that people try; they are not listed."""
WITHOUT_SLASH = frozenset({"exit", "quit", "bye", "help", "?"})
"""What nobody asks of documents in one word."""
