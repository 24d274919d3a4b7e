"""Listing plug-ins: of the product's own folders, and of small packages that are broken."""

import pytest

from guard.plugins import load, scan

GOOD = """
class Toy:
    name = "{name}"
    def unavailable(self):
        return None
TOY = Toy()
"""


@pytest.fixture
def package(tmp_path, monkeypatch, request):
    """Write modules into a fresh package; returns its name."""
    monkeypatch.syspath_prepend(str(tmp_path))
    name = "toys_" + "".join(c if c.isalnum() else "_" for c in request.node.name)
    folder = tmp_path / name
    folder.mkdir()

    def write(**modules: str) -> str:
        for module, text in modules.items():
            (folder / f"{module}.py").write_text(text)
        return name

    return write


def test_every_module_of_the_folder_is_found_by_its_plugins_name(package):
    found = scan(package(b=GOOD.format(name="two"), a=GOOD.format(name="one")), "TOY")
    assert {name: plugin.name for name, plugin in found.items()} == {"one": "one", "two": "two"}


def test_names_come_in_order(package):
    found = scan(package(a=GOOD.format(name="z"), b=GOOD.format(name="y")), "TOY")
    assert list(found) == ["y", "z"]


def test_helpers_with_an_underscore_are_passed_over(package):
    assert list(scan(package(_helper="x = 1", a=GOOD.format(name="one")), "TOY")) == ["one"]


BROKEN = [
    pytest.param({"a": "x = 1"}, "must define TOY", id="no constant"),
    pytest.param({"a": "import no_such_thing"}, "cannot be imported", id="missing import"),
    pytest.param({"a": "def ("}, "cannot be imported", id="syntax error"),
    pytest.param({"a": "TOY = object()"}, "needs `name`", id="not a plug-in"),
    pytest.param(
        {"a": GOOD.format(name="x"), "b": GOOD.format(name="x")}, "rename one", id="same name twice"
    ),
]


@pytest.mark.parametrize(("modules", "message"), BROKEN)
def test_a_broken_module_is_named_with_what_is_wrong(package, modules, message):
    with pytest.raises(ImportError, match=message) as caught:
        scan(package(**modules), "TOY")
    assert "toys_" in str(caught.value)


@pytest.mark.parametrize("folder", ["languages", "devices", "executors", "formats", "rules"])
def test_the_products_own_folders_load_and_are_read_once(folder):
    found = load(folder)
    assert found
    assert all(plugin.name == name for name, plugin in found.items())
    assert load(folder) is found
