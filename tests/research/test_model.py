"""Whole research runs with a model over real HTTP: what it is sent, and how a run ends."""

import time
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from openai_samples import settings_for
from research_library import TEXTS, lasting, library, places
from research_model import decide, instead, of, researcher, subtask
from scripted_server import Body, Reply, Request, ScriptedServer, call, status

from rag.research.planning import artifact_name
from rag.research.research_prompts import PLANNER
from rag.research.run import Research
from state.errors import BudgetError, ModelError

FILES = TEXTS
STONE = subtask("searcher", "How long is the Stone Bridge?", name="stone")
IRON = subtask("searcher", "How long is the Iron Bridge?", name="iron")
ANNA = subtask("searcher", "In which town was Anna Berg born?", name="anna")
LENA = subtask("searcher", "In which town was Lena Holt born?", name="lena")
ABSENT = subtask("searcher", "What is the melting point of tungsten?")
NAMED = subtask("searcher", STONE["instruction"], "lund.md")
QUESTION = "Which of the two bridges is longer, and who made it?"
PLAN = [STONE, IRON]
END = decide("end")
REPLAN = decide("replan", leads=[*map("Who opened span {}?".format, range(99))])


def research(server: ScriptedServer, home: Path, **changed) -> Research:
    settings = settings_for(server, home=home, grader="model", engine="openai", **changed)
    return Research(settings)


def ran(
    home: Path, model: Reply, pages: Body | None = None, question: str = QUESTION, **changed: Any
) -> tuple[dict[str, Any], list[Request]]:
    """The report of a whole run, and what the model was asked for it. With k=1 a search finds one
    chunk, however many are asked for.
    """
    with (
        ScriptedServer(always=model, pages=pages) as server,
        research(server, home, **changed) as run,
    ):
        search = run.session.reader.search
        if changed.get("k") == 1:
            run.session.reader.search = lambda query, _most: search(query, 1)
        return run.start(question), server.requests


