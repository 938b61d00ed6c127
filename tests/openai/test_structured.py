"""Whatever a model replies, a verdict is either read from it or there is none."""

import json

import pytest
from in_time import cpu_within, within
from openai_samples import BERLIN, PARIS, ROME, answering, connect, grades, grading, verdict
from scripted_server import ScriptedServer, call, completion, status, text

from rag.engines.openai.answer_reply import partial_texts, read_reply
from rag.engines.openai.prompts import fenced
from rag.engines.openai.reply import Reply
from rag.engines.protocol import Graded

WHOLE = grades(True, False)
FENCED = f"Here are the grades:\n```json\n{json.dumps(WHOLE, indent=1)}\n```\nHope that helps!"
CALLED = json.dumps({"name": "grade_documents", "arguments": WHOLE})
COMMAS = '{"document_1": {"holds": true,}, "document_2": {"holds": false,},}'
CODE = ("```py\nname = argv[1]\n```", "`argv[1]`", "~~~\nargv[1]\n")
NAMED = "According to the documents, it is, as said in the documents."
THOUGHT = {"role": "assistant", "content": "", "reasoning_content": json.dumps(WHOLE)}


def verdicts(graded: Graded) -> list[bool]:
    return [grade["relevant"] for grade in graded.grades]


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(call(WHOLE), id="JSON"),
        pytest.param(call(WHOLE, finish="length"), id="whole, then cut off"),
        pytest.param(call(grades("Yes.", "**No**")), id="words instead of booleans"),
        pytest.param(call({**WHOLE, "document_9": verdict(True)}), id="a document too many"),
        pytest.param(text(f"<tool_call>\n{CALLED}\n</tool_call>"), id="a call written as text"),
        pytest.param(text(FENCED), id="a fence and chatter"),
        pytest.param(text(f"{json.dumps(WHOLE)}\nHope {{that}} helps!"), id="words in braces"),
        pytest.param(text(f"<think>maybe {{x}}?</think>{json.dumps(WHOLE)}"), id="thinking"),
        pytest.param(text(f"maybe.</think>{json.dumps(WHOLE)}"), id="thinking, never opened"),
        pytest.param(text(COMMAS), id="trailing commas"),
    ],
)
def test_one_call_is_enough_where_every_verdict_can_be_read(reply):
    with ScriptedServer(reply) as server:
        graded = connect(server).grade(grading(PARIS, BERLIN))
    assert verdicts(graded) == [True, False]
    assert len(server.requests) == 1


UNREADABLE = [
    pytest.param(completion(THOUGHT), id="all of it in the thinking"),
    pytest.param(call('{"document_1": {"holds": tr'), id="broken JSON in the call"),
    pytest.param(call(grades(True)), id="one of two"),
    pytest.param(call({"document_1": 7, "document_2": [True]}), id="wrong types"),
    pytest.param(call({"document_1": verdict("partly"), "document_2": verdict("")}), id="no word"),
    pytest.param(call([grades(True, True), grades(False, False)]), id="two calls that disagree"),
    pytest.param(text("The first is relevant, the second is not."), id="prose, no call"),
    pytest.param(text(""), id="nothing"),
    pytest.param(text(None, refusal="I will not."), id="a refusal"),
    pytest.param(text('{"document_1": {"holds": true}, "docu', finish="length"), id="cut off"),
    pytest.param(text("<think>" + json.dumps(WHOLE)), id="thinking that never ends"),
    pytest.param(text('{"document_1": true, "document_1": false, "document_2": "?"}'), id="both"),
    pytest.param(text("[" * 50_000), id="nesting"),
]


@pytest.mark.parametrize("reply", UNREADABLE)
def test_an_unreadable_reply_is_never_a_default_verdict(reply):
    with ScriptedServer(always=reply) as server:
        graded = connect(server).grade(grading(PARIS, BERLIN))
    assert {grade["grader"] for grade in graded.grades} == {"local"}
    assert "local grader graded" in graded.warnings[0]
    assert len(server.requests) == 1


