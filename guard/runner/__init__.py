"""The untrusted process: holds one candidate and does what the referee asks, or lies about it."""
