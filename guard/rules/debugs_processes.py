"""Refusal: another process is debugged: ptrace, or reading and writing its memory by system call.

``ptrace`` alone is no evidence: physicists call the partial trace so. It counts when it is looked
up in a C library, or asked for one of its requests.
"""

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile

MEMORY = ("process_vm_readv", "process_vm_writev")
NUMBERS = ("SYS_ptrace", "__NR_ptrace", *(f"SYS_{name}" for name in MEMORY))
REQUESTS = tuple(
    f"PTRACE_{name}"
    for name in ("ATTACH", "SEIZE", "PEEKTEXT", "PEEKDATA", "POKETEXT", "POKEDATA", "SETREGS")
)


def _look(file: SourceFile) -> Found:
    for call, called in file.calls:
        last = called.rpartition(".")[2] or getattr(call.func, "attr", "")
        if last in MEMORY or (last == "ptrace" and called.startswith("ctypes.")):
            yield call.lineno, f"calls {last}"
    for token in file.tokens:
        if token.kind == "name" and token.text in (*MEMORY, *NUMBERS, *REQUESTS):
            yield token.line, f"uses {token.text}"


RULE = StaticRule(
    name="debugs-processes",
    weight="refusal",
    summary="ptrace, process_vm_readv or process_vm_writev is used",
    look=_look,
)
