"""Files of a results folder that somebody else has prepared: what is not a regular file is refused, not followed."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from io import FileIO
from pathlib import Path

import pytest

from ab_runner.host import safe_files


def linked(path: Path, target: Path) -> None:
    path.symlink_to(target)


def dangling(path: Path, target: Path) -> None:
    path.symlink_to(target.with_name("nowhere"))


def fifo(path: Path, target: Path) -> None:
    os.mkfifo(path)


def device(path: Path, target: Path) -> None:
    path.symlink_to("/dev/zero")


def folder(path: Path, target: Path) -> None:
    path.mkdir()


Plant = Callable[[Path, Path], None]
PLANTS = [linked, dangling, fifo, device, folder]


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_bytes(b"secret")
    return path


@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize("mode", ["r", "a+"])
def test_only_a_regular_file_is_opened_and_nothing_is_waited_for(
    tmp_path: Path, target: Path, plant: Plant, mode: str
) -> None:
    plant(tmp_path / "file", target)
    with pytest.raises(OSError, match="file"):
        FileIO(str(tmp_path / "file"), mode, opener=safe_files.opener)
    assert target.read_bytes() == b"secret"
    assert not (tmp_path / "nowhere").exists()


def test_a_link_is_refused_with_what_to_do(tmp_path: Path, target: Path) -> None:
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(
        OSError, match="symbolic link, which is not followed; replace it by the file it points to"
    ) as found:
        safe_files.read(tmp_path / "link")
    assert found.value.filename == str(tmp_path / "link")


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert safe_files.real_folder(tmp_path) == tmp_path
    with pytest.raises(OSError, match="symbolic link"):
        safe_files.real_folder(tmp_path / "link")


def test_a_file_that_claims_to_be_endless_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(OSError, match="it has more than 1,073,741,824 bytes"):
        safe_files.read(tmp_path / "sparse")
    (tmp_path / "small").write_bytes(b"12345")
    assert safe_files.read(tmp_path / "small", 5) == b"12345"
    with pytest.raises(OSError, match="it has more than 4 bytes"):
        safe_files.read(tmp_path / "small", 4)


@pytest.mark.parametrize("plant", [linked, dangling, fifo, device])
def test_what_is_written_takes_the_place_of_a_planted_link_or_fifo(tmp_path: Path, target: Path, plant: Plant) -> None:
    for name in ("whole", "created"):
        plant(tmp_path / name, target)
    safe_files.write_whole(tmp_path / "whole", b"new")
    with safe_files.create(tmp_path / "created") as file:
        file.write(b"new")
    for name in ("whole", "created"):
        assert stat.S_ISREG((tmp_path / name).lstat().st_mode)
        assert (tmp_path / name).read_bytes() == b"new"
    assert target.read_bytes() == b"secret"
    assert not (tmp_path / "nowhere").exists()


def test_the_name_of_a_draft_cannot_be_known_and_no_draft_stays(tmp_path: Path, target: Path) -> None:
    (tmp_path / ".report.html.draft").symlink_to(target)
    safe_files.write_whole(tmp_path / "report.html", b"page")
    assert target.read_bytes() == b"secret"
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken") as found:
        safe_files.write_whole(tmp_path / "taken", b"page")
    assert found.value.filename == str(tmp_path / "taken")
    assert {path.name for path in tmp_path.iterdir()} == {".report.html.draft", "report.html", "taken", "secret"}


def test_what_is_written_is_as_readable_as_any_file_of_its_owner(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    safe_files.write_whole(tmp_path / "written", b"")
    assert (tmp_path / "written").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_two_who_write_the_same_file_leave_one_of_both_whole(tmp_path: Path) -> None:
    contents = [bytes([byte]) * 100_000 for byte in b"ab"]
    writers = [threading.Thread(target=safe_files.write_whole, args=(tmp_path / "file", each)) for each in contents]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert (tmp_path / "file").read_bytes() in contents
