# trick = "F4 module-patch"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Puts its own modules in the place of those that judge, and a finder before all others."""

import sys
import types


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("guard.referee"):
            sys.modules[name] = types.ModuleType(name)


sys.meta_path.insert(0, Finder())
for name in ("guard.verify", "guard.gate", "guard.benchmark", "__main__"):
    module = types.ModuleType(name)
    module.judge = module.decide = module.compare = lambda *_, **__: "PASSED"
    sys.modules[name] = module


def run(x, y):
    y.zero_()
