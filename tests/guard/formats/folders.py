"""A small problem that reads without a complaint, written for a test that may break it."""

import json

DEFINITION = {
    "name": "scale",
    "hf_id": "",
    "axes": {
        "M": {"type": "var"},
        "N": {"type": "const", "value": 8},
        "P": {"type": "expr", "expression": "M // 2"},
    },
    "inputs": {
        "x": {"shape": ["M", "N"], "dtype": "float32"},
        "s": {"shape": None, "dtype": "float32"},
    },
    "outputs": {"y": {"shape": ["M", "N"], "dtype": "float32"}},
    "reference": "def run(x, s):\n    return x * s\n",
}
WORKLOAD = {
    "uuid": "w1",
    "axes": {"M": 4},
    "inputs": {"x": {"type": "random"}, "s": {"type": "scalar", "value": 2}},
}


def sound_folder(path):
    """Write a small problem that reads without a complaint."""
    path.mkdir()
    (path / "definition.json").write_text(json.dumps(DEFINITION, indent=1))
    write_workloads(path, WORKLOAD)
    return path


def write_workloads(folder, *workloads, file="workload.jsonl"):
    (folder / file).write_text("".join(json.dumps(w) + "\n" for w in workloads))


def write_definition(folder, **changed):
    (folder / "definition.json").write_text(json.dumps({**DEFINITION, **changed}))
