"""The shared memory: an append-only board of facts on SQLite, and views over it.

Knows `guard.domain` and nothing else of the house. Start at `records`, then `board` and `views`.
"""
