from hypothesis import given
from hypothesis import strategies as st
from local_corpus import build, graded, searched

from rag.engines.local.rewrite import rewrite
from rag.index.terms import terms


def situation(collection, question, tried=()):
    state = searched(collection, question)
    known = graded(state, collection).in_domain
    parts = [{**part, "in_domain": known[n]} for n, part in enumerate(state["parts"])]
    return {**state, "parts": parts, "query_rewrites": [*tried]}


def test_what_is_uncovered_is_looked_for(railway):
    question = "Where was the designer of the Tarn viaduct born?"
    result = rewrite(situation(railway, question))
    (query,) = result.queries
    assert "bridge.md" not in query
    assert "'" in result.reason


def test_nothing_is_learnt_from_passages_about_something_else(railway):
    result = rewrite(situation(railway, "What is the capital of Mongolia?"))
    assert not result.queries
    assert "no passage comes near" in result.reason


def test_no_digest_is_searched_for(tmp_path):
    texts = {"seal.txt": f"The seal of the weir was cast in bronze {'ab12' * 30} by Ida Munro.\n"}
    collection = build(tmp_path, texts)
    result = rewrite(situation(collection, "Who cast the seal of the weir?"))
    collection.close()
    assert "bronze" in result.queries[0]
    assert "ab12" not in f"{result.queries} {result.reason}"


def test_a_query_is_never_repeated_and_the_loop_ends_with_a_reason(railway):
    question = "Who desinged the Tarn viaducct?"
    tried = [question]
    for _ in range(12):
        result = rewrite(situation(railway, question, tried))
        if not result.queries:
            break
        (found,) = result.queries
        assert frozenset(terms(found)) not in [frozenset(terms(query)) for query in tried]
        tried.append(found)
    assert not result.queries
    assert result.reason


@given(st.text(max_size=60))
def test_any_question_is_rewritten_to_something_new_or_to_nothing(railway, question):
    result = rewrite(situation(railway, question))
    assert all(query.strip() for query in result.queries)
    assert result == rewrite(situation(railway, question))
    assert result.reason.isprintable()


def test_a_question_of_a_hundred_thousand_characters_gives_a_bounded_query(railway):
    result = rewrite(situation(railway, "viaduct gorge plouhg " * 4800))
    assert all(len(query) <= 2000 for query in result.queries)
