"""Example problems, prepared solutions, and the scripted team that shows the server at work.

Start at `demo`. Nothing in the product imports from here.
"""
