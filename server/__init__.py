"""The face of KernelArc: MCP over HTTP, the command line, and the one place that builds things.

Imports every other package and is imported by none. Start at `__main__` for the commands, `tools`
for what agents see, `bootstrap` for how the parts meet.
"""
