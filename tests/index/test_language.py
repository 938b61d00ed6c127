"""Which language a question is in, and what is read in it."""

from contextlib import closing

import pytest
from shared_stores import fill

from rag.index.home.store import HomeStore
from rag.index.language import ENGLISH, in_language, language_of, reading_for
from rag.index.terms import indexed_text, term_spans, terms

FILES = {
    "de.txt": "Die Häuser der Fischer haben grüne Türen.",
    "fr.txt": "Les chevaux sont nourris le soir.",
    "es.txt": "Las ventanas se lavan los martes.",
    "en.txt": "The die was cast in houses of bronze.",
}


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie viele Häuser haben grüne Türen?", "german"),
        ("Was kostet der Aufstieg?", "german"),
        ("Quand les chevaux sont-ils nourris ?", "french"),
        ("Quelle est l'heure de l'ouverture ?", "french"),
        ("¿Cuándo se lavan las ventanas?", "spanish"),
        ("Cuando se lavan las ventanas", "spanish"),
        ("Quando é que as janelas são lavadas?", "portuguese"),
        ("Quando vengono lavate le finestre della scuola?", "italian"),
        ("Hoe vaak worden de ramen gewassen?", "dutch"),
        ("What is the die size of the chip?", ENGLISH),
        ("Is vitamin E or IL-6 measured in vivo?", ENGLISH),
        ("Who sang in La La Land?", ENGLISH),
        ("opening hours", None),
        ("Öffnungszeiten", None),
        ("灯塔是哪一年首次点亮的？", None),
        ("", None),
    ],
)
def test_the_language_of_a_question(question, language):
    assert language_of(question) == language


def test_terms_are_stems_of_the_language_without_its_function_words():
    text = "Die Häuser und das Haus mit der E-1042, houses"
    indexed = indexed_text(text).split()
    assert terms(text) == indexed
    with in_language("german"):
        assert terms(text) == ["haus", "haus", "e-1042", "e", "1042", "hous"]
        assert [found for *_, found in term_spans("das Haus")] == [("haus",)]
        assert indexed_text(text).split() == indexed
    with in_language("french"):
        assert terms("les chevaux, le cheval d'un voisin") == ["cheval", "cheval", "voisin"]
    assert terms(text) == indexed


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("Hat ein Haus eine Tür?", "de.txt"),
        ("Que mange un cheval ?", "fr.txt"),
        ("¿Quién lavó alguna?", "es.txt"),
        ("Where was the house cast?", "en.txt"),
    ],
)
def test_a_search_finds_other_forms_of_its_words(session, query, source):
    best = session.reader.search(query, 1)[0]
    assert best["source"] == source
    assert best["lexical_rank"] == 1
    with reading_for(session.reader, query):
        counts = session.reader.document_frequencies(terms(query))
    assert sum(counts.values()) >= 1
    assert max(counts.values()) == 1


def test_what_shows_no_language_is_read_in_that_of_the_collection(tmp_path):
    store = HomeStore(tmp_path)
    fill(store, {name: text for name, text in FILES.items() if name != "de.txt"})
    with closing(store.open_collection("default")) as collection:
        assert collection.main_language == ENGLISH
        houses = ["Das Haus der Fischer ist leer.", *["Die Tür ist zu."] * 4]
        fill(store, {f"{number}.txt": house for number, house in enumerate(houses)})
        assert collection.main_language == "german"
        assert collection.search("Häuser", 1)[0]["lexical_rank"] == 1
        assert collection.search("What are houses?", 1)[0]["source"] == "en.txt"
