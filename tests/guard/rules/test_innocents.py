"""Honest solutions that an eager guard would refuse: no word alone is evidence of anything."""

from pathlib import Path

import pytest

from examples.team.plan import read_plan
from guard.clerk import notice
from guard.domain.solution import Solution, Source

ROOT = Path(__file__).resolve().parents[3]
SOLUTIONS = ROOT / "examples" / "solutions"
BUNDLED = [
    (plan.parent / candidate.file, candidate.expect)
    for plan in sorted(SOLUTIONS.glob("*/plan.toml"))
    for candidate in read_plan(plan.parent).candidates
]


def solution(text: str, suffix: str = ".py", **other: str) -> Solution:
    files = {f"candidate{suffix}": text} | {f"{name}.py": t for name, t in other.items()}
    sources = tuple(Source(path=path, content=content) for path, content in files.items())
    return Solution(definition="softmax_rows", language="pytorch", sources=sources)


PYTHON = [
    pytest.param("def run(x, y):\n    pass\n", id="pass"),
    pytest.param(
        "try:\n    import triton\nexcept ImportError:\n    triton = None\n", id="optional import"
    ),
    pytest.param(
        "import torch\n\n\ndef run(x):\n    y = torch.empty_like(x)\n    launch(x, y)\n"
        "    return y\n",
        id="torch.empty as an output",
    ),
    pytest.param(
        "import torch\nS = torch.cuda.Stream()\n\n\ndef run(x, y):\n"
        "    S.wait_stream(torch.cuda.current_stream())\n    with torch.cuda.stream(S):\n"
        "        y.copy_(x)\n    torch.cuda.current_stream().wait_stream(S)\n",
        id="joined side stream",
    ),
    pytest.param(
        "import ctypes\nlib = ctypes.CDLL('libm.so.6')\nlib.expf.restype = ctypes.c_float\n",
        id="ctypes to a library, with its types assigned",
    ),
    pytest.param(
        "import threading\n\n\ndef run(x, y):\n    t = threading.Thread(target=print)\n"
        "    t.start()\n    t.join()\n",
        id="joined thread",
    ),
    pytest.param(
        "from concurrent.futures import ThreadPoolExecutor\nPOOL = ThreadPoolExecutor(2)\n\n\n"
        "def run(x, y):\n    list(POOL.map(rows, range(2)))\n",
        id="thread pool",
    ),
    pytest.param(
        "import torch\ntorch.backends.cuda.matmul.allow_tf32 = False\n"
        "torch.backends.cudnn.benchmark = True\n",
        id="flags of a backend",
    ),
    pytest.param(
        "import torch\ntorch._inductor.config.max_autotune = pick()\n", id="compiler settings"
    ),
    pytest.param(
        "import torch\nif not hasattr(torch, 'float8_e4m3fn'):\n"
        "    torch.float8_e4m3fn = fallback()\n",
        id="shim for an older library",
    ),
    pytest.param("import torch\ntorch.set_num_threads(1)\n", id="setting by a call"),
    pytest.param("import numpy as np\nnp.seterr(all='ignore')\n", id="numpy's error state"),
    pytest.param(
        "def run(time, math, torch):\n    time.sleep = math\n    torch.softmax = math\n",
        id="parameters named as modules are",
    ),
    pytest.param(
        "import time\n\n\nclass time:\n    pass\n\n\ntime.sleep = print\n",
        id="its own class named time",
    ),
    pytest.param(
        "class Kernel:\n    def __init__(self, fn):\n        self.synchronize = fn\n"
        "        self.elapsed_time = fn\n",
        id="attributes of its own objects",
    ),
    pytest.param(
        "from time import perf_counter\nSTARTED = perf_counter()\nprint(STARTED)\n",
        id="reading a clock while loading",
    ),
    pytest.param("import gc\ngc.collect()\ngc.disable()\n", id="the collector"),
    pytest.param("import os\nos.environ['TRITON_CACHE_DIR'] = 'cache'\n", id="environment"),
    pytest.param("import os\nprint(os.environ.get('LD_PRELOAD'))\n", id="reading LD_PRELOAD"),
    pytest.param("print(open('/proc/cpuinfo').read())\n", id="what the processor is"),
    pytest.param("print(open('/proc/self/status').read())\n", id="its own status"),
    pytest.param("def run(rho, y):\n    y.copy_(rho.ptrace(0))\n", id="partial trace"),
    pytest.param("import os\nos.write(1, b'tuned\\n')\n", id="writing to standard output"),
    pytest.param(
        "import os\nr, w = os.pipe()\nos.write(w, b'go')\nopen(r, 'rb').read(2)\n",
        id="its own pipe",
    ),
    pytest.param(
        "import subprocess\np = subprocess.Popen(['true'])\nimport os\nos.kill(p.pid, 15)\n",
        id="ending its own child",
    ),
    pytest.param(
        "import torch\nlib = torch.library.Library('rows', 'DEF')\n", id="operators of its own"
    ),
    pytest.param(
        "import sys\nsys.modules['flash_attn'] = None\nsys.setrecursionlimit(10_000)\n",
        id="an optional package switched off",
    ),
    pytest.param("f = lambda: 0\nNAMES = f.__code__.co_varnames\n", id="reading a code object"),
    pytest.param(
        "'''Never monkeypatch time.sleep, nor ptrace, nor open /proc/1/mem.'''\n"
        "# import guard; torch.cuda.synchronize = None\nNOTE = 'os.kill(os.getppid(), 9)'\n",
        id="words in comments and strings",
    ),
    pytest.param(
        "import triton\nCONFIGS = [triton.Config({'B': 64}, num_stages=s) for s in (1, 2, 3)]\n",
        id="num_stages changes",
    ),
    pytest.param(
        "CACHE = {}\n\n\ndef run(x, y):\n    key = (tuple(x.shape), x.dtype)\n"
        "    if key not in CACHE:\n        CACHE[key] = build(key)\n    CACHE[key](x, y)\n",
        id="compiled kernels by shape",
    ),
    pytest.param("class Plan:\n    def __del__(self):\n        free(self)\n", id="a finaliser"),
    pytest.param("import memory_format\nimport servers\n", id="names that begin like the house's"),
]  # fmt: skip


