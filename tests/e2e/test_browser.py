"""report.html and the pages that are served, in a real browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Error, Page, expect, sync_playwright
from support.course_sweep import course_sweep
from support.evil_sweep import EVIL, evil_sweep
from support.full_sweep import full_sweep
from support.serving import keep, serving
from support.small_sweep import STORED, STUDY
from support.waiting import AT_MOST

from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.report import html
from ab_runner.report.tables.studies import conclusions_of
from ab_runner.store.reader import Stored
from ab_runner.web.serve import ADDRESS

FULL = full_sweep()
CORE = [server.id for server in FULL.sweep.servers if server.family in ("tomcat", "jetty")]
PHONE, TABLET, DESK = (360, 740), (820, 1180), (1440, 900)
Scheme = Literal["dark", "light"]
Opener = Callable[..., Page]
expect.set_options(timeout=1000 * AT_MOST)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("not installed: chromium")
    # Chromium's sandbox does not run as root.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=arguments)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pages that these tests look at."""
    folder = tmp_path_factory.mktemp("pages")
    stored: dict[str, Stored] = {"small": STORED, "full": FULL, "evil": evil_sweep(), "courses": course_sweep()}
    for name, each in stored.items():
        analysis = analyse(each)
        (folder / f"{name}.html").write_text(html.render(analysis, STUDY, conclusions_of(analysis, STUDY)))
    (folder / "grey.html").write_text(html.render(analyse(stored["full"]), STUDY, core=CORE))
    return folder


@contextmanager
def visiting(browser: Browser, *may_ask: str) -> Iterator[Opener]:
    """Opens an address. At the end nothing may have gone wrong in a page, or been asked of anything but what begins
    with one of `may_ask`."""
    trouble: list[str] = []
    contexts = []

    def visit(address: str, size: tuple[int, int] = DESK, color_scheme: Scheme | None = None) -> Page:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=color_scheme)
        context.set_default_timeout(1000 * AT_MOST)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: trouble.append(said.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith(may_ask) else trouble.append(asked.url))
        page.goto(address)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert trouble == []


@pytest.fixture
def opened(browser: Browser, pages: Path) -> Iterator[Opener]:
    """Opens a page from file://, which may ask nothing of the network."""
    with visiting(browser, "file:", "data:") as visit:

        def open_page(
            name: str, size: tuple[int, int] = DESK, anchor: str = "", color_scheme: Scheme | None = None
        ) -> Page:
            return visit(f"file://{pages}/{name}.html{anchor}", size, color_scheme)

        yield open_page


def until(page: Page, expression: str, arg: object = None) -> None:
    """Wait until the expression is true. (Playwright's own wait evaluates it within the page, whose policy allows no
    text as a function.)"""
    deadline = time.monotonic() + AT_MOST
    while True:
        with suppress(Error):  # the page is being loaded
            if page.evaluate(expression, arg):
                return
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(50)


def draw_all(page: Page) -> None:
    """Charts are drawn when they come into view, and move what is below them: a press meets what it was meant for only
    when those above are drawn."""
    page.evaluate(
        """async () => {
            for (const place of document.querySelectorAll(".chart")) {
                if (!place.checkVisibility()) continue;
                place.scrollIntoView();
                for (let waited = 0; !place.querySelector("svg") && waited < 2400; waited++) {
                    await new Promise((done) => setTimeout(done, 50));
                }
                if (!place.querySelector("svg")) throw new Error(`not drawn: ${JSON.stringify(place.dataset)}`);
            }
            scrollTo(0, 0);
        }"""
    )


