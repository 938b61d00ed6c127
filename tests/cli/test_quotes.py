"""`--quotes` prints what is cited, whole, below the sources."""

from crag import HIGH, copied_home, crag


def test_the_cited_quotes_stand_below_the_sources(tmp_path):
    home = copied_home(tmp_path)
    plain = crag(home, "ask", HIGH, "--ok-abstain").stdout
    quoted = crag(home, "ask", HIGH, "--ok-abstain", "--quotes").stdout
    assert quoted.startswith(plain)
    below = quoted[len(plain) :]
    assert "[1] “" in below
    assert "31 metres high" in below
