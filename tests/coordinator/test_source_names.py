"""What a source is found to name, and that hostile text costs no more than its length."""

import pytest

from coordinator.source_names import SourceNames, read_names
from guard.domain.solution import MAX_SOURCE_BYTES, Solution, Source


def names(text: str, path: str = "main.cpp") -> SourceNames:
    sources = (Source(path=path, content=text),)
    return read_names(Solution(definition="d", language="cpp", sources=sources))


CALLS = [
    # path, source, what is asked, whether it is called
    pytest.param("a.py", "import torch\ntorch.mm(a, b)", "torch.mm", True, id="dotted"),
    pytest.param("a.py", "import torch\ntorch.mm(a, b)", "mm", True, id="by its last part"),
    pytest.param("a.py", "from torch import mm as f\nf(a)", "torch.mm", True, id="renamed"),
    pytest.param(
        "a.py",
        "from torch import (\n  add,\n  mm,\n)\nmm(a)",
        "torch.mm",
        True,
        id="over several lines",
    ),
    pytest.param(
        "a.py",
        "import triton.language as tl\ntl.dot(a, b)",
        "triton.language.dot",
        True,
        id="of a module with another name",
    ),
    pytest.param("a.py", "x.softmax(-1)", "softmax", True, id="a method"),
    pytest.param("a.py", "y = a @ b", "operator.matmul", True, id="the operator of products"),
    pytest.param("a.py", "@mm\ndef f(): pass", "operator.matmul", False, id="a decorator"),
    pytest.param("a.py", "# mm(a)\n", "mm", False, id="a comment of Python"),
    pytest.param("a.py", "'''mm(a)'''", "mm", False, id="a docstring"),
    pytest.param("a.py", "f = mm", "mm", False, id="named, not called"),
    pytest.param("a.cpp", "y = std::exp(x);", "std.exp", True, id="of a namespace"),
    pytest.param("a.cpp", "y = std::exp(x);", "exp", True, id="of a namespace, last part"),
    pytest.param("a.cpp", "// exp(x)\n/* exp(x) */ exp2(x);", "exp", False, id="comments of C++"),
    pytest.param("a.cpp", 'f("exp(x)");', "exp", False, id="a string"),
    pytest.param("a.cpp", 'auto s = R"(" exp(x) )"; g();', "exp", False, id="a raw string"),
    pytest.param("a.cpp", "cublasLtMatmul(h);", "cublas*", True, id="a beginning"),
    pytest.param("a.cpp", "for (;;) {}", "exp", False, id="nothing of the kind"),
]


@pytest.mark.parametrize(("path", "text", "name", "called"), CALLS)
def test_calls_are_found_in_code_alone(path, text, name, called):
    assert names(text, path).calls(name) is called


@pytest.mark.parametrize(
    ("text", "word", "held"),
    [
        pytest.param("float* __restrict__ x;", "__restrict__", True, id="a word"),
        pytest.param("#pragma  omp   simd\nfor(;;);", "#pragma omp*", True, id="a pragma"),
        pytest.param('asm("wgmma.mma_async.sync x;");', "wgmma*", True, id="inline PTX"),
        pytest.param("// prefetch\n", "prefetch*", False, id="a comment"),
    ],
)
def test_words_are_found_in_code_and_in_inline_ptx(text, word, held):
    assert names(text).holds(word) is held


@pytest.mark.parametrize(
    ("path", "text", "depth"),
    [
        pytest.param("a.cpp", "for(;;) for(;;) { while(x) f(); }", 3, id="with and without braces"),
        pytest.param("a.cpp", "for(;;) { f(); } for(;;) { g(); }", 1, id="one after the other"),
        pytest.param("a.cpp", "for(;;) f(); for(;;) for(;;) g();", 2, id="without braces"),
        pytest.param("a.py", "for a in b:\n  for c in d:\n    f()\nfor e in g:\n  h()", 2, id="py"),
        pytest.param("a.py", "x = [a for a in b]", 0, id="a comprehension"),
    ],
)
def test_loops_inside_each_other_are_counted(path, text, depth):
    assert names(text, path).loop_depth == depth


@pytest.mark.parametrize(
    ("path", "text", "launches"),
    [
        ("a.py", "k[(4,)](x)\nother[grid](x)\nf(x)", 2),
        ("a.cu", "k<<<1, 2>>>(x); f(x);", 1),
    ],
)
def test_launches_are_counted(path, text, launches):
    assert names(text, path).launches == launches


@pytest.mark.parametrize(
    "piece",
    [
        'R"(',
        "/*",
        "'",
        '"',
        "((",
        "{",
        "a.",
        "for",
        "#",
        "@",
        "\\\n",
        "1.",
        "import a as\n",
        "from a import (\n",
    ],
)
@pytest.mark.parametrize("path", ["a.py", "a.cpp"])
def test_hostile_text_of_the_greatest_length_is_read_in_one_pass(path, piece):
    # A scan that goes back over 256 KiB would not come to an end here.
    found = names(piece * (MAX_SOURCE_BYTES // len(piece)), path)

    assert not found.calls("torch.mm")
