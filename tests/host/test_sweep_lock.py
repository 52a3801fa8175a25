"""The lock of sweeps lies in a folder in which every user of the machine may prepare something."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ab_runner.host import sweep_lock
from ab_runner.host.sweep_lock import LockError, NotAloneError


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sweep_lock, "LOCK", tmp_path / "lock")
    return tmp_path / "lock"


def test_a_second_sweep_is_told_whose_lock_it_is_and_a_third_has_it_afterwards(lock: Path) -> None:
    with (
        sweep_lock.sweep_lock(),
        pytest.raises(NotAloneError, match=rf"\(process {os.getpid()}\)"),
        sweep_lock.sweep_lock(),
    ):
        pass
    with sweep_lock.sweep_lock():
        assert lock.read_text() == f"{os.getpid()}\n"
    assert lock.stat().st_mode & 0o777 == 0o600, "others could hold what they can open"


def test_what_a_planted_lock_leads_to_is_not_written_to(lock: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("a secret")
    lock.symlink_to(target)
    with pytest.raises(LockError, match="symbolic link"), sweep_lock.sweep_lock():
        pass
    lock.unlink()
    os.link(target, lock)
    with pytest.raises(LockError, match="another name"), sweep_lock.sweep_lock():
        pass
    lock.unlink()
    os.mkfifo(lock)
    with pytest.raises(LockError, match="not a regular file"), sweep_lock.sweep_lock():
        pass
    assert target.read_text() == "a secret"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a file of another user")
def test_a_lock_of_another_user_is_refused(lock: Path) -> None:
    lock.write_text("1\n")
    os.chown(lock, 65534, 65534)
    with pytest.raises(LockError), sweep_lock.sweep_lock():
        pass
    assert lock.read_text() == "1\n"
