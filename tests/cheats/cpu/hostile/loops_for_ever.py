# trick = "F24 exhaustion"
# caught = "by check"
# expect = ["TIMEOUT"]
# evidence = "1\\.5 s"
# policy = {first_call_limit_s = 1.5, call_limit_s = 1.5}
"""Never comes back from a call."""


def run(x, y):
    while True:
        pass
