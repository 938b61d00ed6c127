import pytest
from postgres_server import fresh_schema


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    """Where threads are kept: at home (None), or in an empty schema of Postgres."""
    if request.param == "sqlite":
        return None
    return fresh_schema(request.getfixturevalue("postgres").url)
