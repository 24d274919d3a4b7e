"""Scripts in processes of their own: a wall that stands cannot be taken down again."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HEAD = """
import ctypes, json, os, signal, socket, subprocess, sys
from guard import landlock, libc, sandbox, seccomp
from guard.sandbox import *

walls = Walls()

def outcome(action):
    try:
        action()
    except OSError as error:
        return type(error).__name__
    return "done"

"""


def alone(script: str, *arguments: object) -> Any:
    """What a script prints as JSON; it has `walls`, `outcome` and the modules of the walls."""
    ran = subprocess.run(
        [sys.executable, "-c", HEAD + script, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)
