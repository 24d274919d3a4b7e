"""What memory, assigned strategies and a forced change are worth, at equal budgets of candidates.

    python -m benchmarks.study run wide --out runs.jsonl      every cell on a landscape
    python -m benchmarks.study judge softmax_rows                 each real candidate, once
    python -m benchmarks.study run softmax_rows --out runs.jsonl  every cell on those
    python -m benchmarks.study report runs.jsonl                   tables and plots

    agents (`policy`) ── claim, hand in, post ──> road ── orders ──> evaluator
                      <── answer, what is seen ──

Start at `trial`, which plays one run. docs/study.md says what was found.
"""
