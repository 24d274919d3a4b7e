"""Kernel languages: one module each, defining `LANGUAGE` (see `guard.ports.Language`).

Importing one is cheap and imports no torch, triton or cuda. Must never decide correctness or time.
`include/` holds headers that CUDA sources may include where NVRTC brings none.
"""
