"""Arguments in, exit code out.

0: done; 1: ran, but could not do all of it; 2: bad input, nothing was started; 130: interrupted.
"""