def open_everything(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    until(page, "[...document.querySelectorAll('.trials')].every((each) => each.querySelector('tbody tr'))")


RATES = ".chart[data-chart=rates][data-rows=small]"


def points(page: Page, chart: str = RATES) -> int:
    """How many figures a chart shows: the cells of its Voronoi diagram."""
    return page.locator(f"{chart} .mark-symbol path").count()


def lines(page: Page) -> int:
    return page.locator(f"{RATES} .mark-line path").count()


def test_every_chart_of_a_full_sweep_is_drawn(opened: Opener) -> None:
    page = opened("full")
    draw_all(page)
    assert page.locator(".chart svg").count() == page.locator("main > section:not(#servers) .chart").count()
    assert points(page) == 40 * 5
    assert lines(page) == 40


def test_seconds_of_trials_are_a_line_for_each_trial_at_the_level_that_is_chosen(opened: Opener) -> None:
    page = opened("courses")
    draw_all(page)
    answers = ".chart[data-chart=course-answers][data-of='tomcat-11']"
    assert page.locator(f"{answers} .mark-line path").count() == 2, "the cold one and the other"
    page.locator("#courses").get_by_role("radio", name="1", exact=True).check()
    until(page, f'document.querySelectorAll("{answers} .mark-line path").length === 1')
    labels = page.locator(f"{answers} .mark-text text").all_inner_texts()
    of_other = page.locator(".chart[data-chart=course-answers][data-of='jetty-12.1'] .mark-text text")
    assert labels == of_other.all_inner_texts(), "the same axes"
    page.get_by_role("checkbox", name="tomcat-11", exact=True).uncheck()
    assert not page.locator(answers).is_visible()


def test_a_cell_without_a_figure_is_a_cross_above_its_concurrency(opened: Opener) -> None:
    page = opened("small")
    draw_all(page)
    assert page.locator(f"{RATES} text", has_text="×").count() == 1  # noqa: RUF001


def test_a_server_is_switched_off_and_on_in_charts_and_tables(opened: Opener) -> None:
    page = opened("small")
    draw_all(page)
    row = page.locator("#small .rates tr[data-server='jetty-12.1']")
    assert (points(page), row.is_visible()) == (5, True)
    page.get_by_role("checkbox", name="jetty-12.1", exact=True).uncheck()
    until(page, f"document.querySelectorAll('{RATES} .mark-symbol path').length === 4")
    assert not row.is_visible()
    assert page.locator("#count").inner_text() == "2 of 3"
    page.get_by_role("button", name="All").click()
    until(page, f"document.querySelectorAll('{RATES} .mark-symbol path').length === 5")
    assert row.is_visible()


def test_a_family_is_switched_as_one_and_shows_when_only_part_of_it_is_on(opened: Opener) -> None:
    page = opened("full")
    family = page.get_by_role("checkbox", name="tomcat", exact=True)
    family.uncheck()
    assert page.locator("#count").inner_text() == "36 of 40"
    page.locator("input.one[value^=tomcat]").first.check()
    assert family.evaluate("(box) => box.indeterminate")


def test_none_and_the_eras_are_one_press_each(opened: Opener) -> None:
    page = opened("small")
    page.get_by_role("button", name="None").click()
    assert page.locator("#count").inner_text() == "0 of 3"
    page.get_by_role("button", name="Up to 2006").click()
    assert page.locator("#count").inner_text() == "3 of 3"


def test_the_keyboard_alone_switches_a_server_off(opened: Opener) -> None:
    page = opened("small")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('input.one')"):
            break
    page.keyboard.press("Space")
    assert page.locator("#count").inner_text() == "2 of 3"


def test_pointing_at_a_figure_tells_it_and_brings_its_server_out(opened: Opener) -> None:
    page = opened("small")
    draw_all(page)
    page.locator(RATES).scroll_into_view_if_needed()
    box = page.locator(f"{RATES} .mark-symbol path").last.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tip = page.locator("#tip")
    tip.wait_for(state="visible")
    text = tip.inner_text()
    for expected in ("tomcat-5.5.15", "concurrency\n100", "8,350", "95 % interval", "share of the ceiling"):
        assert expected in text, expected
    assert "undefined" not in text
    faded = f"{RATES} .mark-line path[opacity='0.12'], {RATES} .mark-line path[stroke-opacity='0.12']"
    until(page, "(at) => document.querySelectorAll(at).length === 2", arg=faded)


@pytest.mark.parametrize("size", [PHONE, DESK])
@pytest.mark.parametrize("name", ["small", "full"])
def test_the_answer_is_on_the_first_screen(opened: Opener, name: str, size: tuple[int, int]) -> None:
    page = opened(name, size)
    first = page.locator("#fastest tbody tr").first.bounding_box()
    assert first is not None
    assert first["y"] + first["height"] < size[1] / 2
    if size == DESK:
        last = page.locator("#fastest tbody tr").last.bounding_box()
        assert last is not None
        assert last["y"] + last["height"] < size[1]


def grey_lines(page: Page) -> int:
    return page.locator(f"{RATES} .mark-line path[stroke='#808080']").count()


def test_of_many_servers_the_core_is_in_colour_until_others_are_picked(opened: Opener) -> None:
    page = opened("grey")
    draw_all(page)
    many = len(FULL.sweep.servers)
    assert page.locator("#count").inner_text() == f"{len(CORE) + 1} of {many}", "and the ceiling"
    assert (lines(page), grey_lines(page)) == (many, many - len(CORE))
    assert page.locator("#small .rates tbody tr:visible").count() == many, "tables have all"
    page.locator("input.one[value^=mina]").first.check()
    until(
        page,
        "([at, many]) => document.querySelectorAll(at).length === many",
        arg=[f"{RATES} .mark-line path[stroke='#808080']", many - len(CORE) - 1],
    )
    page.get_by_role("checkbox", name="Hide the others").check()
    until(
        page,
        "([at, many]) => document.querySelectorAll(at).length === many",
        arg=[f"{RATES} .mark-line path", len(CORE) + 2],
    )
    assert page.locator("#small .rates tbody tr:visible").count() == len(CORE) + 2
    page.get_by_role("button", name="Core").click()
    assert page.locator("#count").inner_text() == f"{len(CORE) + 1} of {many}"


def column(page: Page, table: str, number: int) -> list[str]:
    """Return the texts of a column of a table, from top to bottom."""
    return page.locator(f"{table} tbody tr > :nth-child({number})").all_inner_texts()


def rates_of(texts: list[str]) -> list[float | None]:
    """Return the figures at the beginning of these texts; None for a reason."""
    found = [re.match(r"[≥ ]*([\d,]+)", text) for text in texts]
    return [float(each[1].replace(",", "")) if each else None for each in found]


def numbers_as_numbers(text: str) -> list[str | int]:
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text.lower())]


