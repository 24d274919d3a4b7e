"""How far two solutions are from each other as ideas: structure, not spelling.

    Solution, Solution -> Distance

Start at `measure.distance`. Nothing of a solution is run, and what is read of it is bounded.
"""
