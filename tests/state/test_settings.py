import re
from itertools import product
from pathlib import Path

import pytest

from state.choices import EngineName
from state.errors import SettingsError, UsageError
from state.settings import load_settings
from state.settings_report import describe_settings, settings_template


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return path


def test_flag_beats_variable_beats_file_beats_default(tmp_path: Path, monkeypatch):
    config = file(tmp_path, "k = 3\nmax_loops = 1\nengine = 'local'\n")
    monkeypatch.setenv("CRAG_K", "4")
    monkeypatch.setenv("CRAG_MAX_LOOPS", "2")
    settings = load_settings({"max_loops": 5, "k": None}, config)
    assert (settings.max_loops, settings.k, settings.engine) == (5, 4, EngineName.LOCAL)
    assert settings.history_tokens == 4000


def test_nothing_is_read_from_the_current_directory(tmp_path: Path, monkeypatch):
    for name in (".env", "config.toml", "crag.toml", ".crag.toml"):
        (tmp_path / name).write_text("CRAG_K=99\nk = 99\nbase_url='http://evil.example'\n")
    monkeypatch.chdir(tmp_path)
    settings = load_settings({})
    assert (settings.k, settings.base_url) == (8, None)


def test_every_line_of_the_file_to_start_from_may_be_used_as_it_stands(tmp_path: Path):
    lines = settings_template().splitlines()
    assert load_settings({}, file(tmp_path, settings_template())) == load_settings({})
    text = "\n".join(line[2:] for line in lines if re.match(r"# \w+ = ", line))
    settings = load_settings({}, file(tmp_path, "\ufeff" + text))
    assert (settings.thread, settings.max_tokens, settings.k) == (None, None, 8)


def test_a_home_may_begin_with_a_tilde_and_is_no_file(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CRAG_HOME")
    assert load_settings({}, file(tmp_path, "home = '~/kept'")).home == tmp_path / "kept"
    with pytest.raises(UsageError, match="is not a folder"):
        load_settings({"home": tmp_path / "config.toml"})


@pytest.mark.parametrize(("name", "value"), [("CRAG_PRICES", "{bad"), ("CRAG_K", "x")])
def test_an_unusable_variable_is_named(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=name):
        load_settings({})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kk = 3", "Unknown setting kk"),
        ("_env_file = '/tmp/.env'", "Unknown setting _env_file"),
        ("_cli_parse_args = true", "Unknown setting _cli_parse_args"),
        ("__pydantic_self__ = 1", "Unknown setting __pydantic_self__"),
        ("max_loop = 3", "Unknown setting max_loop in .* Did you mean 'max_loops'?"),
        ("prices = {m = [1]}", r"prices in .* is unusable: \['m'\]\[1\]: "),
        ("prices = {m = [-1, 2]}", "greater than or equal to 0"),
        ("k = 'many'", "k in .*config.toml is unusable"),
        ("k = ", "cannot be read"),
        ("\x00\xff", "cannot be read"),
    ],
)
def test_an_unusable_file_is_named_with_its_key(tmp_path: Path, text: str, words: str):
    path = tmp_path / "config.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingsError, match=words):
        load_settings({}, path)


def test_a_missing_named_file_is_an_error_and_the_users_own_is_not(tmp_path: Path):
    with pytest.raises(SettingsError, match="no settings file"):
        load_settings({}, tmp_path / "none.toml")
    assert load_settings({}).k == 8


def test_a_variable_in_small_letters_is_named_as_it_is_written(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CRAG_K", "7")
    monkeypatch.setenv("crag_k", "5")
    rows = {row["key"]: row for row in describe_settings({})}
    assert (rows["k"]["value"], rows["k"]["source"]) == ("5", "crag_k")
    monkeypatch.setenv("crag_k", "abc")
    with pytest.raises(SettingsError, match="k in crag_k is unusable"):
        load_settings({})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *product(["timeout", "request_timeout"], ["inf", "nan", "1e18"]),
        *[("temperature", "nan"), ("max_cost", "inf"), ("k", 0)],
    ],
)
def test_a_number_out_of_all_bounds_is_a_usage_error_that_names_the_flag(key: str, value: str):
    with pytest.raises(UsageError, match=f"--{key.replace('_', '-')}: "):
        load_settings({key: value})


@pytest.mark.parametrize("name", ["", "a/b", "a\x1b[2J", "x" * 129, "..\\up", "a\a", "a\x7f"])
def test_names_that_could_leave_their_place_are_refused(name: str):
    with pytest.raises(UsageError):
        load_settings({"collection": name})


def test_openai_variables_are_understood_and_a_key_is_never_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    settings = load_settings({})
    assert settings.api_key.get_secret_value() == "sk-secret"
    assert settings.base_url == "http://127.0.0.1:1/v1"
    rows = describe_settings({})
    assert "sk-secret" not in repr(settings) + repr(rows)
    assert {row["source"] for row in rows if row["key"] == "api_key"} == {"OPENAI_API_KEY"}


def test_the_file_wins_over_openai_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-theirs")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.openai.com/v1")
    config = file(tmp_path, "base_url = 'http://localhost:11434/v1'\napi_key = ''\n")
    settings = load_settings({}, config)
    assert settings.base_url == "http://localhost:11434/v1"
    assert settings.api_key is not None
    sources = {row["key"]: row["source"] for row in describe_settings({}, config)}
    assert (sources["base_url"], sources["api_key"]) == (str(config), "OPENAI_API_KEY")
