import errno
import json
import signal
import sys

import pytest
from bare_process import finished
from crag import crag
from turn_samples import make_answer, open_turn_store
from typer import Abort

from cli.errors import Exit, end_on, exit_code
from cli.terminal import clean
from state import errors
from state.wording import shorten, written_place


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.UsageError("x"), 2),
        (errors.NoIndexError("x"), 4),
        (errors.SettingsError("x"), 4),
        (errors.EmbedderMismatchError("x"), 4),
        (errors.StoreBusyError("x"), 4),
        (errors.StorageError("x"), 4),
        (errors.ModelError("x"), 5),
        (errors.BudgetError("x"), 5),
        (errors.RemoteStoreError("x"), 5),
        (errors.CragError("x"), 1),
    ],
)
def test_every_error_has_its_exit_code(error: errors.CragError, code: int):
    assert exit_code(error) == code


# What pybind11 makes of an interrupt while a module of its own is imported.
FOREIGN = ImportError("initialization failed")
FOREIGN.__cause__ = KeyboardInterrupt()
# What failed after an interrupt, as something was closed.
AT_CLOSING = errors.StorageError("Cannot be closed.")
AT_CLOSING.__context__ = KeyboardInterrupt()
FULL = "There is no more memory. Close other programs, or raise `ulimit -v`."


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (MemoryError(), 4, FULL),
        (KeyboardInterrupt(), 130, "interrupted."),
        (Abort(), 130, "interrupted."),
        (FOREIGN, 130, "interrupted."),
        (AT_CLOSING, 130, "interrupted."),
    ],
)
def test_want_of_memory_and_an_interrupt_are_called_so_whatever_was_made_of_them(
    error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str]
):
    given = ["ask", "q"] if said == FULL else ["ask", "q", "--debug"]
    with pytest.raises(SystemExit) as ended:
        end_on(error, given)
    assert (ended.value.code, capsys.readouterr().err) == (code, f"crag: {said}\n")


def test_what_the_system_reports_besides_storage_is_called_unexpected(capsys):
    with pytest.raises(SystemExit) as ended:
        end_on(ProcessLookupError(errno.ESRCH, "No such process"), ["ask", "q"])
    assert ended.value.code == 1
    assert "unexpected ProcessLookupError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["asj"], "Did you mean 'ask'?"),
        (["\x1b[2Jask"], "No such command"),
        (["--nope"], "No such option"),
        (["ask"], "Missing argument 'QUESTION'"),
        (["ask", "q", "--k", "x"], "--k"),
        (["ask", "q", "--engine", "abacus"], "abacus"),
        (["ask", "?!"], "The question holds no word"),
        (["ask", "a" * 100_000], "20,000 characters are the most"),
        (["ask", "q", "--max-cost", "0"], "--max-cost: Input should be greater than 0."),
        (["ask", "how", "high", "is", "it"], 'stand in quotes: "…".'),
        (["search", "high", "viaduct"], 'stand in quotes: "…".'),
        (["threads", "prune"], "Add --days N or --keep N"),
        (["threads", "show", "railwy"], "Did you mean 'railway'?"),
        (["threads", "delete", "raiway", "--yes"], "Did you mean 'railway'?"),
        (["threads", "show", "zzz"], "`crag threads list` shows all"),
        (["threads", "shwo"], "Did you mean 'show'?"),
        (["trace"], "There is no trace yet."),
        (["trace", "zzz"], "`crag trace list` shows them"),
        (["ask", "q", "--thread", "a/b"], "--thread: a name has 1 to 128 characters"),
        (["ask", "q", "--threadd", "a"], "--thread"),
        (["ask", "q", "--pin"], "Name one with --thread"),
        (["ask", "q", "--continue", "--thread", "t"], "Give one of them"),
        (["research"], "Give either"),
        (["research", "q?", "--resume", "last"], "Give either"),
        (["research", "q?", "--answer", "a"], "--answer goes with --resume"),
        (["research", "--resume", "nonsense"], "no research run"),
        (["research", "--resume", "%"], "no research run"),
        (["research", "  "], "empty"),
        (["status", "--home", ""], "'--home': it is empty"),
        (["ingest"], "Name a folder"),
        (["ingest", "none"], "No such file"),
        (["ingest", ".", "--include", "!"], "--include"),
        (["ingest", ""], "A path is empty"),  # an unset variable
    ],
)
def test_usage_errors_are_one_line_on_stderr_and_exit_2(tmp_path, arguments, words):
    with open_turn_store(tmp_path) as turns:
        turns.append("railway", make_answer())
    result = crag(tmp_path, *arguments)
    assert result.exit_code == Exit.USAGE
    assert result.stdout == ""
    assert words in result.stderr
    assert "\x1b" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


