import pytest

from benchmarks.study.telling import NoPlace, put

PAGE = "# Study\n\n<!-- study: wide -->\nold\n<!-- end: wide -->\n\nMore.\n"


def test_a_section_takes_the_place_of_the_one_before():
    once = put(PAGE, "wide", "new")
    assert "old" not in once
    assert once.startswith("# Study\n") and once.endswith("\n\nMore.\n")
    assert put(once, "wide", "new") == once


def test_a_page_without_a_place_is_left_alone():
    with pytest.raises(NoPlace, match="study: narrow"):
        put(PAGE, "narrow", "new")
