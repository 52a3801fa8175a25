"""Publishes a sweep: a folder small enough for git, which every command reads as it reads the sweep itself."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path
from urllib.parse import urlsplit

from ab_runner import paths
from ab_runner.analysis.sessions import analysis_of
from ab_runner.errors import UserError
from ab_runner.host import safe_files
from ab_runner.host.safe_files import write_whole
from ab_runner.model.records import FINISHED, NodeRecord
from ab_runner.model.trial import Trial
from ab_runner.report.formats import markdown
from ab_runner.report.formats.files import PAGE, TABLES, page_text
from ab_runner.report.tables.of_sweep import report_of
from ab_runner.store.layout import PACKED_TRIALS_FILE, PUBLISHED_SWEEPS, SWEEP_FILE, StoreError
from ab_runner.store.log import log_lines, packed
from ab_runner.store.reader import Stored, read
from ab_runner.store.redaction import SERVER_HOST, Redaction
from ab_runner.store.writer import write_report


def publish(folder: Path, name: str, user: str, anyway: bool = False) -> Path:
    """Write what reports are computed from, without names of the host and the user, and the reports into a new folder
    of published sweeps, and return that. UserError for a sweep that is not finished, or a name that is taken; and
    for servers that others cannot get, unless `anyway` is true."""
    stored = read(folder)
    _check(folder, stored)
    private = [server.id for server in stored.sweep.servers if server.id in stored.sweep.outside and not server.origin]
    if private and not anyway:
        raise UserError(
            f"{folder}: nobody else can measure {', '.join(private)}, from outside the repository and without an "
            "origin: name where others get it in server.toml and measure again, or add --anyway"
        )
    target = paths.RESULTS / PUBLISHED_SWEEPS / name
    for taken in (target, paths.RESULTS / name):
        if os.path.lexists(taken):
            raise UserError(f"{taken} exists, and is not overwritten; publish under another name, or remove it first")
    draft = target.with_name(f".{name}.{secrets.token_hex(8)}.draft")
    try:
        draft.mkdir(parents=True)
        _write_records(folder, draft, _redaction(stored, user))
        _write_reports(draft)
        draft.rename(target)
    except OSError as error:
        raise StoreError(f"cannot write to {error.filename or target}: {error.strerror}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def _check(folder: Path, stored: Stored) -> None:
    if stored.ending != FINISHED:
        state = stored.ending or "it is still running, or was killed"
        raise UserError(f"{folder} is not finished ({state}); ./ab-runner resume {folder} continues it")
    if stored.damage:
        raise UserError(f"{folder} is damaged, and only a whole sweep is published: {stored.damage[0]}")


def _redaction(stored: Stored, user: str) -> Redaction:
    folders = {paths.ROOT: ".", Path.home(): "~"}
    deep = {str(folder): instead for folder, instead in folders.items() if folder != Path("/")}
    request = stored.sweep.request
    contexts = {name: f"load-host-{number}" for number, name in enumerate(request.load_hosts, 1)}
    if request.server_host is not None:
        contexts[request.server_host] = SERVER_HOST
    nodes = dict.fromkeys(record.node for record in stored.records if isinstance(record, NodeRecord))
    contexts |= {name: f"node-{number}" for number, name in enumerate(nodes, 1)}
    return Redaction(stored.sweep.machine.hostname, user, deep, contexts, tuple(sorted(_addresses(stored))))


def _addresses(stored: Stored) -> set[str]:
    """Return where load hosts found the server's host, as it was asked for and as the generator's commands have it."""
    request = stored.sweep.request
    if not request.load_hosts:
        return set()
    urls = {trial.command[-1] for trial in stored.records if isinstance(trial, Trial) and trial.command}
    return {address for address in (request.server_address, *(urlsplit(url).hostname for url in urls)) if address}


def _write_records(folder: Path, draft: Path, redaction: Redaction) -> None:
    write_whole(draft / SWEEP_FILE, redaction.sweep(safe_files.read(folder / SWEEP_FILE)))
    write_whole(draft / PACKED_TRIALS_FILE, packed(redaction.log(log_lines(folder))))


def _write_reports(draft: Path) -> None:
    """Write the reports of what is published: nothing in them comes from anywhere else."""
    analysis = analysis_of(read(draft))
    write_report(draft / TABLES, markdown.render(report_of(analysis, everything=True)))
    write_report(draft / PAGE, page_text(analysis))
