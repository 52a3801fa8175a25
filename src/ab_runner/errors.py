"""The base of all that somebody else than the programmer has to mend."""


class UserError(Exception):
    """What is wrong, where, and how to mend it, in one line. A command that ends by it has exit code 2."""
