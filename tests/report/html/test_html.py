"""report.html as text; e2e/test_browser.py opens it."""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.builders import answer, failed_trial, noted, outcome, served, server, skips, sweep, trial
from support.course_sweep import course_sweep
from support.evil_sweep import CONTROLS, EVIL, evil_sweep
from support.full_sweep import full_sweep
from support.serving import kept
from support.small_sweep import STORED, STUDY

from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.cli.main import main
from ab_runner.model.records import WarmUpRecord, WarmUpTurns
from ab_runner.report import html
from ab_runner.report.html.page import page_of
from ab_runner.report.say.figures import cell_text
from ab_runner.store.reader import Stored

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def full_page() -> str:
    return html.render(analyse(full_sweep()), STUDY)


def script(text: str, id: str) -> str:
    found = re.search(rf'<script type="[^"]+" id="{id}">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return found[1]


def details(text: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(script(text, "packed-trials"))))


def test_nothing_from_a_server_or_a_file_is_markup() -> None:
    text = html.render(analyse(evil_sweep()), STUDY)
    assert "<script>window.hit" not in text
    assert "<img" not in text
    assert text.count("</script") == 4
    rows = json.loads(script(text, "data"))["cells"]["small"]
    assert rows[0]["server"] == f"x-{EVIL}"


def test_no_control_character_of_an_answer_is_in_the_page() -> None:
    (head,) = re.findall(r"head of its answer, small\">([^<]*)</pre>", html.render(analyse(evil_sweep()), STUDY))
    assert "Server: &lt;/script&gt;" in head
    assert not [letter for letter in CONTROLS if letter != "\n" and letter in head]
    assert all(map(str.isprintable, head.splitlines()))


def test_each_server_has_the_heads_of_its_answers_with_their_lengths() -> None:
    head = "HTTP/1.1 200 \r\nDate: today\r\n\r\n"
    records = (answer("tomcat-5.5.15", head), answer("tomcat-5.5.15", head * 40, "large"), *STORED.records)
    text = html.render(analyse(Stored(STORED.sweep, records)), None)
    assert '<th scope="row">small<td data-value="30">30<td data-value="100">100' in text
    assert '<th scope="row">large<td data-value="1200">1,200<td data-value="100">100' in text
    assert ">HTTP/1.1 200 \nDate: today</pre>" in text
    assert text.count("Heads of its answers") == 1, "the other servers have none"
    assert "Heads of its answers" not in html.render(analyse(STORED), None)


def test_the_exceptions_of_a_server_stand_with_its_caveats() -> None:
    exceptions = {"caching": "It reads the disk.", "no-delay": "It has no setting."}
    one = server("a-1", exceptions=exceptions, caveats=("It is slow.",))
    text = html.render(analyse(Stored(sweep(one), (trial("a-1", "small", 1),))), None)
    shown = "<dt>Exceptions from the rules</dt><dd>caching: It reads the disk. no-delay: It has no setting.</dd>"
    assert shown in text
    assert text.index(shown) < text.index("<dt>Caveats</dt><dd>It is slow.</dd>")
    assert "Exceptions from the rules" not in html.render(analyse(STORED), None)


def test_the_answer_comes_first_then_charts_then_2006_then_the_details() -> None:
    skipped = msgspec.structs.replace(STORED.sweep, skipped=skips({"x-1": "no room"}))
    text = html.render(analyse(Stored(skipped, STORED.records)), STUDY)
    main = text[text.index("<main") :]
    sections = re.findall(r'<section id="([^"]+)"', main)
    assert sections == ["fastest", "small", "then-and-now", "details", "models", "warnings", "servers", "what", "again"]
    answer = main[: main.index("</section>")]
    assert '<th scope="row">small' in answer
    assert "highest figure: tomcat-5.5.15" in answer
    assert "Confidence: " in answer
    assert '<a href="#warnings">1 warning</a>' in answer


def test_an_unfinished_sweep_says_so_beside_the_answer() -> None:
    text = html.render(analyse(Stored(STORED.sweep, STORED.records[:-1])), None)
    assert 'class="unfinished">This sweep is still running, or was killed' in text
    assert 'class="unfinished"' not in html.render(analyse(STORED), None)


