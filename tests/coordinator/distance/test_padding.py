"""Padding does not buy distance: the same idea in disguise stays the same idea."""

import re
from collections.abc import Callable

import pytest

from coordinator.distance.measure import distance
from guard.domain.decision import Policy
from guard.domain.solution import Solution, Source
from tests.coordinator.distance.labelled import PAIRS, read

FIRST = PAIRS / "first"
LIMIT = Policy().drafting_distance
CPP = ("softmax/polynomial.cpp", "softmax/libm.cpp", "gemm/blocked.cpp", "gemm/packed_panels.cpp")
CUDA = (
    "softmax/block_row.cu",
    "gemm/shared_tiles.cu",
    "rmsnorm/one_vector.cu",
    "gemm/split_sum.cu",
)
TRITON = (
    "rmsnorm/chunk_loop.py",
    "softmax/rows.py",
    "attention/flash.py",
    "gemm/persistent_tiles.py",
)
TORCH = ("rmsnorm/torch_composed.py", "attention/composed.py")
OTHER = """
static void other_columns(const float* x, float* y, long M, long N) {
  for (long i = 0; i < N; ++i) {
    float high = -1e30f, total = 0;
    for (long m = 0; m < M; ++m) high = x[m * N + i] > high ? x[m * N + i] : high;
    for (long m = 0; m < M; ++m) total += y[m * N + i] = expf(x[m * N + i] - high);
    for (long m = 0; m < M; ++m) y[m * N + i] /= total;
  }
}
"""
DEVICE = OTHER.replace("static void", "__device__ void")
NEVER = "static volatile int never;"
ARGUMENTS = re.compile(r"(extern \"C\"[^{;]*?\{\n)", re.DOTALL)
KEPT = re.compile(r"""[A-Za-z_]\w*|"[^"\n]*"|//[^\n]*|\#[^\n]*""")
WORDS = frozenset(("run", "const", "float", "int", "size_t", "vector", "static"))


def changed(solution: Solution, edit: Callable[[str], str]) -> Solution:
    source = solution.sources[0]
    edited = source.model_copy(update={"content": edit(source.content)})
    assert edited.content != source.content
    return solution.model_copy(update={"sources": (edited,)})


def renamed(text: str) -> str:
    """Every name that the file itself gives, replaced."""
    declared = re.findall(r"(?:\bfloat|\bint64_t|\bint|\bvf|\bsize_t|\*|&|,)\s+([a-z]\w*)\b", text)
    own = {name for name in declared if name not in WORDS and not name.startswith("_")}
    return KEPT.sub(lambda m: f"zz_{m[0]}_q" if m[0] in own else m[0], text)


def loops_as_macros(text: str) -> str:
    return "#define LOOP for\n#define GIVE return\n" + re.sub(
        r"\bfor \(", "LOOP (", text.replace("return ", "GIVE ")
    )


def commented(text: str) -> str:
    return "/* one pass, columns first, tensor cores, for (;;) { } */\n" + text.replace(
        ";\n", ";  // for (int i = 0; i < n; ++i) sum += x[i];\n"
    )


def stuffed(text: str) -> str:
    return 'static const char* idea = "for (;;) { atomicAdd(x, 1); mma_sync(a, b, c); }";\n' + text


def unfolded(text: str) -> str:
    """Every statement on lines of its own, indented otherwise."""
    return text.replace("    ", "\t").replace(") {", ")\n{").replace("; ", ";\n")


def before_root(code: str) -> Callable[[str], str]:
    return lambda text: ARGUMENTS.sub(lambda m: m[0] + code + "\n", text)


