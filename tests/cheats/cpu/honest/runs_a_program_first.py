# trick = "a child process that has ended before the first call"
# expect = ["PASSED"]
# duel = "no refusal"
"""Asks a program about the machine when it is imported, and waits for its end."""

import subprocess

import torch

MACHINE = subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True).stdout


def run(x, y):
    torch.softmax(x, dim=1, out=y)
