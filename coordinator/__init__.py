"""The coordinator: who works on what, and in which order a candidate's steps are taken.

Knows the board (`memory`) and the guard (`guard`), and nothing of MCP or HTTP. It never judges:
verdicts come from `guard.gate`, facts from `memory`. Start at `pipeline`, then `claims`.
"""