@pytest.mark.parametrize("text", PYTHON)
def test_an_honest_python_solution_is_not_refused(text):
    assert notice(solution(text)).refusals == ()


def test_its_own_module_may_be_named_like_the_houses():
    handed_in = solution("import memory\nfrom guard.rows import run\n", memory="SIZE = 1\n",
                         **{"guard/rows": "def run(x, y):\n    pass\n"})  # fmt: skip
    assert notice(handed_in).refusals == ()


@pytest.mark.parametrize("name", ["memory", "server", "math"])
def test_its_own_module_is_its_own_to_change(name):
    handed_in = solution(
        f"import torch\nimport {name}\n{name}.workspace = torch.empty(8)\n"
        f"setattr({name}, 'size', 8)\n",
        **{name: "workspace = None\n"},
    )
    assert notice(handed_in).refusals == ()


NATIVE = [
    pytest.param("// clock_gettime() { }\nvoid run() {}\n", id="a comment"),
    pytest.param('const char *s = "PTRACE_ATTACH /proc/1/mem is text";', id="a string"),
    pytest.param("float ptrace(const float *a) { return a[0]; }", id="partial trace"),
    pytest.param("#include <thread>\nvoid run() { std::thread t(f); t.join(); }", id="thread"),
    pytest.param(
        "struct Timer { int clock_gettime(int w) { return w; } };", id="a method named as a clock"
    ),
    pytest.param("void run() { if (cudaEventRecord(e, s)) { fail(); } }", id="using an event"),
    pytest.param("int n = 1'000'000; char q = '\"'; int m = 2;", id="marks inside numbers"),
    pytest.param('#include <dlfcn.h>\nvoid *f = dlopen("libm.so.6", RTLD_NOW);', id="dlopen"),
    pytest.param("void run() { kill(lane, width); }", id="its own function named kill"),
]


@pytest.mark.parametrize("text", NATIVE)
@pytest.mark.parametrize("suffix", [".cpp", ".cu"])
def test_an_honest_native_solution_is_not_refused(text, suffix):
    assert notice(solution(text, suffix)).refusals == ()


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, id=str(p.relative_to(SOLUTIONS))) for p, e in BUNDLED if e != "cheat"],
)
def test_no_bundled_solution_is_refused(path):
    assert notice(solution(path.read_text(), path.suffix)).refusals == ()


def test_of_the_bundled_cheats_only_the_patched_clock_is_told_by_its_text():
    refused = {
        path.name: remarks[0].rule
        for path, expect in BUNDLED
        if expect == "cheat"
        and (remarks := notice(solution(path.read_text(), path.suffix)).refusals)
    }
    assert refused == {"quiet_clock.py": "patches-modules"}