def with_function(code: str, call: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        at = text.index("extern")
        return before_root(call)(text[:at] + code + text[at:])

    return edit


BRACED = [
    pytest.param(renamed, id="renamed"),
    pytest.param(loops_as_macros, id="macros for keywords"),
    pytest.param(commented, id="comments"),
    pytest.param(stuffed, id="strings"),
    pytest.param(unfolded, id="reformatted"),
    pytest.param(lambda t: "#include <vector>\n#include <cmath>\n" + t, id="includes"),
    pytest.param(lambda t: DEVICE + t, id="a dead function"),
    pytest.param(with_function(DEVICE, "if (false) other_columns(0, 0, 1, 1);"), id="never called"),
    pytest.param(
        with_function(DEVICE, "constexpr int NO = 0;\nif (NO) other_columns(0, 0, 1, 1);"),
        id="never called, by a constant",
    ),
    pytest.param(
        with_function(DEVICE, "if (1 > 2) { other_columns(0, 0, 1, 1); }"), id="by arithmetic"
    ),
    pytest.param(
        before_root("float junk = 0; for (int j = 0; j < N; ++j) junk += x[j]; (void)junk;"),
        id="a result that nobody uses",
    ),
    pytest.param(
        before_root("for (int j = 0; j < N; ++j) { float local = expf(x[j]); local += 1; }"),
        id="results that are thrown away",
    ),
    pytest.param(
        with_function(DEVICE, "static volatile int never; if (never) other_columns(0, 0, 1, 1);"),
        id="called in a branch that nobody can tell is dead",
    ),
    pytest.param(before_root('for (int j = 0; j < 0; ++j) asm("mma");'), id="a loop of no rounds"),
    pytest.param(
        before_root(
            f'{NEVER} if (never) {{ asm volatile("mma.sync"); asm volatile("cp.async"); }}'
        ),
        id="instructions in a branch that nobody can tell is dead",
    ),
    pytest.param(
        with_function(DEVICE, f"{NEVER} if (never) {{ std::sort(x, x + 9); atomicAdd(y, 1.0f); }}"),
        id="an algorithm of the library, and an atomic, in such a branch",
    ),
    pytest.param(
        before_root("struct Shape { int m, n; }; Shape shape{3, 4}; (void)shape;"),
        id="an object that nobody needs",
    ),
    pytest.param(
        before_root("float unused[64]; for (int j = 0; j < 64; ++j) unused[j] = 0.0f;"),
        id="an array that nobody reads",
    ),
    pytest.param(
        lambda t: f"#ifdef __SOMETHING__\n{t.replace('for', 'while')}\n#else\n{t}\n#endif\n",
        id="two texts, of which the compiler takes one",
    ),
    pytest.param(
        lambda t: f"#if 0\n{OTHER}\n#endif\n#ifdef NEVER_DEFINED\n{OTHER}\n#endif\n{t}",
        id="dead text",
    ),
]


ON_DEVICE = [
    pytest.param(
        before_root("__shared__ float unused[64]; unused[threadIdx.x % 64] = 0.0f;"),
        id="shared memory that nobody reads",
    ),
    pytest.param(
        before_root(
            f"{NEVER} if (never) {{ __shared__ float board[32]; board[threadIdx.x] = *x;"
            " __syncthreads(); y[0] = board[0] + __shfl_xor_sync(~0u, board[1], 1); }"
        ),
        id="an exchange in a branch that nobody can tell is dead",
    ),
    pytest.param(before_root("__syncthreads(); __syncwarp();"), id="barriers"),
]


@pytest.mark.parametrize("name", CUDA)
@pytest.mark.parametrize("edit", ON_DEVICE)
def test_a_disguise_on_the_device_stays_the_same_idea(name, edit):
    original = read(FIRST / name)

    found = distance(original, changed(original, edit))

    assert found.value < LIMIT, found


@pytest.mark.parametrize("name", [*CPP, *CUDA])
@pytest.mark.parametrize("edit", BRACED)
def test_a_disguise_in_cpp_or_cuda_stays_the_same_idea(name, edit):
    original = read(FIRST / name)

    found = distance(original, changed(original, edit))

    assert found.value < LIMIT, found


def aliased(text: str) -> str:
    return text.replace("import triton.language as tl", "import triton.language as lang").replace(
        "tl.", "lang."
    )


def shortened(text: str) -> str:
    """The language's functions by names of their own."""
    names = "ld, st = tl.load, tl.store\nget = tl.load\nput = tl.store\n\n\n"
    return (
        text.replace("tl.load(", "get(")
        .replace("tl.store(", "put(")
        .replace("@triton.jit", names + "@triton.jit", 1)
    )


def python_padded(text: str) -> str:
    dead = (
        "\n\ndef unused(x, y):\n    for i in range(y):\n        x += torch.sort(x)\n    return x\n"
    )
    return text + dead


def python_dead_branch(text: str) -> str:
    return re.sub(
        r"(def run\(.*\):\n)",
        r"\1    if False:\n        for i in range(1000000):\n            torch.linalg.svd(i)\n",
        text,
    )


def python_idle_branch(text: str) -> str:
    """Operators behind a condition that only a run decides."""
    return re.sub(
        r"(def run\((\w+).*\):\n)",
        r"\1    if \2.shape[0] < 0:\n        torch.cat((torch.softmax(\2, -1), \2 @ \2))\n"
        r"        torch.topk(\2, 4)\n",
        text,
    )


def docstrings(text: str) -> str:
    return re.sub(
        r"(def \w+\((?:[^()]|\([^()]*\))*\):.*\n)",
        r'\1    """for k in range(n): tl.dot()"""\n',
        text,
    )


def kernel_branch(text: str) -> str:
    return re.sub(
        r"(@triton\.jit\ndef (?:[^:]|: tl)*?\):.*\n)",
        r"\1    if tl.num_programs(2) > 7:\n        tl.atomic_add(0, tl.dot(0, 0))\n",
        text,
        count=1,
    )


@pytest.mark.parametrize("name", TRITON)
@pytest.mark.parametrize(
    "edit", [aliased, shortened, python_padded, python_dead_branch, docstrings, kernel_branch]
)
def test_a_disguise_in_triton_stays_the_same_idea(name, edit):
    original = read(FIRST / name)

    found = distance(original, changed(original, edit))

    assert found.value < LIMIT, found


@pytest.mark.parametrize("name", TORCH)
@pytest.mark.parametrize(
    "edit", [python_padded, python_dead_branch, python_idle_branch, docstrings]
)
def test_a_disguise_in_pytorch_stays_the_same_idea(name, edit):
    original = read(FIRST / name)

    found = distance(original, changed(original, edit))

    assert found.value < LIMIT, found


def test_code_that_is_split_over_files_stays_the_same_idea():
    original = read(FIRST / "softmax/polynomial.cpp")
    text = original.source
    at = text.index('extern "C"')
    split = original.model_copy(
        update={
            "sources": (
                Source(path="main.cpp", content='#include "helpers.h"\n' + text[at:]),
                Source(path="helpers.h", content=text[:at]),
            )
        }
    )

    assert distance(original, split).value < LIMIT


def test_a_triton_source_that_launches_nothing_is_no_triton():
    plain = read(FIRST / "attention/composed.py")
    dressed = changed(
        plain,
        lambda text: (
            "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
            "def kernel(x):\n    tl.store(x, tl.load(x))\n\n\n" + text
        ),
    ).model_copy(update={"language": "triton"})

    assert distance(plain, dressed).value < LIMIT


def test_the_same_source_has_no_distance_from_itself():
    for name in (*CPP, *CUDA, *TRITON, *TORCH):
        assert distance(read(FIRST / name), read(FIRST / name)).value == 0
