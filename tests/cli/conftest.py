"""Fixtures of all tests of the command line."""

from support.cli import cli, elsewhere

__all__ = ["cli", "elsewhere"]
