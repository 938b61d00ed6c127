"""What `crag doctor` says of the files of a home that are damaged, or of another version."""

import pytest
from crag import HIGH, crag
from sqlite_files import run_sql

from state.home_db import HOME_FILE


@pytest.mark.parametrize("name", ["catalog.sqlite", HOME_FILE])
def test_a_damaged_file_is_named_with_what_mends_it(home, name):
    assert crag(home, "ask", HIGH, "-t", "my line").exit_code == 0
    assert crag(home, "doctor").exit_code == 0
    path = home / name
    run_sql(path, "pragma wal_checkpoint(truncate)")
    data = bytearray(path.read_bytes())
    data[47] ^= 0x40  # the schema's format, of which there are four
    path.write_bytes(data)
    told = crag(home, "doctor")
    assert told.exit_code == 4
    assert f"{path} is damaged" in told.output.replace("\n", " ")
    assert "mend: " in told.output


def test_what_a_process_killed_at_its_first_turn_leaves_is_no_damage(home):
    (home / "home.db").write_bytes(b"")
    assert "ok    threads: home.db is sound" in crag(home, "doctor").output
