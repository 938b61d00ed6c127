"""Who grades what: code, or the model where that is asked for; code for what it leaves out."""

import pytest
from openai_samples import BERLIN, PARIS, connect, grade_of, grades, grading, verdict
from scripted_server import ScriptedServer, call


@pytest.mark.parametrize(("grader", "asked"), [("auto", 0), ("local", 0), ("model", 1)])
def test_auto_and_local_send_nothing_and_model_sends_all(grader, asked):
    with ScriptedServer(call(grades(True, False))) as server:
        graded = connect(server, grader=grader).grade(grading(PARIS, BERLIN))
        assert len(server.requests) == asked
    by = "model" if asked else "local"
    told = [(g["chunk_id"], g["relevant"], g["grader"]) for g in graded.grades]
    assert told == [("paris", bool(asked), by), ("berlin", False, by)]


def test_earlier_finds_count_for_what_suffices():
    earlier = {"paris": grade_of("paris", relevant=True)}
    request = grading(BERLIN, documents=[PARIS, BERLIN], grades=earlier)
    with ScriptedServer(call(grades(False))) as server:
        assert connect(server).grade(request).sufficient


@pytest.mark.parametrize(
    ("second", "supported"), [({"claim_2": verdict("no")}, (True, False)), ({}, ())]
)
def test_claims_are_checked_in_one_call_and_without_a_verdict_they_stay(second, supported):
    with ScriptedServer(call({"claim_1": verdict(True), **second})) as server:
        verified = connect(server).verify(["One.", "Two."], ["One.", "Three."])
        assert len(server.requests) == 1
    assert verified.supported == supported
    assert bool(verified.warnings) is not bool(second)


def test_half_of_a_surrogate_pair_in_a_reason_costs_no_grade():
    odd = grades(True) | {"document_1": verdict(True, "so \ud83d")}
    with ScriptedServer(call(odd)) as server:
        first = connect(server).grade(grading(PARIS))
    assert (first.grades[0]["relevant"], first.grades[0]["reason"]) == (True, "so ?")
