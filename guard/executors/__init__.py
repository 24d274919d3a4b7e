"""Ways to run referees: one file each, found by listing this folder."""