def test_many_warnings_are_a_line_of_each_kind_with_their_servers_behind_it() -> None:
    skipped = skips({f"s-{number}": "needs x.jar; artifacts fetch" for number in range(40)})
    stored = Stored(msgspec.structs.replace(STORED.sweep, skipped=skipped), STORED.records)
    text = html.render(analyse(stored), None)
    shown = text[text.index('<section id="warnings"') : text.index('<section id="servers"')]
    assert re.findall("<summary>(.*?)</summary>", shown) == [
        "40 servers skipped, artifacts missing (./ab-runner artifacts fetch)"
    ]
    assert shown.count("<li>s-") == 40


def test_a_cell_without_a_figure_has_no_value_to_be_sorted_by() -> None:
    text = html.render(analyse(STORED), None)
    assert '<td class="failed" data-value="">timeout' in text
    assert 'data-value="5000.0">≥ 5,000<abbr' in text


def test_what_a_table_is_sorted_by_are_the_figures_that_its_texts_are_made_of(full_page: str) -> None:
    pages = full_page + html.render(analyse(STORED), STUDY)
    found = re.findall(r'<td[^>]* data-value="([^"]+)">([^<]+)', pages)
    for value, text in found:
        figure = re.search(r"\d[\d,]*(\.\d+)?", text)
        assert figure is not None, text
        assert float(figure[0].replace(",", "")) == pytest.approx(float(value), rel=0.05), text
    texts = [text for _, text in found]
    for part in ("1, 10", " / ", "–", "→", " times", "±"):  # noqa: RUF001
        assert any(part in text for text in texts), "levels, latencies, ranks, those of 2006, leads, CPU efficiencies"


def test_a_cell_of_text_without_anything_is_sorted_as_one() -> None:
    text = html.render(analyse(STORED), STUDY)
    assert '<td class="text" data-value="">-' in text[text.index("<caption><span>servers compared") :]


def test_a_figure_that_is_only_known_to_be_below_a_millisecond_has_zero_to_be_sorted_by() -> None:
    quick, slow = (
        trial("a-1", "small", 1, block=block, outcome=outcome(percentiles={0: 0.1, 50: 0.2, 99: 0.4, 100: longest}))
        for block, longest in ((1, 0.6), (2, 30.0))
    )
    trials = details(html.render(analyse(Stored(sweep(server("a-1")), (quick, slow))), None))["trials"]
    place = trials["headings"].index("p99.9 ms")
    assert [row[place] for row in trials["rows"]["a-1"]] == [["< 1", 0], 22.5]


def test_a_figure_has_a_star_in_the_page_where_it_has_one_in_a_terminal() -> None:
    made = [trial("a-1", "small", level, block=block, verdict=noted("99.0 % kept alive"))
            for level in (1, 100) for block in (1, 2, 3)]  # fmt: skip
    made[-1] = failed_trial("a-1", "small", 100, "timeout", block=3)
    analysis = analyse(Stored(sweep(server("a-1")), tuple(made)))
    (part,) = page_of(analysis, None).workloads
    assert [place.main for place in part.rates[0]] == ["12,345*", "12,345"], "it says itself that a trial failed"
    for level, place in zip(analysis.levels, part.rates[0], strict=True):
        cell = analysis.cell("a-1", "small", level)
        assert cell is not None
        assert cell.remarks
        assert cell_text(cell).endswith("*") == place.main.endswith("*")


def test_a_server_that_is_not_in_colour_is_not_ticked() -> None:
    many = [server(f"s-{number}") for number in range(20)]
    stored = Stored(sweep(*many), tuple(trial(each.id, "small", 1) for each in many))
    text = html.render(analyse(stored), None, core=("s-3", "s-7"))
    assert re.findall(r'value="([^"]+)" data-year="2006" checked', text) == ["s-3", "s-7"]
    assert 'id="hide"' in text
    assert 'id="hide"' not in html.render(analyse(STORED), None)


def test_a_full_sweep_is_a_page_of_less_than_two_megabytes_that_needs_nothing_else(full_page: str) -> None:
    assert len(full_page.encode()) < 2_000_000
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", full_page)
    assert "@import" not in full_page