def test_of_many_chunks_the_best_are_graded_in_one_call_and_code_grades_the_rest():
    def all_relevant(body):
        names = body["response_format"]["json_schema"]["schema"]["properties"]
        return call({name: verdict(True) for name in names if name.startswith("document")})(body)

    chunks = [{**PARIS, "chunk_id": str(n), "text": f"Text {n}."} for n in range(40)]
    with ScriptedServer(always=all_relevant) as server:
        graded = connect(server).grade(grading(*chunks))
        assert len(server.requests) == 1
    assert verdicts(graded) == [True] * 20 + [False] * 20


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (400, "this model does not support structured output"),
        (400, "response_format is not supported"),
        (422, "Extra inputs are not permitted"),
        (501, "not implemented"),
    ],
)
def test_a_form_that_is_refused_is_followed_by_the_next_which_is_kept(code, message, tmp_path):
    def plain_only(body):
        if "response_format" in body:
            return status(code, message)(body)
        return text(json.dumps(WHOLE))(body)

    with within(10), ScriptedServer(always=plain_only) as server:
        engine = connect(server, home=tmp_path, max_retries=5)
        assert verdicts(engine.grade(grading(PARIS, BERLIN))) == [True, False]
        assert verdicts(engine.grade(grading(ROME, BERLIN))) == [True, False]
        another = connect(server, home=tmp_path)  # as another process would
        assert verdicts(another.grade(grading(ROME, PARIS))) == [True, False]
    asked = ["response_format" in r.body for r in server.requests]
    assert asked == [True, *[False] * 3]
    assert '"document_1": {"reason"' in server.requests[-1].prompt


def test_a_server_that_crashes_at_a_form_is_asked_in_the_next_and_at_the_first_next_time(tmp_path):
    def crashes(body):
        good = call(WHOLE)(body)
        return status(500, "Internal Server Error")(body) if "response_format" in body else good

    with ScriptedServer(always=crashes) as server:
        for _ in range(2):
            graded = connect(server, home=tmp_path).grade(grading(PARIS, BERLIN))
            assert verdicts(graded) == [True, False]
    assert ["response_format" in r.body for r in server.requests] == [True, False, True, False]


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        ("temperature", "Unsupported value: 'temperature' does not support 0 with this model."),
        ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        ("reasoning_effort", "body.reasoning_effort: Extra inputs are not permitted"),
        ("stream_options", "Extra inputs are not permitted"),
    ],
)
def test_a_parameter_that_is_refused_is_left_out_from_then_on(refused, message, tmp_path):
    def fussy(body):
        return (status(400, message) if refused in body else call(WHOLE))(body)

    with ScriptedServer(always=fussy) as server:
        for _ in range(2):
            engine = connect(server, home=tmp_path, reasoning_effort="low")
            assert verdicts(engine.grade(grading(PARIS, BERLIN))) == [True, False]
    assert [refused in request.body for request in server.requests] == [*[True] * 3, False, False]


def test_a_model_that_thinks_is_given_room_for_it():
    thought = {"role": "assistant", "content": "", "reasoning_content": "Let me see: the first"}
    with ScriptedServer(completion(thought, "length"), always=call(WHOLE)) as server:
        engine = connect(server)
        graded = engine.grade(grading(PARIS, BERLIN))
        engine.grade(grading(ROME, BERLIN))
    assert verdicts(graded) == [True, False]
    first, second, later = (request.body["max_tokens"] for request in server.requests)
    assert first < 300
    assert second == later > 2_000


def test_every_reply_has_a_ceiling_and_every_string_a_bound():
    with ScriptedServer(call(WHOLE)) as server:
        connect(server).grade(grading(PARIS, BERLIN))
    body = server.requests[0].body
    assert body["max_tokens"] == 3 * 60
    assert body["temperature"] == 0
    held = json.dumps(body["response_format"])
    assert held.count('"type": "string"') == held.count("maxLength") > 0


@pytest.mark.parametrize(
    ("reply", "texts"),
    [
        ('{"parts": ["Plain.", 7, {}, {"text": " "}, {"text": 5}]}', ["Plain."]),
        ('{"parts": ["…", {"text": "..."}, {"text": "Mind the … gap."}]}', ["Mind the … gap."]),
        ('{"parts": [{"text": "A.", "quotes": [7, {"document": "x"}]}], "missing": "b"}', ["A."]),
        ('{"parts": [{"text": "Two:"}, {"text": "- one", "quotes": 7}]}', ["Two:\n- one"]),
        ('{"parts": {"text": "No list."}}', []),
        (r'{"parts": [{"text": "It broke \u006fff at\n', ["It broke off at"]),
        ("Of all:\n\n- one [1]\n- two\n\n[2]\n\n```\nx = 1\n```\n", 3),
    ],
)
def test_whatever_shape_an_answer_has_its_texts_are_read(reply, texts):
    found = [part["text"].strip() for part in read_reply(reply).parts]
    assert (len(found) if isinstance(texts, int) else found) == texts


