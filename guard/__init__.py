"""The guard: compiles, verifies and times candidates, and alone decides.

Nothing here knows of agents, MCP or the board. `domain` is the vocabulary; `referee` is the
trusted process, `runner` the untrusted one; the rest are plug-ins and pure functions.
"""
