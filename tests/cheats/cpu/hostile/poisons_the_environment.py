# trick = "F18 environment-poisoning"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Leaves settings and start-up files for whoever is started after it."""

import os
from pathlib import Path

import torch

os.environ.update(
    PYTHONPATH=os.getcwd(), LD_PRELOAD="./slow.so", OMP_NUM_THREADS="64", PYTHONSTARTUP="x.py"
)
for name in ("sitecustomize.py", "usercustomize.py", "conftest.py", "cache/sitecustomize.py"):
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text("import time; time.sleep(5)\n")


def run(x, y):
    torch.softmax(x, dim=1, out=y)