LEAD = "Send this:\n\n"


@pytest.mark.parametrize(("lead", "formed"), [(LEAD, True), (LEAD, False), ("", False)])
def test_json_that_an_answer_in_markdown_quotes_is_a_part_of_it(lead, formed):
    body = '```json\n{"text": "Hello, world."}\n```'
    found = read_reply(f"{lead}{body}\nIt posts that [1].", formed=formed).parts
    assert [part["text"].strip() for part in found] == [f"{lead}{body}", "It posts that."]


@pytest.mark.parametrize("formed", [True, False])
@pytest.mark.parametrize(
    ("said", "told", "numbers"),
    [
        ("According to [1] and [2], it is, as said in [3] [4].", NAMED, [1, 2, 3, 4]),
        ("According to document [1], it is, as said in the documents [2], [3].", NAMED, [1, 2, 3]),
        ("`based on [1]` is said [1].", "`based on [1]` is said.", [1]),
        ("The first is args[0] [1].", "The first is args[0].", [1]),
    ],
)
def test_a_marker_that_names_a_document_leaves_a_whole_sentence(formed, said, told, numbers):
    reply = json.dumps({"parts": [{"text": said}]}) if formed else said
    (part,) = read_reply(reply, formed=formed).parts
    assert part["text"] == told
    assert formed or [quote["document"] for quote in part["quotes"]] == numbers


@pytest.mark.parametrize(
    ("said", "told"),
    [
        *(("[2024]",) * 2, ("Ports [8000-9000].",) * 2, ("    x = [1, 2]", "x = [1, 2]")),
        *((f"It is [2]:\n{code}", f"It is:\n{code.rstrip()}") for code in CODE),
        ("It retries after [1, 2, 4] seconds.",) * 2,
    ],
)
def test_a_list_in_brackets_and_an_index_in_code_are_no_markers(said, told):
    (part,) = read_reply(json.dumps({"parts": [{"text": said}]})).parts
    assert part["text"] == told


def test_json_that_is_cut_short_is_told_as_unfinished_and_keeps_its_quotes():
    quoted = '{"text": "It is 3.20.", "quotes": [{"document": 1, "quote": "3.20"}]}'
    cut = f'{{"parts": [{quoted}, {{"text": "A child pays 1'
    with ScriptedServer(text(cut)) as server:
        answer = connect(server).generate(answering(PARIS), lambda _: None)
    assert [part["text"] for part in answer.parts] == ["It is 3.20.", "A child pays 1"]
    assert answer.parts[0]["quotes"] == [{"document": 1, "quote": "3.20"}]
    assert not answer.complete
    assert "broke off before the answer was finished" in answer.warnings[0]


@pytest.mark.parametrize("parts", [7, "x", {"text": "a"}, [7, {"text": 7}, None]])
def test_parts_of_another_shape_stream_nothing(parts):
    assert partial_texts(json.dumps({"parts": parts})) == []


def test_much_white_space_is_read_in_time():
    with cpu_within(2):
        read_reply(json.dumps({"parts": [{"text": "x" + "\t" * 30_000 + "y"}]}))


def test_the_header_of_a_plain_table_is_one_part_with_its_first_row():
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    found = read_reply(f"Prices:\n\n{table} [1]\n| 3 | 4 | [1]", formed=False).parts
    assert [part["text"] for part in found] == [f"Prices:\n\n{table}", "| 3 | 4 |"]
    assert all(part["quotes"] for part in found)


def test_a_fence_that_was_copied_from_the_prompt_is_no_part_of_the_answer():
    fence = fenced("[3]", "fares.md", "A ticket is 3.20.").splitlines()
    parts = [{"text": "It is 3.20."}, {"text": fence[-1]}, {"text": f"{fence[0]} Mind it."}]
    plain = f"It is 3.20.\n{fence[-1]}\n{fence[0]}\nMind it."
    for written in (json.dumps({"parts": parts}), plain):
        found = read_reply(Reply(written).text).parts
        assert [part["text"] for part in found] == ["It is 3.20.", "Mind it."]
