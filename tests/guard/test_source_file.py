"""Reading sources: what a name stands for, and what is a token."""

import ast

import pytest

from guard.domain.solution import Solution, Source
from guard.source_file import SourceFile, constant, read_files, tokenise


def file(text):
    return SourceFile("a.py", "run", ast.parse(text))


def last(text):
    """The dotted name of the last statement, an expression."""
    read = file(text)
    statement = read.tree.body[-1]
    assert isinstance(statement, ast.Expr)
    return read.dotted(statement.value)


NAMES = [
    pytest.param("import torch\ntorch.cuda.Event", "torch.cuda.Event", id="import"),
    pytest.param("import torch.cuda\ntorch.nn", "torch.nn", id="import of a submodule"),
    pytest.param("import torch.cuda as c\nc.Event", "torch.cuda.Event", id="import as"),
    pytest.param("from torch import cuda as c\nc.Event", "torch.cuda.Event", id="from import as"),
    pytest.param("import torch\nE = torch.cuda\nE.Event", "torch.cuda.Event", id="alias"),
    pytest.param("import time\na = time\nb = a\nb.sleep", "time.sleep", id="alias of an alias"),
    pytest.param("import time\ngetattr(time, 'sleep')", "time.sleep", id="getattr"),
    pytest.param("__import__('time').sleep", "time.sleep", id="__import__"),
    pytest.param("import importlib as i\ni.import_module('time').x", "time.x", id="import_module"),
    pytest.param("import sys\nsys.modules['time'].x", "time.x", id="sys.modules"),
    pytest.param("import ctypes\nctypes.CDLL(None).f", "ctypes.CDLL.().f", id="a call between"),
    pytest.param("open", "builtins.open", id="a builtin"),
    pytest.param("from .time import sleep\nsleep", "", id="its own module"),
    pytest.param("import time\ntime = 3\ntime.sleep", "", id="another meaning, too"),
    pytest.param("import time\ndef f(time): pass\ntime.sleep", "", id="also a parameter"),
    pytest.param("import a as x\nimport b as x\nx.y", "", id="two imports"),
    pytest.param("def getattr(a, b): pass\nimport time\ngetattr(time, 'x')", "", id="own getattr"),
    pytest.param("x[0].y", "", id="an element"),
]


@pytest.mark.parametrize(("text", "expected"), NAMES)
def test_a_name_is_resolved_where_it_has_one_meaning(text, expected):
    assert last(text) == expected


TOKENS = [
    pytest.param("a // b\nc", ["a", "c"], id="line comment"),
    pytest.param("a // b \\\n b\nc", ["a", "c"], id="continued line comment"),
    pytest.param("a /* b\n*/ c", ["a", "c"], id="block comment"),
    pytest.param("a /* never closed", ["a"], id="open block comment"),
    pytest.param('"a // b" c', ["a // b", "c"], id="comment in a string"),
    pytest.param('"a \\" b" c', ['a \\" b', "c"], id="escaped quote"),
    pytest.param('R"x(a " )" b)x" c', ['a " )" b', "c"], id="raw string"),
    pytest.param("'\"' a '\\'' b", ["a", "b"], id="characters"),
    pytest.param("1'000.5f a", ["1'000.5f", "a"], id="digit separators"),
    pytest.param('"open\na', ["open", "a"], id="string without an end"),
    pytest.param("größe<<<1>>>", ["größe", *"<<<", "1", *">>>"], id="letters and marks"),
]


@pytest.mark.parametrize(("text", "expected"), TOKENS)
def test_comments_and_strings_are_told_from_code(text, expected):
    assert [token.text for token in tokenise(text)] == expected


def test_a_token_knows_its_line():
    tokens = list(tokenise('/* 1\n2 */ a\n\nR"(4\n5)" b'))
    assert [(t.text, t.line) for t in tokens] == [("a", 2), ("4\n5", 4), ("b", 5)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("'a'", "a"), ("f'/proc/{pid}/mem'", "/proc/{}/mem"), ("1", ""), ("b'a'", "")],
)
def test_the_constant_part_of_a_text(text, expected):
    assert constant(ast.parse(text, mode="eval").body) == expected


UNREADABLE = [
    pytest.param("def (", id="no Python"),
    pytest.param("-" * 60_000 + "1", id="too deep for the parser"),
    pytest.param("a" + ".b" * 60_000, id="too deep for the tree"),
    pytest.param("x = 1\0", id="NUL"),
    pytest.param("(" * 10_000, id="open brackets"),
]


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_does_not_parse_is_left_to_the_compiler(text):
    sources = (Source(path="a.py", content=text), Source(path="b.py", content="x = 1"))
    solution = Solution(definition="d", language="pytorch", sources=sources)
    assert [read.path for read in read_files(solution)] == ["b.py"]