def test_every_trial_is_in_the_page_with_the_address_of_its_raw_output() -> None:
    trials = details(html.render(analyse(STORED), None))["trials"]
    rows = [dict(zip([*trials["headings"], "raw"], row, strict=True)) for row in trials["rows"]["tomcat-5.5.15"]]
    assert len(rows) == 12
    expected = {"workload": "small", "c": 1, "block": 1, "requests/s": 8100, "requests": 12345, "raw": "raw/x.txt"}
    assert expected.items() <= rows[0].items()


def test_columns_that_no_trial_has_anything_for_are_left_out(full_page: str) -> None:
    headings = details(html.render(analyse(STORED), None))["trials"]["headings"]
    assert "limit" in headings
    assert "GC ms" not in headings
    full = details(full_page)["trials"]["headings"]
    assert {"GC ms", "memory MiB", "server cores"} <= set(full)


def test_a_table_stands_behind_every_chart() -> None:
    text = html.render(analyse(STORED), STUDY)
    for figure in ("5,000", "timeout", "42 %", "±3.0 %"):
        assert figure in text, figure
    assert text.count('role="img" aria-label="') == text.count('class="chart"')


def test_a_starved_cell_says_so_where_its_rate_would_stand() -> None:
    starved = trial("tomcat-5.5.15", "small", 100, limit="generator", outcome=served(25_000, 100, 0.2, seconds=60.0))
    stored = Stored(STORED.sweep, (*STORED.records[:4], starved))
    text = html.render(analyse(stored), None)
    assert '<td class="failed" data-value="">25,000 (20 of 100 connections served)<' in text
    assert "left most connections waiting" in text
    assert "left most connections waiting" not in html.render(analyse(STORED), None)
    (row,) = [row for row in page_of(analyse(stored), None).charts.cells["small"] if row["server"] == "tomcat-5.5.15"]
    assert "rate" not in row
    assert row["missing"] == "25,000 (20 of 100 connections served)"


def test_warm_ups_have_a_panel_for_each_load_and_the_share_of_the_jit_in_each_cycle() -> None:
    turns = tuple(WarmUpTurns("small", level, (1_000.0, 2_000.0)) for level in (10, 1000))
    new = WarmUpRecord(
        block=1, server="tomcat-5.5.15", start=1, at=STORED.sweep.started, turns=turns, jit_shares=(0.61, 0.014)
    )
    old = WarmUpRecord(block=1, server="jetty-12.1", start=2, at=STORED.sweep.started, workload="small", rates=(500.0,))
    stored = Stored(STORED.sweep, (new, msgspec.structs.replace(new, block=2), old, *STORED.records))
    page = page_of(analyse(stored), None)
    assert page.warm_ups == {
        "tomcat-5.5.15": {f"small at {level}": [(1, [1_000, 2_000]), (2, [1_000, 2_000])] for level in ("10", "1,000")},
        "jetty-12.1": {"small at 10": [(1, [500])]},
    }
    assert page.jit_shares == {"tomcat-5.5.15": "61 %, 1.4 %; 61 %, 1.4 %"}
    assert "<dd>61 %, 1.4 %" in html.render(analyse(Stored(STORED.sweep, (new, *STORED.records))), None)


def test_the_seconds_of_trials_have_a_panel_for_each_server_and_quantity_and_tables_behind_them() -> None:
    stored = course_sweep()
    text = html.render(analyse(stored), None)
    part = text[text.index('<section id="courses">') : text.index('<section id="models">')]
    assert re.findall('<figure data-server="([^"]+)">', part) == ["jetty-12.1", "tomcat-11"]
    assert re.findall('data-chart="([^"]+)"', part) == ["course-answers", "course-latency", "course-jit"] * 2
    assert part.count('role="img" aria-label="small, ') == 6
    assert "orange: first trial of a start; blue: later ones" in part
    assert re.findall("<summary>(.*?)</summary>", part) == [
        "small: answers per second", "small: requests that failed", "small: p99 in ms",
        "small: JIT share of the server&#39;s CPU time in %",
    ]  # fmt: skip
    data = json.loads(script(text, "data"))
    assert [(each["server"], each["c"], each.get("run")) for each in data["courses"]["small"]] == [
        ("tomcat-11", 100, 1), ("tomcat-11", 100, 2), ("tomcat-11", 1, None),
        ("jetty-12.1", 100, None), ("jetty-12.1", 1, None),
    ]  # fmt: skip
    assert data["extents"]["small"] == {
        "seconds": 12, "most": 12_000, "fastest": 2.0, "slowest": 20.0, "share": 0.8,
    }  # fmt: skip
    for name in ("course-answers", "course-latency", "course-jit"):
        signals = {each["name"] for each in data["charts"][name]["signals"]}
        assert {*data["extents"]["small"], "level"} <= signals, name
    trials = details(text)["trials"]
    place = trials["headings"].index("bytes allocated/request")
    assert trials["rows"]["tomcat-11"][0][place][0] == "20,833 ±4.2 %"