JOINED = "\N{WOMAN}\u200d\N{GIRL} \u0645\u06cc\u200c\u0631"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *[(kept, kept) for kept in ("plain – äöü 中文 🙂", JOINED)],
        ("a\x1b[31mred", "a\N{REPLACEMENT CHARACTER}[31mred"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("bidi \u202e flip", "bidi \N{REPLACEMENT CHARACTER} flip"),
        ("no\u200b width\ufeff or\u2060 hyphen\xad", "no width or hyphen"),
        ("20\xa0km \u2003off", "20 km  off"),
        ("c1 \x9b2J", "c1 \N{REPLACEMENT CHARACTER}2J"),
    ],
)
def test_clean_leaves_nothing_that_drives_a_terminal(text: str, shown: str):
    assert clean(text) == shown


def test_a_line_end_in_an_error_or_in_a_file_s_name_feigns_no_line():
    assert str(errors.SetupError("It is\nbroken.", "Mend it.")) == "It is broken. Mend it."
    named = {"source": "a\n[2] b.md\u2028c", "page": None, "start_line": 3, "end_line": None}
    assert written_place(named) == "a [2] b.md c:3"


def test_foreign_text_is_cut_at_a_word():
    assert shorten("one\ntwo three", 12) == "one two…"
    assert shorten("as it stands", 12) == "as it stands"


@pytest.mark.parametrize("group", ["threads", "collections", "model", "config"])
def test_a_group_alone_shows_what_there_is(tmp_path, group):
    result = crag(tmp_path, group, "--json")
    assert (result.exit_code, json.loads(result.stdout)["schema"].split("/")[1]) == (0, "1")


def ended(code, *given):
    ran = finished([sys.executable, "-c", code, *given])
    return ran.returncode, ran.stdout, ran.stderr


_DROPPED = """
import signal, sys, time
from cli.main import resend_interrupt

class Held:
    def __del__(self):
        raise {raised}

sys.unraisablehook = resend_interrupt
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    held = Held()
    del held
    time.sleep(20 * ({raised} is not ValueError))
except KeyboardInterrupt as heard:
    print(type(heard).__name__)
"""


def test_an_interrupt_that_python_drops_is_heard():
    dropped = _DROPPED.format(raised="KeyboardInterrupt")
    assert ended(dropped) == (0, "KeyboardInterrupt\n", "")


@pytest.mark.parametrize(("given", "shown"), [([], False), (["--debug"], True)])
def test_an_error_that_python_drops_is_for_debug_alone(given, shown):
    code, _, errors = ended(_DROPPED.format(raised="ValueError"), *given)
    assert (code, "Traceback" in errors) == (0, shown)


_MAIN = """
import os, signal, sys
from cli import main

class Slow:
    def __getattr__(self, name):
        return getattr(sys.__stdout__, name)
    def flush(self):
        os.kill(os.getpid(), signal.SIGINT)

def early():
    os.kill(os.getpid(), signal.SIGINT)

def late(**_):
    sys.stdout = Slow()
    raise SystemExit(0)

def twice(**_):
    raise KeyboardInterrupt

main.prepare_streams = {first}
main.get_command = lambda _app: {command}
main.main()
"""


@pytest.mark.parametrize(
    ("first", "command", "code", "line"),
    [
        ("early", "late", -signal.SIGINT, ""),
        ("list", "late", 130, ""),
        ("list", "twice", 130, "crag: interrupted.\n"),
    ],
    ids=["before the command", "in the last line", "before one is told of"],
)
def test_an_interrupt_around_the_command_ends_the_program_at_once(first, command, code, line):
    program = _MAIN.format(first=first, command=command)
    assert ended(program) == (code, "", line)
