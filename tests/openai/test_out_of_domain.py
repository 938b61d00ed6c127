"""A matter that the collection has surely never heard of costs no call."""

from __future__ import annotations

import pytest
from openai_samples import settings_for
from scripted_server import ScriptedServer, text
from written_files import session_over

from rag.engines.openai.out_of_domain import is_out_of_domain
from rag.session import open_session

FILES = {
    f"{name}.md": f"# {name} bridge\n\nThe {name} bridge is {length} m long. It is found in the"
    " hills, and there are trees around it, of which some are old.\n"
    for name, length in (("Orrin", 164), ("Corbel", 80), ("Gillfoot", 31), ("Osmer", 12))
}


@pytest.mark.parametrize(
    ("question", "calls"), [("Which vitamins are found in kale?", 0), ("How long is Orrin?", 1)]
)
def test_a_model_is_not_asked_about_it(question, calls, tmp_path):
    session_over(tmp_path, FILES).close()
    with ScriptedServer(always=text("The Orrin bridge is 164 metres long [1].")) as server:
        with open_session(settings_for(server, home=tmp_path / "home")) as session:
            answer = session.ask(question)
        assert len(server.requests) == calls
    assert (answer["status"] == "abstained") is (calls == 0)


@pytest.mark.parametrize(
    ("known", "unheard"), [([], False), ([None], False), ([0.01, 0.3], False), ([0.01, None], True)]
)
def test_one_part_that_is_known_or_no_estimate_is_enough_to_ask(known, unheard):
    assert is_out_of_domain(known) is unheard
