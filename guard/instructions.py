"""Count the instructions of a listing by class: NVIDIA's SASS, and x86 assembly.

Pure functions over text; one pass, and no line is read further than `_LINE`. Start at `sass` and
`x86`. Not here: where a listing comes from (`guard.listing`), what is told of it (`evidence`).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from guard.domain.machine_code import Instructions

MAX_KERNELS = 256
_LINE = 400
_NAME = 200
Classes = Iterable[str]

# --- SASS -------------------------------------------------------------------------------------

_FUNCTION = re.compile(r"\s*(?:\.section\s+\.text\.([^,\s]+)|Function : (\S+))")
_SASS = re.compile(r"\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*)")
_PADDING = "NOP"
_MEMORY = {"LDG": "global loads", "STG": "global stores", "LD": "global loads",
           "ST": "global stores", "LDS": "shared loads", "STS": "shared stores",
           "LDSM": "shared loads", "STSM": "shared stores", "LDL": "local loads",
           "STL": "local stores"}  # fmt: skip
_WIDE = ("global loads", "global stores", "shared loads", "shared stores")
_OPCODES = {
    "FFMA": "ffma", "FFMA2": "ffma", "HFMA2": "hfma", "DFMA": "dfma", "MUFU": "mufu",
    "BAR": "barriers", "SYNCS": "mbarriers", "LDGSTS": "async copies", "SHFL": "shuffles",
    "REDUX": "shuffles", "UBLKCP": "tma", "UBLKRED": "tma", "UBLKPF": "tma",
    "ATOM": "atomics", "ATOMG": "atomics", "ATOMS": "atomics", "RED": "atomics", "REDG": "atomics",
}  # fmt: skip
_TENSOR = re.compile(r"(UTC)?[A-Z]G?MMA(2)?")


def sass(text: str) -> tuple[Instructions, ...]:
    """Per kernel, from what nvdisasm or cuobjdump prints."""

    def told(line: str) -> tuple[str, Classes | None]:
        if named := _FUNCTION.match(line):
            return named[1] or named[2], None
        found = _SASS.match(line)
        return "", _sass_classes(found[1]) if found and found[1] != _PADDING else None

    return _counted(text, told)


def _sass_classes(opcode: str) -> Iterator[str]:
    name, *parts = opcode.split(".")
    yield ""
    if name in _MEMORY:
        kind = _MEMORY[name]
        yield kind
        if kind in _WIDE:
            yield f"{kind} {_width(name, parts)}"
    elif name in _OPCODES:
        yield _OPCODES[name]
    elif name.startswith("UTMA"):
        yield "tma"
    elif _TENSOR.fullmatch(name):
        yield "tensor core"


def _width(name: str, parts: list[str]) -> str:
    if name in ("LDSM", "STSM"):
        return "matrix"
    return next((p for p in ("256", "128", "64") if p in parts), "32")


# --- x86 --------------------------------------------------------------------------------------

_LABEL = re.compile(r"(?:[0-9a-f]+ <([^>]{1,400})>|([A-Za-z_][\w.$]{0,400})):")
_X86 = re.compile(r"(?:\s*[0-9a-f]+:\s+|\t)((?:lock |rep[nz]* |notrack )?[a-z]\w*)\s*(.*)")
# What the linker adds to every shared library.
_STARTUP = frozenset(
    {"_init", "_fini", "deregister_tm_clones", "register_tm_clones", "__do_global_dtors_aux",
     "frame_dummy"}
)  # fmt: skip
_VECTOR = re.compile(r"%([xyz]mm)\d")
_MATH = re.compile(
    r"<?_*(?:exp|exp2|exp10|expm1|log|log2|log10|log1p|sin|cos|sincos|tan|asin|acos|atan|atan2"
    r"|sinh|cosh|tanh|pow|sqrt|cbrt|erf|erfc|tgamma|lgamma|fmod|hypot|round|floor|ceil)f?(?:@|>|$)"
)
_ON_STACK = re.compile(r"-?(?:0x)?[0-9a-f]*\(%r[sb]p\)$")
_FAMILIES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"v?f(?:n?m)(?:add|sub)|vfn?m(?:add|sub)"), "fma"),
    (re.compile(r"v(?:p?)gather"), "gathers"),
    (re.compile(r"v(?:p?)scatter"), "scatters"),
    (re.compile(r"v?(?:div|sqrt)[ps][sd]"), "divisions and roots"),
    (re.compile(r"v?movnt"), "streaming stores"),
    (re.compile(r"prefetch"), "prefetches"),
    (re.compile(r"tdp"), "matrix tiles"),
)
_SCALAR = re.compile(r"(?!vbroadcast|vp)[a-z][a-z0-9]*(?:ss|sd)")


def x86(text: str) -> tuple[Instructions, ...]:
    """Per function, from what objdump or a compiler's ``-S`` prints in AT&T syntax."""

    def told(line: str) -> tuple[str, Classes | None]:
        if named := _LABEL.match(line):
            return named[1] or named[2], None
        found = _X86.match(line)
        return "", _x86_classes(found[1], found[2]) if found else None

    return tuple(each for each in _counted(text, told) if each.kernel not in _STARTUP)


def _x86_classes(opcode: str, operands: str) -> Iterator[str]:
    yield ""
    operands = operands.partition("#")[0].strip()
    if opcode.startswith("call"):
        yield from _call_classes(operands)
        return
    widest = max(_VECTOR.findall(operands), default="")
    if widest:
        yield "scalar float" if _SCALAR.fullmatch(opcode) else widest
    yield from (name for pattern, name in _FAMILIES if pattern.match(opcode))
    stores = opcode.lstrip("v").startswith("mov") and operands.startswith("%")
    if stores and _ON_STACK.search(operands):
        yield "stack stores"


def _call_classes(target: str) -> Iterator[str]:
    yield "calls"
    name = target.rpartition(" ")[2]
    if name.lstrip("<").startswith("_ZGV"):
        yield "vector math calls"
    elif _MATH.match(name):
        yield "scalar math calls"


CLASSES = tuple(
    dict.fromkeys(
        (
            *_MEMORY.values(), *_OPCODES.values(), "tensor core",
            *(f"{kind} {width}" for kind in _WIDE for width in ("32", "64", "128", "256")),
            "shared loads matrix", "shared stores matrix",
            "zmm", "ymm", "xmm", "scalar float", *(name for _, name in _FAMILIES),
            "calls", "vector math calls", "scalar math calls", "stack stores",
        )
    )
)  # fmt: skip
"""Every class there is."""


# --- both -------------------------------------------------------------------------------------


def _counted(
    text: str, told: Callable[[str], tuple[str, Classes | None]]
) -> tuple[Instructions, ...]:
    """What `told` says of each line: the kernel that begins there, or an instruction's classes."""
    counts: dict[str, Counter[str]] = {}
    current: Counter[str] | None = None
    for line in text.splitlines():
        name, classes = told(line[:_LINE])
        if name and (name in counts or len(counts) < MAX_KERNELS):
            current = counts.setdefault(name[:_NAME], Counter())
        elif name:
            current = None
        if classes is not None and current is not None:
            current.update(classes)
    return tuple(
        Instructions(kernel=name, total=found.pop(""), classes=dict(sorted(found.items())))
        for name, found in counts.items()
        if found[""]
    )
