"""Kinds of devices: one file each, found by listing this folder."""
