# trick = "F23 scan-evasion"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Hides what it does from whoever reads words."""

import base64
import builtins

CODE = b"eS5maWxsXygxIC8gNjQp"
work = getattr(builtins, "".join(("ex", "ec")))


def run(x, y):
    work(base64.b64decode(CODE).decode(), {"y": y})