def test_a_sweep_of_short_trials_says_nothing_of_seconds(full_page: str) -> None:
    assert 'id="courses"' not in full_page
    assert '"course-' not in script(full_page, "data")


def test_what_was_not_run_has_not_failed() -> None:
    text = html.render(analyse(Stored(STORED.sweep, STORED.records[:4])), STUDY)
    assert text.count('<td class="not-run" data-value="">not run') == 2, "tomcat's"
    assert text.count('<td class="failed" data-value="">') == 1, "jetty's timeout"


def test_one_block_is_said_to_have_no_intervals(full_page: str) -> None:
    quick = msgspec.structs.replace(STORED, records=STORED.records[:3])
    assert "One block has no intervals" in html.render(analyse(quick), None)
    assert "One block has no intervals" not in full_page


def test_servers_stand_in_the_order_of_the_sweep_not_of_their_figures() -> None:
    (section,) = page_of(analyse(STORED), None).workloads
    assert [each.id for each in section.servers] == [each.id for each in STORED.sweep.servers]


def test_commands_that_draw_nothing_load_neither_templates_nor_charts() -> None:
    code = "import sys; from ab_runner.cli import main, measuring; print({'vl_convert', 'jinja2'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ROOT / "src")}
    )
    assert done.stdout == "set()\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(kept(tmp_path / "sweep", STORED))


def report(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["ab-runner", "report", *arguments])
    return main()


def test_report_writes_page_and_charts_into_the_sweeps_folder_or_elsewhere(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(monkeypatch, "--html", str(folder)) == 0
    assert capsys.readouterr().out == f"{folder / 'report.html'}\n"
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    elsewhere = tmp_path / "elsewhere"
    assert report(monkeypatch, "--svg", "--out", str(elsewhere), str(folder)) == 0
    names = {path.name for path in (elsewhere / "charts").iterdir()}
    assert {"small-rates.svg", "small-latencies.svg"} <= names
    assert not (folder / "charts").exists()


@pytest.mark.parametrize("arguments", [["--html", "--out", "FILE"], ["--svg", "--out", "FILE/below"], ["--out", "DIR"]])
def test_a_place_that_cannot_be_written_is_one_clear_line(
    folder: Path,
    tmp_path: Path,
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "FILE").write_text("")
    monkeypatch.chdir(tmp_path)
    assert report(monkeypatch, *arguments, str(folder)) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_report_is_not_written_through_links_in_the_sweeps_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (folder / "charts").mkdir()
    for name in (".report.html.draft", "report.html", "charts/small-rates.svg", "charts/.small-rates.svg.draft"):
        (folder / name).symlink_to(secret)
    assert report(monkeypatch, "--html", "--svg", str(folder)) == 0
    assert secret.read_text() == "secret"
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert "<svg" in (folder / "charts" / "small-rates.svg").read_text()


def test_charts_are_not_written_into_a_folder_that_a_link_leads_to(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (folder / "charts").symlink_to(tmp_path / "elsewhere")
    assert report(monkeypatch, "--svg", str(folder)) == 2
    assert capsys.readouterr().err == (
        f"ab-runner: cannot write to {folder / 'charts'}: it is a symbolic link, which is not followed; "
        "replace it by the file it points to, or remove it\n"
    )
    assert list((tmp_path / "elsewhere").iterdir()) == []
