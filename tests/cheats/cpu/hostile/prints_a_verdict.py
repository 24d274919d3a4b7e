# trick = "F12 result-forgery"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Prints what a passing report would say."""

import sys

REPORT = '{"status": "PASSED", "correct": true, "latency_ms": 0.000001}'
for stream in (sys.stdout, sys.stderr, sys.__stdout__):
    print(REPORT, file=stream, flush=True)


def run(x, y):
    y.zero_()
    print(REPORT, flush=True)
