"""The command line: one module for each command (`main` lists them), and what several of them share.

A command reads its options, makes one request of them, calls what is below and shows the result.
"""