def test_a_heading_sorts_its_table_and_cells_without_a_figure_are_last(opened: Opener) -> None:
    page = opened("full")
    draw_all(page)
    table = "#large .rates"
    names = column(page, table, 1)
    heading = page.locator(f"{table} thead th").nth(5)
    heading.get_by_role("button", name="1,000").click()
    assert heading.get_attribute("aria-sort") == "descending", "the fastest first"
    rates = rates_of(column(page, table, 6))
    figures = [rate for rate in rates if rate is not None]
    assert figures == sorted(figures, reverse=True)
    assert 0 < len(figures) < len(rates)
    assert rates[: len(figures)] == figures, "lighttpd's timeouts are last"
    heading.get_by_role("button").press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    rates = rates_of(column(page, table, 6))
    assert rates[: len(figures)] == sorted(figures)
    assert rates[len(figures) :] == [None] * (len(rates) - len(figures))
    heading.get_by_role("button").press("Enter")
    assert heading.get_attribute("aria-sort") is None
    assert column(page, table, 1) == names
    page.locator(f"{table} thead button").first.click()
    assert column(page, table, 1) == sorted(names, key=numbers_as_numbers)


def test_ranks_are_sorted_by_their_lower_end(opened: Opener) -> None:
    page = opened("full")
    draw_all(page)
    page.locator("#small summary", has_text="small: ranks").click()
    ranks = "#small table:not(.rates)"
    page.locator(f"{ranks} thead button").nth(3).click()
    lower = [int(re.match(r"\d+", text)[0]) for text in column(page, ranks, 4) if text != "-"]  # type: ignore[index]
    assert len(lower) > 30
    assert lower == sorted(lower)
    assert lower != sorted(lower, key=str), "as numbers"


def test_a_name_that_stands_on_one_of_several_rows_is_on_each_when_they_are_sorted(opened: Opener) -> None:
    page = opened("small")
    draw_all(page)
    page.locator("#then-and-now summary", has_text="small: requests per second").click()
    table = page.locator("#then-and-now table", has=page.locator("caption", has_text="small: requests per second"))
    before = table.locator("tbody tr > :nth-child(1)").all_inner_texts()
    assert "" in before
    table.locator("thead button").nth(2).click()
    assert "" not in table.locator("tbody tr > :nth-child(1)").all_inner_texts()


def test_the_trials_of_a_server_are_sorted_too(opened: Opener) -> None:
    page = opened("small", anchor="#server-tomcat-5.5.15")
    server = page.locator("#server-tomcat-5\\.5\\.15")
    server.locator(".trials tbody tr").first.wait_for()
    heading = server.get_by_role("columnheader", name="requests/s")
    heading.get_by_role("button").click()
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    place = heading.evaluate("(each) => each.cellIndex") + 1
    assert server.locator(f".trials tbody tr > :nth-child({place})").first.inner_text() == "8,600"


