"""Settings: read once, from the environment that is given."""

from dataclasses import fields
from pathlib import Path

import pytest

from guard.domain.errors import BadValue
from server.settings import Settings, read_settings


def test_defaults_need_no_environment(tmp_path: Path):
    settings = read_settings({"XDG_STATE_HOME": str(tmp_path)})
    assert settings.db == f"sqlite:///{tmp_path}/kernelarc/kernelarc.db"
    assert (settings.host, settings.port, settings.device) == ("127.0.0.1", 8765, "auto")
    assert settings.url == "http://127.0.0.1:8765/mcp"
    assert settings.loopback


def test_the_environment_and_then_options_win():
    read = {"KERNELARC_PORT": "9", "KERNELARC_HOST": "::1", "KERNELARC_ALLOWED_HOSTS": "a, b"}
    settings = read_settings(read).with_options(port=10, host=None)
    assert settings.url == "http://[::1]:10/mcp"
    assert settings.allowed_hosts == ("a", "b")


@pytest.mark.parametrize("port", ["eight", "-1", "65536"])
def test_a_port_must_be_one(port: str):
    with pytest.raises(BadValue, match="no port number"):
        read_settings({"KERNELARC_PORT": port})


def test_folders_reach_referees_by_the_same_names(tmp_path: Path):
    (tmp_path / "a").mkdir()
    settings = read_settings({"KERNELARC_INCLUDE": f"{tmp_path}:{tmp_path}/a"})
    assert settings.include == (tmp_path, tmp_path / "a")
    assert settings.for_referees == {
        "KERNELARC_INCLUDE": f"{tmp_path}:{tmp_path}/a",
        "KERNELARC_PYTHON": "",
    }


@pytest.mark.parametrize("name", ["KERNELARC_INCLUDE", "KERNELARC_PYTHON"])
@pytest.mark.parametrize("folder", ["relative", "/no/such/folder", "/etc/passwd", "/"])
def test_a_folder_must_exist_and_say_where(name: str, folder: str):
    with pytest.raises(BadValue, match=f"{name}: '{folder}' is not an existing folder below /"):
        read_settings({name: folder})


def test_there_are_few_settings():
    assert len(fields(Settings)) <= 20
