"""All commands under one name. A command that fails says why in one line and ends with an exit code."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import click

from ab_runner.errors import UserError
from ab_runner.host import interrupt
from ab_runner.model.text import visible

BAD_INPUT = 2
INTERRUPTED = 130
_COMPLAINT_AT_MOST = 10_000
"""Characters: a file may hold a name of any length."""

COMMANDS = (
    "run",
    "resume",
    "list",
    "report",
    "compare",
    "conclusions",
    "study",
    "splice",
    "export",
    "publish",
    "serve",
    "doctor",
    "artifacts",
    "new-server",
    "check",
)
"""Each is the `command` of the module that is named after it, which is imported when it is needed."""


class _Commands(click.Group):
    """`./ab-runner --concurrency 1` is `./ab-runner run --concurrency 1`, and the help shows the options of `run`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name not in COMMANDS:
            raise click.exceptions.NoSuchCommand(cmd_name, possibilities=COMMANDS, ctx=ctx)
        with interrupt.fatal():
            module = import_module(f"ab_runner.cli.{cmd_name.replace('-', '_')}")
        found = module.command
        assert isinstance(found, click.Command)
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in ("--help", "-h")):
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        run = self.get_command(ctx, "run")
        run.format_options(click.Context(run, info_name="run"), formatter)
        self.format_commands(ctx, formatter)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    options_metavar="",
    subcommand_metavar="[OPTIONS] | COMMAND …",
)
def cli() -> None:
    """Measures servers with Apache Benchmark, as the Cindy benchmark of 2006 did: starts each server, checks its
    answers, warms it up, measures it at each concurrency, and shows requests per second.

    \b
      ./ab-runner --protocol quick                      all servers, a second per trial
      ./ab-runner --concurrency 1,10,100,500,1000       the full sweep, six blocks, one second per trial
      ./ab-runner --servers 'tomcat*,httpd*' --workloads small,large
      ./ab-runner --servers @core                       twelve servers of 2006 and of today
      ./ab-runner --protocol 2006                       200,000 requests per trial, as the original
      ./ab-runner report results/latest                 the rate tables of a sweep again
      ./ab-runner report --all                          all its tables: latencies, ranks, CPU time
      ./ab-runner report --then-and-now                 beside the figures of 2006
      ./ab-runner report --html                         as a page with charts
      ./ab-runner study                                 the published comparisons that can be run here
      ./ab-runner serve                                 all sweeps in a browser, including a running one

    A server runs in a container if a Docker engine answers, else as a process of this host. Every trial is written to
    results/…/trials.jsonl when it ends. Ctrl-C loses none of them and leaves nothing running.

    Exit codes: 0 done; 1 the sweep stopped early or has no valid trial (compare: something is too slow); 2 bad input,
    and nothing was started; 130 interrupted.
    """


def main() -> int:
    """Run the command that was typed, and return the exit code."""
    try:
        cli.main(prog_name="./ab-runner", standalone_mode=False)
        return 0
    except click.ClickException as error:
        return _complain(error.format_message())
    except UserError as error:
        return _complain(str(error))
    except (interrupt.Interrupted, KeyboardInterrupt, click.Abort):
        return _interrupted()
    except ImportError as error:  # what an extension module makes of Ctrl-C while it is loaded
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        return _interrupted()
    except subprocess.SubprocessError as error:
        return _complain(f"a command that a sweep needs failed: {error}")


def _interrupted() -> int:
    print("ab-runner: interrupted", file=sys.stderr)
    return INTERRUPTED


def _complain(message: str) -> int:
    line = " ".join(message[:_COMPLAINT_AT_MOST].split())
    print(f"ab-runner: {visible(line)}", file=sys.stderr)
    return BAD_INPUT