def test_another_concurrency_shows_other_latencies(opened: Opener) -> None:
    page = opened("full")
    page.locator("#latencies-small").scroll_into_view_if_needed()
    chart = page.locator("#latencies-small .chart")
    chart.locator("svg").wait_for()
    before = chart.locator(".mark-symbol path").first.get_attribute("transform")
    page.locator("#latencies-small").get_by_role("radio", name="1,000").check()
    until(
        page,
        "(was) => document.querySelector('#latencies-small .mark-symbol path').getAttribute('transform') !== was",
        arg=before,
    )


def test_a_server_is_opened_by_its_address_with_every_trial(opened: Opener) -> None:
    page = opened("small", anchor="#server-tomcat-5.5.15")
    server = page.locator("#server-tomcat-5\\.5\\.15")
    server.locator(".trials tbody tr").first.wait_for()
    assert server.locator(".trials tbody tr").count() == 12
    assert server.get_by_role("link", name="raw output of small 1 1").get_attribute("href") == "raw/x.txt"


def test_the_warm_up_of_a_server_is_a_line_for_each_start(opened: Opener) -> None:
    page = opened("full", anchor="#server-ceiling")
    server = page.locator("details.server[open]")
    server.locator(".chart svg").first.wait_for()
    assert server.locator(".chart[data-rows='small at 1,000'] .mark-line path").count() == 6


@pytest.mark.parametrize(("scheme", "other"), [("dark", "Light"), ("light", "Dark")])
def test_light_and_dark_follow_the_system_and_the_switch(opened: Opener, scheme: Scheme, other: str) -> None:
    page = opened("small", color_scheme=scheme)
    draw_all(page)
    ink = f"document.querySelector('{RATES} .role-axis-label text').getAttribute('fill')"
    paper = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(ink), page.evaluate(paper)
    page.get_by_role("button", name=other).click()
    until(page, f"{ink} !== '{before[0]}'")
    assert page.evaluate(paper) != before[1]


@pytest.mark.parametrize(
    ("name", "size"), [("small", PHONE), ("evil", PHONE), ("full", PHONE), ("grey", PHONE), ("small", TABLET)]
)
def test_no_screen_is_too_narrow(opened: Opener, name: str, size: tuple[int, int]) -> None:
    page = opened(name, size)
    if name != "full":
        open_everything(page)
    draw_all(page)
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]


def test_print_has_charts_and_tables_in_black_on_white_and_no_controls(opened: Opener) -> None:
    page = opened("small", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator(".chart svg").count() == page.locator("main > section:not(#servers) .chart").count()
    assert not page.locator("#picker").is_visible()
    assert not page.locator("nav").is_visible()
    assert page.locator("#small table.rates").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK])
@pytest.mark.parametrize("name", ["small", "courses"])
def test_axe_finds_nothing_that_keeps_people_out(
    opened: Opener, name: str, scheme: Scheme, size: tuple[int, int]
) -> None:
    page = opened(name, size, color_scheme=scheme)
    open_everything(page)
    draw_all(page)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_server_cannot_bring_a_script_into_the_page(opened: Opener) -> None:
    page = opened("evil")
    open_everything(page)
    draw_all(page)
    page.locator(f"{RATES} .mark-symbol path").first.hover(force=True)
    page.locator("#tip").wait_for(state="visible")
    assert page.evaluate("window.hit") is None
    assert page.locator("img").count() == 0
    assert EVIL in page.locator("#small .rates tbody th").first.inner_text()
    assert EVIL in page.locator(".trials").first.inner_text()


