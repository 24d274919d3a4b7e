"""Static rules, one file each: early filters that explain, never the only defence.

A *refusal* names what no kernel has a reason to do; a *hint* is told to the agent and kept in the
record, and refuses nothing. A clean file proves nothing: what a candidate does is judged by running
it (`guard.referee`).
"""