def resumed(home: Path, model: Reply) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The report of the last run, and what was told as it went on."""
    events: list[dict[str, Any]] = []
    with ScriptedServer(always=model) as server, research(server, home) as run:
        return run.resume("last", emit=events.append), events


def found(report: dict[str, Any]) -> dict[str, Any]:
    """A report without what it cost: calls of a subtask that failed were made in vain."""
    return {k: v for k, v in lasting(report).items() if k not in ("usage", "report")}


def shingles(words: str, size: int = 24) -> set[str]:
    return {words[i : i + size] for i in range(len(words) - size + 1)}


def test_a_planned_run_answers_with_shared_citations(home: Path):
    with ScriptedServer(always=researcher([PLAN], [END])) as server, research(server, home) as run:
        report = run.start(QUESTION)
        for citation in report["citations"]:
            held = run.session.reader.document_text(citation["source"]) or ""
            assert held[citation["start_char"] : citation["end_char"]] == citation["quote"]
    assert (report["status"], report["rounds"], report["subtasks"]) == ("answered", 1, 3)
    assert "140 metres" in report["answer"]
    assert "95 metres" in report["answer"]
    assert len(places(report)) == len(set(places(report)))
    assert report["usage"]["llm_calls"] == len(server.requests) == 5
    counts = [len(of(server.requests, t)) for t in ("Plan", "Findings", "Reflection", "Parts")]
    assert counts == [1, 2, 1, 1]


def test_no_byte_of_the_planners_prompt_reaches_a_subagent(home: Path):
    _, requests = ran(home, researcher([[STONE, IRON], [ANNA]], [REPLAN, END]))
    subagents = of(requests, "Findings", "Parts")
    assert len(subagents) == 4
    planned = of(requests, "Plan")
    assert len(planned) == 2
    systems = {request.body["messages"][0]["content"] for request in planned}
    assert all(system.startswith(PLANNER) for system in systems)
    secret = {piece for system in systems for piece in shingles(system)}
    assert not any(secret & shingles(request.prompt) for request in subagents)
    for request in subagents:
        assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
    assert all("\nToday is " in request.prompt for request in requests)


@pytest.mark.parametrize("task", [STONE, NAMED], ids=["a question", "with a named document"])
@pytest.mark.parametrize("context", [1_000, 100_000])
def test_a_searcher_is_given_what_the_server_takes(home: Path, monkeypatch, context, task):
    monkeypatch.setattr("rag.engines.openai.server.LEAST_CONTEXT", 20)
    pages = {"/props": {"default_generation_settings": {"n_ctx": context}}}
    _, requests = ran(home, researcher([[task]], [END]), pages)
    (asked,) = of(requests, "Findings")
    assert "140 metres" in asked.prompt, "what a plan names does not crowd it out"
    assert ("Lena Holt" in asked.prompt) is (context > 10_000)


def test_what_a_plan_names_is_read_though_no_query_finds_it(home: Path):
    _, requests = ran(home, researcher([[NAMED]], [END]), k=1)
    (asked,) = of(requests, "Findings")
    assert "140 metres" in asked.prompt
    assert "Lund lund.md" in asked.prompt


def test_a_server_that_writes_for_longer_than_a_request_may_take_is_heard_out(home: Path):
    model = researcher([[STONE]], [END])

    def slowly(body):
        sent = model(body)
        pieces = list(sent.events or ())
        sent.events = (time.sleep(0.4 / len(pieces)) or piece for piece in pieces)
        return sent

    report, _ = ran(home, slowly, request_timeout=0.3, max_retries=0)
    assert report["status"] == "answered"


def test_the_planner_sees_the_table_of_contents_and_summaries_and_never_text(home: Path):
    _, requests = ran(home, researcher([[STONE], [ANNA]], [REPLAN, END]))
    first, second = of(requests, "Plan")
    assert "- stone-bridge.md (Stone Bridge, " in first.prompt
    name = artifact_name("searcher", "How long is the Stone Bridge?")
    assert f"{name}: done, " in second.prompt
    assert "scripted replan" not in second.prompt, "its numbers are those of another list"
    assert second.prompt.count("\nLead: Who opened") == 6
    for request in (first, second):
        assert "140 metres" not in request.prompt


def test_reflection_sees_findings_in_a_line_and_what_was_not_found(home: Path):
    report, requests = ran(home, researcher([[STONE, ABSENT], []], [END]))
    first, _ = of(requests, "Reflection")
    assert "140 metres" in first.prompt
    assert "Open parts:\n1. What is the melting point of tungsten?" in first.prompt
    assert "| Searched: What is the melting point of tungsten?\n" in first.prompt
    assert (report["status"], report["rounds"]) == ("partial", 2), "it is looked for once more"
    assert report["not_found"] == ["What is the melting point of tungsten?"]
    open_ = "Still open, heading “What is the melting point of tungsten”: What is the melting"
    assert open_ in of(requests, "Plan")[1].prompt
    assert report["report"].count("melting") == 1


def test_an_open_part_that_was_found_after_all_is_closed(home: Path):
    report, _ = ran(home, researcher([[STONE, ABSENT]], [decide("end", answered=[1])]))
    assert (report["status"], report["rounds"], report["not_found"]) == ("answered", 1, [])


def test_a_second_round_looks_for_what_is_open_and_adds_to_the_section_that_lacks_it(home: Path):
    first = subtask("searcher", "How long is the Stone Bridge, and who designed it?")
    first["heading"] = "The Stone Bridge"
    second = {**subtask("searcher", "Who made the Stone Bridge?"), "heading": "the Stone Bridge."}
    quotes = [
        "The Stone Bridge is 140 metres long",
        "The Stone Bridge was designed by the engineer Anna Berg",
    ]

    def findings(body):
        known = "- It is 140 metres long." in body["messages"][1]["content"]
        texts = ["It is 140 metres long.", "Anna Berg designed it."][: 1 + known]
        quoted = [{"document": 1, "quote": quote} for quote in quotes]
        told = [{"text": t, "quotes": [q]} for t, q in zip(texts, quoted, strict=False)]
        return call(
            {"findings": told, "not_found": [] if known else ["who designed it", "colour"]}
        )(body)

    not_asked = decide("end", answered=[2])
    model = instead(
        researcher([[first], [second]], [not_asked, decide("end", answered=[1])]), Findings=findings
    )
    report, requests = ran(home, model, question=QUESTION * 4)
    (section,) = report["sections"]
    assert section["text"] == "- It is 140 metres long. [1]\n- Anna Berg designed it. [2]"
    assert (report["status"], report["rounds"], report["not_found"]) == ("answered", 2, [])
    assert "colour" not in of(requests, "Reflection")[1].prompt
    assert len(of(requests, "Findings")) == 2
    title, whole = report["report"].split("\n\n")[:2]
    assert title.endswith("…")
    assert whole == f"> {QUESTION * 4}"


def test_a_searcher_searches_once_more_by_queries_of_its_own(home: Path):
    asked: list[str] = []

    def findings(body):
        asked.append(body["messages"][1]["content"])
        if len(asked) == 1:
            empty = {"findings": [], "not_found": ["birthplace"], "queries": ["Lund market"]}
            return call(empty)(body)
        number = int(asked[1].split("Lund lund.md")[0].rpartition("[")[2].split("]")[0])
        quote = {"document": number, "quote": "a market every   Friday"}
        return call({"findings": [{"text": "It is Lund.", "quotes": [quote]}]})(body)

    good = researcher([[subtask("searcher", "Where was its engineer born?")]], [END])
    model = instead(good, Findings=findings)
    report, _ = ran(home, model, k=1)
    assert "Not found in what was read before: birthplace\n" in asked[1]
    assert report["citations"][0]["quote"] == "a market every Friday"
    assert report["sections"][0]["text"] == "It is Lund. [1]"


def test_a_quote_that_stands_nowhere_or_has_no_form_is_none_and_several_stay_several(home: Path):
    quotes = ["The Stone Bridge is 140 metres long", "has nine **arches**", "it is made of cheese"]
    given = [
        {
            "text": "It is long and has arches.",
            "quotes": [{"document": n, "quote": quote} for n in (1, 2) for quote in quotes],
        },
        {"text": "Of no use. " * 200, "quotes": [{"document": "the first"}, None]},
        {"text": "It is made of cheese.", "quotes": [{"document": 1, "quote": quotes[2]}]},
    ]
    model = instead(
        researcher([[STONE]], [END]), Findings=call({"findings": given, "queries": None})
    )
    report, requests = ran(home, model)
    text = report["sections"][0]["text"]
    reflected = of(requests, "Reflection")[0].prompt
    assert "no use.… It is made of cheese." in reflected, "each is shown, if not whole"
    assert "It is long and has arches. [1][2]" in text
    assert "- It is made of cheese. (no quote found)" in text
    assert "Of no use. (no quote found)" in text
    cited = {citation["quote"] for citation in report["citations"]}
    assert cited == {quotes[0], "has nine arches"}
    assert report["status"] == "partial"


@pytest.mark.parametrize(
    ("said", "quotes", "told"),
    [
        ("It is 140 metres long [1].", [1, 9], "It is 140 metres long. [1]"),
        ("According to [1], it is long.", [], "According to the documents, it is long. [1]"),
        ("It is made of cheese.", [9], ""),
    ],
)
def test_a_writer_rests_on_the_quotes_that_it_names(home: Path, said, quotes, told):
    parts = [{"text": "Cheese " * 200, "quotes": [9]}, {"text": said, "quotes": quotes}]
    report, _ = ran(home, instead(researcher([[STONE]], [END]), Parts=call({"parts": parts})))
    assert report["answer"] == told
    assert any("named no quote" in line for line in report["warnings"]) is not bool(told)


def test_independent_subtasks_run_at_once(home: Path):
    meet = Barrier(4, timeout=60)

    def before(what: str) -> None:
        if what == "Findings":
            meet.wait()

    report, _ = ran(home, researcher([[STONE, IRON, ANNA, LENA]], [END], before))
    assert report["subtasks"] == 5, "the writer's too"
    assert not meet.broken


LOCAL = {"/props": {"default_generation_settings": {"n_ctx": 100_000}}}


@pytest.mark.parametrize("usage", [(5_000, 5), (100, 10)], ids=["slow", "never timed"])
def test_a_server_of_this_machine_is_asked_one_thing_after_another(home, monkeypatch, usage):
    monkeypatch.setattr("rag.engines.openai.server.SLOW", 10.0**9)
    asked: list[str] = []
    model = researcher([[STONE, IRON, ANNA, LENA]], [END], usage=usage)

    def alone(body):
        asked.append("comes")
        time.sleep(0.05)
        asked.append("goes")
        return model(body)

    report, requests = ran(home, alone, LOCAL)
    assert report["subtasks"] == 5
    assert asked == ["comes", "goes"] * len(requests)


def test_of_a_slow_server_no_plan_is_asked_for_a_question_of_several_parts(home, monkeypatch):
    monkeypatch.setattr("rag.engines.openai.server.SLOW", 10.0**9)
    model = researcher([PLAN], [decide("continue", leads=["Who?"])], usage=(5_000, 5))
    with ScriptedServer(always=model, pages=LOCAL) as server:
        for _ in range(2):
            with research(server, home) as run:
                report = run.start("How long is the Stone Bridge, and where was Anna Berg born?")
    assert len(of(server.requests, "Plan")) == 1, "the first time nobody knew that it is slow"
    headings = [section["heading"] for section in report["sections"]]
    assert headings == ["How long is the Stone Bridge", "Where was Anna Berg born"]
    assert report["rounds"] == 1, "nothing was open"


def test_of_a_slow_server_a_plan_is_asked_for_what_is_open(home, monkeypatch):
    monkeypatch.setattr("rag.engines.openai.server.SLOW", 10.0**9)
    model = researcher([PLAN], [decide("continue"), END], usage=(5_000, 5))
    asked = "How long is the Stone Bridge, and what is the melting point of tungsten?"
    with ScriptedServer(always=model, pages=LOCAL) as server:
        for _ in range(2):
            with research(server, home) as run:
                report = run.start(asked)
    assert report["rounds"] == 2
    open_ = "Still open, heading “What is the melting point of tungsten”: what is the melting"
    assert open_ in of(server.requests, "Plan")[-1].prompt


def test_an_escalation_is_answered_and_the_run_goes_on(home: Path):
    model = researcher([[STONE], PLAN], [decide("escalate", question="Which bridge?"), END])
    with ScriptedServer(always=model) as server:
        with research(server, home) as run:
            report = run.start(QUESTION)
        assert (report["status"], report["escalation"]) == ("waiting", "Which bridge?")
        with research(server, home) as run:
            done = run.resume(report["run_id"], "Both of them.")
            assert done["status"] == "answered"
            assert run.resume(report["run_id"]) == done
    first, second = of(server.requests, "Plan")
    assert "The person said" not in first.prompt
    assert "The person said: Both of them." in second.prompt


@pytest.mark.parametrize(
    ("what", "broken"),
    [("Plan", '{"subtasks": 7'), ("Reflection", ""), ("Findings", "[]"), ("Parts", "")],
)
def test_a_reply_that_cannot_be_read_ends_no_run(home: Path, what: str, broken: str):
    model = instead(researcher([PLAN], [END]), **{what: call(broken)})
    report, _ = ran(home, model, question="How long is the Stone Bridge?")
    assert any(f"no usable {what}" in line for line in report["warnings"])
    if what != "Findings":
        assert report["status"] == "answered"
        assert "140 metres" in report["report"]


def test_a_server_that_goes_down_repeats_no_finished_subtask(tmp_path: Path):
    whole, requests = ran(library(tmp_path / "whole"), researcher([PLAN], [END]))
    good = researcher([PLAN], [END])
    for survived in range(1, len(requests)):
        home = library(tmp_path / f"{survived}")
        replies = [good] * survived
        with ScriptedServer(*replies, always=status(500)) as server, research(server, home) as run:
            with pytest.raises(ModelError):
                run.start(QUESTION)
            kept = {each["expected_artifact"] for each in run._journal.artifacts(str(run.run_id))}
        report, events = resumed(home, researcher([PLAN], [END]))
        begun = [e["subtask"] for e in events if e["event"] == "subtask_started"]
        assert not kept & {task["expected_artifact"] for task in begun}
        assert found(report) == found(whole)


def test_what_planning_warned_of_is_in_the_report_of_a_run_that_was_resumed(home: Path):
    with pytest.raises(ModelError):
        ran(home, instead(status(500), Plan=call("{")))
    report, _ = resumed(home, researcher([PLAN], [END]))
    assert any("no usable Plan" in line for line in report["warnings"])


def test_a_spent_budget_leaves_a_partial_report_that_can_go_on(home: Path):
    model = researcher([[STONE], [IRON]], [REPLAN, END], usage=(2000, 10))
    report, _ = ran(home, model, max_tokens=9_000)
    assert (report["status"], report["resumable"]) == ("partial", True)
    assert "140 metres" in report["report"]
    assert "budget" in report["warnings"][0]
    done, _ = resumed(home, model)
    assert (done["status"], done["resumable"]) == ("answered", False)
    assert "95 metres" in done["answer"]
    assert len(places(done)) == len(set(places(done)))


def test_what_a_first_reading_found_is_kept_when_the_second_is_too_dear(home: Path):
    usage = (2400, 10)
    quote = {"document": 1, "quote": "The Stone Bridge is 140 metres long"}
    found = {
        "findings": [{"text": "140 metres.", "quotes": [quote]}],
        "not_found": ["how long the bridge is"],
    }
    good = researcher([[STONE]], [END], usage=usage)
    model = instead(good, Findings=call(found, usage=usage))
    report, _ = ran(home, model, max_tokens=5_000)
    assert (report["status"], report["not_found"]) == ("partial", ["how long the bridge is"])
    assert "140 metres" in report["report"]
    _, events = resumed(home, model)
    told = [event["event"] for event in events]
    assert told.index("reflected") < told.index("subtask_started"), "nothing was read again"


def test_a_budget_spent_before_anything_was_found_is_an_error(home: Path):
    model = researcher([PLAN], [END], usage=(2000, 10))
    with ScriptedServer(always=model) as server, research(server, home, max_tokens=1500) as run:
        with pytest.raises(BudgetError):
            run.start(QUESTION)
        assert run.run_id is not None