def test_the_policy_of_a_page_keeps_another_script_from_running(browser: Browser, pages: Path) -> None:
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(f"file://{pages}/small.html")
    page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.hit = 1";
            document.body.append(script);
            document.body.insertAdjacentHTML("beforeend", "<button id=b onclick='window.hit = 1'>");
            document.getElementById("b").click();
        }"""
    )
    assert page.evaluate("window.hit") is None
    assert len([line for line in said if "Content Security Policy" in line]) == 2
    page.close()


# --- what is served, and what is compared ------------------------------------------------------------------------


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """An address, and the folder whose sweeps are there."""
    keep(tmp_path / "one", STORED).close()
    keep(tmp_path / "evil", evil_sweep()).close()
    with serving(tmp_path) as port:
        yield f"http://{ADDRESS}:{port}", tmp_path


@pytest.fixture
def visited(browser: Browser, site: tuple[str, Path]) -> Iterator[Opener]:
    """Opens an address of the site, which may ask nobody else."""
    address, _ = site
    with visiting(browser, address, "data:") as visit:
        yield visit


def test_the_list_follows_a_sweep_and_its_report_says_when_there_is_more(
    visited: Opener, site: tuple[str, Path]
) -> None:
    address, folder = site
    store = keep(folder / "two", Stored(STORED.sweep, STORED.records[:2]))
    overview = visited(f"{address}/")
    overview.get_by_role("checkbox", name="one").check()
    overview.locator(".latest", has_text="ceiling small c=100").wait_for()
    report = visited(f"{address}/two/")
    report.get_by_text("The sweep is running: this page shows its results so far.").wait_for()
    draw_all(report)
    store.append(STORED.records[2])
    overview.locator(".latest", has_text="jetty-12.1 small c=1").wait_for()
    assert overview.get_by_role("checkbox", name="one").is_checked()
    assert points(report) == 2
    report.get_by_role("button", name="Show it").click()
    report.wait_for_load_state()
    draw_all(report)
    assert points(report) == 3
    store.close()
    overview.locator("section.running").wait_for(state="detached")


def test_a_followed_report_brings_what_is_new_by_itself_until_the_sweep_ends(
    visited: Opener, site: tuple[str, Path]
) -> None:
    address, folder = site
    store = keep(folder / "two", Stored(STORED.sweep, STORED.records[:2]))
    page = visited("about:blank")
    page.clock.install()
    page.goto(f"{address}/two/")
    page.get_by_role("button", name="Follow it").press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Stop"
    page.locator("input.one").first.uncheck()
    page.locator(".levels input").first.check()
    page.get_by_text("Table of times per request").first.click()
    jetty = page.locator("details.server[data-id='jetty-12.1']")
    jetty.locator("summary").first.click()
    page.get_by_role("button", name="Dark").click()
    page.locator("#small .rates thead button", has_text="100").click()
    for number, record in enumerate(STORED.records[2:4], start=1):
        draw_all(page)
        page.locator("#models").scroll_into_view_if_needed()
        before = page.evaluate("scrollY")
        page.evaluate("window.isOld = true")
        store.append(record)
        with page.expect_response(lambda answer: answer.request.method == "HEAD"):
            page.clock.fast_forward(5_000)
        page.clock.fast_forward(1_000)
        assert page.evaluate("window.isOld"), "no more often than every half minute"
        page.clock.fast_forward(32_000)
        until(page, "!window.isOld")
        page.get_by_text("Following the sweep").wait_for()
        assert abs(page.evaluate("scrollY") - before) < 300, "where the reader was"
        assert not page.locator("input.one").first.is_checked()
        assert page.locator(".levels input").first.is_checked()
        assert page.locator("#small .rates th[aria-sort=descending]").inner_text().startswith("100")
        assert page.locator("details.behind[open]", has_text="Table of times per request").count() == 1
        assert page.get_by_role("button", name="Light").is_visible()
        expect(jetty.locator(".trials tbody tr")).to_have_count(number)
    store.close()
    page.clock.fast_forward(32_000)
    page.locator("#newer[data-running=no]:empty").wait_for(state="attached")


def test_two_sweeps_are_ticked_and_compared(visited: Opener, site: tuple[str, Path]) -> None:
    address, folder = site
    keep(folder / "two", STORED).close()
    page = visited(f"{address}/")
    page.get_by_role("checkbox", name="one").check()
    page.get_by_role("checkbox", name="two").check()
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("heading", name="small: requests per second, B against A").wait_for()
    assert page.locator("svg .mark-symbol path").count() == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK])
@pytest.mark.parametrize("path", ["/", "/two/", "/compare?sweep=one&sweep=two"])
def test_the_list_and_a_comparison_keep_nobody_out(
    visited: Opener, site: tuple[str, Path], path: str, size: tuple[int, int], scheme: Scheme
) -> None:
    address, folder = site
    store = keep(folder / "two", STORED)
    page = visited(f"{address}{path}", size, color_scheme=scheme)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
    store.close()


def test_a_comparison_of_hostile_names_has_no_script_of_theirs(visited: Opener, site: tuple[str, Path]) -> None:
    address, folder = site
    keep(folder / "evil-2", evil_sweep()).close()
    page = visited(f"{address}/compare?sweep=evil&sweep=evil-2")
    assert page.evaluate("window.hit") is None
    assert page.locator("img").count() == 0
    assert EVIL in page.locator("table").first.inner_text()
