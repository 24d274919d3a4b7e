"""A scripted agent: a real MCP client that follows a plan, with no model behind it.

    plan.toml -> Agent -> Connection -> server          every reply -> Journal

Start at `agent`. `python -m examples.team --help` runs one agent in this process.
"""
