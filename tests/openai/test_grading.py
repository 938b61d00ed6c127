"""Who grades what: code, or the model where that is asked for; code for what it leaves out."""

from openai_samples import (
    BERLIN,
    PARIS,
    ROME,
    connect,
    grade_of,
    grades,
    grading,
    verdict,
)
from scripted_server import ScriptedServer, call, text

from rag.engines.protocol import Graded


class LocalGrader:
    """Finds what is named relevant, and nothing else."""

    def __init__(self, *relevant, sufficient=False):
        self.relevant = relevant
        self.sufficient = sufficient
        self.asked = []

    def grade(self, request):
        self.asked.append([chunk["chunk_id"] for chunk in request.chunks])
        found = []
        for chunk in request.chunks:
            relevant = chunk["chunk_id"] in self.relevant
            grade = grade_of(chunk["chunk_id"], relevant=relevant, grader="local")
            found.append({**grade, "confidence": 0.5, "reason": "by code"})
        return Graded(tuple(found), self.sufficient)


def by(graded):
    return [(g["chunk_id"], g["relevant"], g["grader"]) for g in graded.grades]


def test_auto_costs_no_call():
    local = LocalGrader("paris", sufficient=True)
    with ScriptedServer() as server:
        graded = connect(server, local).grade(grading(PARIS, ROME))
        assert server.requests == []
    assert graded.sufficient


def test_local_sends_nothing_and_model_sends_all():
    local = LocalGrader()
    with ScriptedServer(call(grades(True, False))) as server:
        graded = connect(server, local, grader="local").grade(grading(PARIS, BERLIN))
        assert server.requests == []
        assert by(graded)[1] == ("berlin", False, "local")
        graded = connect(server, local, grader="model").grade(grading(PARIS, BERLIN))
    assert by(graded) == [("paris", True, "model"), ("berlin", False, "model")]
    assert local.asked == [["paris", "berlin"]]


def test_code_stands_in_for_unreadable_grades_with_a_warning():
    local = LocalGrader()
    half = call({"document_1": verdict(False)})
    with ScriptedServer(half, always=text("Hard to say.")) as server:
        graded = connect(server, local, grader="model").grade(grading(PARIS, BERLIN))
        assert len(server.requests) == 1
    assert by(graded) == [("paris", False, "model"), ("berlin", False, "local")]
    assert server.host in graded.warnings[0]
    assert "local grader" in graded.warnings[0]


def test_earlier_finds_count_for_what_suffices():
    request = grading(
        BERLIN,
        documents=[PARIS, BERLIN],
        earlier={"paris": grade_of("paris", relevant=True)},
    )
    with ScriptedServer(call(grades(False))) as server:
        assert connect(server).grade(request).sufficient


def test_claims_are_checked_in_one_call():
    reply = {
        "claim_1": {"reason": "stated", "holds": True},
        "claim_2": {"reason": "not stated", "holds": "no"},
    }
    with ScriptedServer(call(reply)) as server:
        engine = connect(server)
        verified = engine.verify(["Paris is big.", "Rome is old."], ["Paris is big.", "Nero sang."])
        assert len(server.requests) == 1
    assert verified.supported == (True, False)


def test_a_claim_without_a_verdict_stays_without_one():
    reply = {"claim_1": {"reason": "stated", "holds": True}}
    with ScriptedServer(call(reply), always=text("Hm.")) as server:
        verified = connect(server).verify(["One.", "Two."], ["One.", "Three."])
    assert verified.supported == (True, None)
    assert "did not check 1 claim" in verified.warnings[0]


def test_half_of_a_surrogate_pair_in_a_reason_costs_no_grade():
    odd = grades(True) | {"document_1": verdict(True, "so \ud83d")}
    with ScriptedServer(call(odd)) as server:
        first = connect(server).grade(grading(PARIS))
    assert (first.grades[0]["relevant"], first.grades[0]["reason"]) == (True, "so ?")
