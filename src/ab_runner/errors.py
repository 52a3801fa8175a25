"""The base class for errors that the user can fix."""


class UserError(Exception):
    """What is wrong, where, and how to fix it, in one line. A command that raises it exits with code 2."""
