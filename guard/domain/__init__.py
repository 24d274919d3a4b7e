"""The vocabulary of KernelArc: frozen values, no I/O. Everything else imports from here."""
