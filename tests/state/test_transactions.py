"""An interrupt between two statements leaves no transaction open for those who still tidy up."""

from contextlib import closing

import pytest

from state.sqlite_file import SqliteConnection, transaction


class Interrupted(SqliteConnection):
    """Ctrl-C arrives as soon as a statement of this beginning is through, once."""

    behind: str | None = None

    def execute(self, sql, values=(), /):
        cursor = super().execute(sql, values)
        if self.behind is not None and sql.startswith(self.behind):
            self.behind = None
            raise KeyboardInterrupt
        return cursor


@pytest.mark.parametrize("behind", ["begin", "insert", "commit"])
def test_after_an_interrupt_the_next_transaction_is_whole(behind):
    with closing(Interrupted(":memory:", isolation_level=None)) as db:
        db.execute("create table t (word text)")
        db.behind = behind
        with pytest.raises(KeyboardInterrupt), transaction(db):
            db.execute("insert into t values ('first')")
        with transaction(db):
            db.execute("insert into t values ('later')")
        assert not db.in_transaction
        kept = ["first", "later"] if behind == "commit" else ["later"]
        assert [word for (word,) in db.execute("select word from t")] == kept


def test_what_is_committed_elsewhere_is_not_taken_for_committed_here():
    with closing(SqliteConnection(":memory:", isolation_level=None)) as db:
        with pytest.raises(Exception, match="no transaction is active"), transaction(db):
            db.execute("rollback")
        assert not db.in_transaction
