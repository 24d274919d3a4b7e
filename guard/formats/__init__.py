"""One problem format = one file. Modules whose name starts with an underscore are helpers."""
