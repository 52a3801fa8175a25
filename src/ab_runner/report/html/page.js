// Draws the charts when they come into view, and keeps them in step with what is switched on and pointed at.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const views = new Map(); // the place of a chart → its Vega view
  const inView = new Set();
  let details; // trials and warm-ups, once a server was opened
  const ROOM_FOR_LABELS = 640;
  let focus = "";

  // --- what is shown ---------------------------------------------------------------------------------------------

  const picker = document.getElementById("picker");
  const boxes = all("input.one", picker);
  const shown = () => boxes.filter((box) => box.checked).map((box) => box.value);

  function showChosen() {
    const ids = new Set(shown());
    for (const family of all("fieldset", picker)) {
      const members = all("input.one", family);
      const on = members.filter((box) => box.checked).length;
      const box = family.querySelector("input.family");
      box.checked = on === members.length;
      box.indeterminate = on > 0 && on < members.length;
    }
    document.getElementById("count").textContent = `${ids.size} of ${boxes.length}`;
    for (const row of all("tr[data-server]")) row.hidden = !ids.has(row.dataset.server);
    for (const place of views.keys()) update(place);
  }

  const presets = {
    all: () => true,
    none: () => false,
    then: (box) => Number(box.dataset.year) <= 2006,
    now: (box) => Number(box.dataset.year) > 2006,
  };

  picker.addEventListener("change", ({ target }) => {
    if (target.matches(".family")) {
      for (const box of all("input.one", target.closest("fieldset"))) box.checked = target.checked;
    }
    showChosen();
  });
  for (const button of all("button[data-preset]", picker)) {
    button.addEventListener("click", () => {
      for (const box of boxes) box.checked = presets[button.dataset.preset](box);
      showChosen();
    });
  }
  const wide = matchMedia("(min-width: 75rem)");
  const fold = () => { picker.querySelector("details").open = wide.matches; };
  wide.addEventListener("change", fold);
  fold();
  picker.hidden = false;

  // --- charts ----------------------------------------------------------------------------------------------------

  const ROWS = {
    "rates": (place) => ["cells", data.cells[place.dataset.rows]],
    "latencies": (place) => ["cells", data.cells[place.dataset.rows]],
    "model": (place) => ["cells", data.cells[place.dataset.rows]],
    "then-and-now": (place) => ["pairs", data.pairs[place.dataset.rows]],
    "warm-up": (place) => ["windows", windows(details.warmUps[place.dataset.server][place.dataset.rows])],
  };

  const windows = (warmUps) => warmUps.flatMap(([block, rates], start) =>
    rates.map((rate, at) => ({ block, start, window: at + 1, rate })));

  function draw(place) {
    if (views.has(place) || !place.clientWidth || (place.dataset.server && !details)) return;
    const [name, rows] = ROWS[place.dataset.chart](place);
    const spec = structuredClone(data.charts[place.dataset.chart]);
    spec.data.find((each) => each.name === name).values = structuredClone(rows);
    const view = new vega.View(vega.parse(spec), { renderer: "svg", container: place, hover: true, tooltip: showTip });
    place.signals = new Set(spec.signals.map((each) => each.name));
    view.addEventListener("pointerover", (_, item) => pointAt(serverOf(item)));
    view.addEventListener("pointerout", () => pointAt(""));
    views.set(place, view);
    view.container().querySelector("svg").setAttribute("aria-hidden", "true"); // the place has a label of its own
    update(place);
  }

  // A point lies behind the cell of a Voronoi diagram that catches the pointer for it.
  const serverOf = (item) => (item?.datum?.datum ?? item?.datum)?.server ?? "";

  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  function update(place) {
    const view = views.get(place);
    const kind = place.dataset.chart;
    const ids = shown();
    const labelled = place.clientWidth >= ROOM_FOR_LABELS;
    const signals = { shown: ids, labelled, focus, ink: colour("--muted"), faint: colour("--grid") };
    if (place.dataset.levels) {
      signals.level = Number(document.querySelector(`input[name="${place.dataset.levels}"]:checked`).value);
    }
    if (kind === "model") signals.members = data.models[place.dataset.rows][place.dataset.model];
    for (const [name, value] of Object.entries(signals)) if (place.signals.has(name)) view.signal(name, value);
    if (kind === "rates") {
      const labels = data.cells[place.dataset.rows].filter((row) => row.last && ids.includes(row.server)).length;
      view.height(labelled ? Math.max(420, 13 * labels + 90) : 320);
    } else if (kind === "model") {
      view.height(170);
    } else if (kind === "warm-up") {
      view.height(130);
    }
    view.width(place.clientWidth).runAsync();
  }

  function pointAt(server) {
    if (server === focus) return;
    focus = server;
    for (const place of inView) {
      if (views.has(place) && place.signals.has("focus")) views.get(place).signal("focus", server).runAsync();
    }
  }
  for (const label of all("label.server", picker)) {
    label.addEventListener("pointerenter", () => pointAt(label.querySelector("input").value));
    label.addEventListener("pointerleave", () => pointAt(""));
    label.addEventListener("focusin", () => pointAt(label.querySelector("input").value));
    label.addEventListener("focusout", () => pointAt(""));
  }

  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) {
        inView.add(target);
        draw(target);
      } else inView.delete(target);
    }
  }, { rootMargin: "300px" });
  const resizer = new ResizeObserver((entries) => {
    for (const { target } of entries) if (views.has(target) && target.clientWidth) update(target);
  });
  for (const place of all(".chart")) {
    watcher.observe(place);
    resizer.observe(place);
  }
  for (const levels of all(".levels")) {
    levels.addEventListener("change", () => {
      for (const place of all(`[data-levels="${levels.dataset.for}"]`)) if (views.has(place)) update(place);
    });
  }

  // --- the figures of a point ------------------------------------------------------------------------------------

  const tip = document.getElementById("tip");

  function showTip(_, event, item, value) {
    tip.hidden = !value;
    if (!value) return;
    tip.replaceChildren();
    const figures = item.datum.tooltip ?? value; // a Voronoi cell has none of its own, but those of its point
    for (const [name, text] of Object.entries(figures)) {
      if (["undefined", "null", "NaN", ""].includes(String(text))) continue;
      const line = tip.appendChild(document.createElement("div"));
      line.appendChild(document.createElement("span")).textContent = name;
      line.appendChild(document.createElement("b")).textContent = text;
    }
    const left = event.clientX + 16 + tip.offsetWidth > innerWidth ? event.clientX - tip.offsetWidth - 12 : event.clientX + 16;
    const top = Math.min(event.clientY + 12, innerHeight - tip.offsetHeight - 8);
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, top)}px`;
  }

  // --- a server's trials -----------------------------------------------------------------------------------------

  async function unpack() {
    const packed = Uint8Array.from(atob(document.getElementById("details").textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    details ??= await new Response(stream).json();
  }

  function listTrials(server) {
    const place = server.querySelector(".trials");
    if (place.firstChild) return;
    const scroller = place.appendChild(document.createElement("div"));
    scroller.className = "scroller";
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "region");
    scroller.setAttribute("aria-label", `${server.dataset.id}: trials`);
    const table = scroller.appendChild(document.createElement("table"));
    const head = table.createTHead().insertRow();
    for (const heading of [...details.trials.headings, "ab's output"]) {
      const cell = head.appendChild(document.createElement("th"));
      cell.scope = "col";
      cell.textContent = heading;
    }
    const body = table.createTBody();
    const figure = new Intl.NumberFormat("en-US", { maximumFractionDigits: 4 });
    for (const trial of details.trials.rows[server.dataset.id] ?? []) {
      const row = body.insertRow();
      for (const value of trial.slice(0, -1)) {
        const cell = row.insertCell();
        const isFigure = typeof value === "number";
        cell.textContent = isFigure ? figure.format(value) : value ?? "";
        if (!isFigure && value) cell.className = "text";
      }
      const address = trial.at(-1);
      const cell = row.insertCell();
      cell.className = "text";
      if (address) {
        const link = cell.appendChild(document.createElement("a"));
        link.href = address;
        link.textContent = "raw";
        link.setAttribute("aria-label", `raw output of ${trial.slice(0, 3).join(" ")}`);
      }
    }
  }
  for (const server of all("details.server")) {
    server.addEventListener("toggle", async () => {
      if (!server.open) return;
      if (!details) await unpack();
      listTrials(server);
      all(".chart", server).forEach(draw);
    });
  }

  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target?.matches("details")) {
      target.open = true;
      target.scrollIntoView();
    }
  }
  addEventListener("hashchange", openTarget);
  openTarget();

  // --- light, dark, print ----------------------------------------------------------------------------------------

  const button = document.getElementById("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  function repaint() {
    button.textContent = isDark() ? "Light" : "Dark";
    for (const place of views.keys()) update(place);
  }
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    repaint();
  });
  dark.addEventListener("change", repaint);
  button.hidden = false;

  addEventListener("beforeprint", () => {
    root.classList.add("printing");
    all(".chart").forEach(draw);
    for (const place of views.keys()) {
      update(place);
      views.get(place).run();
    }
  });
  addEventListener("afterprint", () => {
    root.classList.remove("printing");
    repaint();
  });

  // --- where the page is served, and the sweep goes on -----------------------------------------------------------

  // `newer` is the line that says so.
  function keepUp(newer) {
    const FOLLOWS = `follows ${location.pathname}`;
    const CHOSEN = `chosen ${location.pathname}`;
    const EVERY = 2000;
    // To make the page takes CPU time, which the sweep may feel: whoever follows gets it this often at the most.
    const PATIENCE = 30_000;
    const loaded = performance.now();
    const isRunning = newer.dataset.running === "yes";
    const isFollowed = () => isRunning && sessionStorage.getItem(FOLLOWS) !== null;
    let isOld = false;

    // What is served is never stored, so the page would come back as if nobody had been there: what was chosen, and the
    // place where the reader is, are carried over.
    const nameOf = (each) => `${each.closest("[id]").id} ${each.querySelector("summary").textContent}`;
    const topOf = (place) => place.getBoundingClientRect().top;
    function loadAgain() {
      const place = all("main [id]").filter((each) => each.checkVisibility() && topOf(each) <= 0).at(-1);
      sessionStorage.setItem(CHOSEN, JSON.stringify({
        off: boxes.filter((box) => !box.checked).map((box) => box.value),
        levels: Object.fromEntries(all(".levels input:checked").map((level) => [level.name, level.value])),
        open: Object.fromEntries(all("main details").map((each) => [nameOf(each), each.open])),
        theme: root.dataset.theme,
        place: place && [place.id, topOf(place)],
      }));
      history.scrollRestoration = "manual";
      location.reload();
    }
    function chooseAgain({ off, levels, open, theme, place }) {
      sessionStorage.removeItem(CHOSEN);
      for (const box of boxes) box.checked = !off.includes(box.value);
      for (const level of all(".levels input")) if (levels[level.name] === level.value) level.checked = true;
      for (const each of all("main details")) each.open = open[nameOf(each)] ?? each.open;
      if (theme) root.dataset.theme = theme;
      showChosen();
      repaint();
      if (place) scrollBy(0, topOf(document.getElementById(place[0])) - place[1]);
      addEventListener("load", () => { history.scrollRestoration = "auto"; });
    }

    function button(name, press) {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = name;
      made.addEventListener("click", press);
      return made;
    }
    const show = button("Show it", loadAgain);
    const follow = button("Follow it", () => {
      sessionStorage.setItem(FOLLOWS, "");
      tell();
      stop.focus();
    });
    const stop = button("Stop", () => {
      sessionStorage.removeItem(FOLLOWS);
      tell();
      follow.focus();
    });
    function tell() {
      if (isFollowed()) newer.replaceChildren("Following the sweep: what is new comes every half minute. ", stop);
      else if (isOld) newer.replaceChildren("The sweep went on: there is more than this. ", show, ...(isRunning ? [" ", follow] : []));
      else if (isRunning) newer.replaceChildren("The sweep is running: this is what it has so far. ", follow);
    }
    async function look() {
      try {
        const answer = document.hidden ? undefined : await fetch(location.pathname, { method: "HEAD", cache: "no-store" });
        if (answer?.ok && answer.headers.get("ETag") !== `"${newer.dataset.tag}"`) {
          if (isFollowed() && performance.now() - loaded > PATIENCE) {
            loadAgain();
            return;
          }
          if (!isOld) {
            isOld = true;
            if (!isFollowed()) tell();
          }
        }
      } catch {
        // The server is gone for now.
      }
      setTimeout(look, EVERY);
    }

    const chosen = sessionStorage.getItem(CHOSEN);
    if (chosen) chooseAgain(JSON.parse(chosen));
    tell();
    setTimeout(look, EVERY);
  }

  showChosen();
  repaint();
  const newer = document.getElementById("newer");
  if (newer) keepUp(newer);
})();
