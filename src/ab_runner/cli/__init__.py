"""Arguments in, exit code out.

0: done; 1: stopped early or without a single valid trial; 2: bad input, nothing was started; 130: interrupted.
"""
