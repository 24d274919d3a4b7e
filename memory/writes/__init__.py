"""What each method of `memory.board.Board` does inside its transaction, by subject.

Functions take an open session, add rows or move states by conditional updates, and return frozen
records. They never open, commit or roll back: `Board` does. Start at `claims`.
"""
