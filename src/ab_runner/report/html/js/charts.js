// Draws the charts when they come into view, and updates them when the shown servers or the pointer change.

// `shown` returns the ids of the servers that are shown, `picked` of those that are in colour.
function createCharts({ data, shown, picked, showTooltip }) {
  const views = new Map(); // the place of a chart → its Vega view
  const inView = new Set();
  const ROOM_FOR_LABELS = 640;
  let focus = "";
  let warmUps; // by server and workload, once the trials were unpacked

  const ROWS = {
    "one-level": (place) => ["cells", data.cells[place.dataset.rows]],
    "rates": (place) => ["cells", data.cells[place.dataset.rows]],
    "latencies": (place) => ["cells", data.cells[place.dataset.rows]],
    "model": (place) => ["cells", data.cells[place.dataset.rows]],
    "course-answers": (place) => ["courses", seriesOf(place)],
    "course-latency": (place) => ["courses", seriesOf(place)],
    "course-beside": (place) => ["courses", seriesOf(place)],
    "course-jit": (place) => ["courses", seriesOf(place)],
    "versions-rate": (place) => ["versions", versionsOf(place)],
    "versions-cpu": (place) => ["versions", versionsOf(place)],
    "versions-memory": (place) => ["versions", versionsOf(place)],
    "then-and-now": (place) => ["pairs", data.pairs[place.dataset.rows]],
    "warm-up": (place) => ["windows", windows(warmUps[place.dataset.server][place.dataset.rows])],
  };

  const seriesOf = (place) => data.courses[place.dataset.rows].filter((each) => each.server === place.dataset.of);

  const versionsOf = (place) => data.versions[place.dataset.rows].filter((each) => each.family === place.dataset.of);

  const windows = (starts) => starts.flatMap(([block, rates], start) =>
    rates.map((rate, at) => ({ block, start, window: at + 1, rate })));

  function draw(place) {
    if (views.has(place) || !place.clientWidth || (place.dataset.server && !warmUps)) return;
    const [name, rows] = ROWS[place.dataset.chart](place);
    const spec = structuredClone(data.charts[place.dataset.chart]);
    spec.data.find((each) => each.name === name).values = structuredClone(rows);
    // The page's policy allows no functions that are made of text: expressions are interpreted.
    const view = new vega.View(vega.parse(spec, {}, { ast: true }), {
      renderer: "svg", container: place, hover: true, tooltip: showTooltip, expr: vega.expressionInterpreter,
    });
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
    const coloured = picked();
    const labelled = place.clientWidth >= ROOM_FOR_LABELS;
    const signals = { shown: shown(), coloured, labelled, focus, ink: colour("--muted"), faint: colour("--grid") };
    if (place.dataset.levels) {
      signals.level = Number(document.querySelector(`input[name="${place.dataset.levels}"]:checked`).value);
    }
    if (kind.startsWith("course-")) Object.assign(signals, data.extents[place.dataset.rows]);
    if (kind === "model") signals.members = data.models[place.dataset.rows][place.dataset.model];
    for (const [name, value] of Object.entries(signals)) if (place.signals.has(name)) view.signal(name, value);
    if (kind === "rates") {
      const labels = data.cells[place.dataset.rows].filter((row) => row.last && coloured.includes(row.server)).length;
      view.height(labelled ? Math.max(420, 13 * labels + 90) : 320); // as charts/rates.py has it
    } else if (kind === "model") {
      view.height(170);
    } else if (kind === "warm-up" || kind.startsWith("course-")) {
      view.height(130);
    }
    view.width(place.clientWidth).runAsync();
  }

  function updateAll() {
    for (const place of views.keys()) update(place);
  }

  function drawForPrint() {
    all(".chart").forEach(draw);
    for (const [place, view] of views) {
      update(place);
      view.run();
    }
  }

  function pointAt(server) {
    if (server === focus) return;
    focus = server;
    for (const place of inView) {
      if (views.has(place) && place.signals.has("focus")) views.get(place).signal("focus", server).runAsync();
    }
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

  return { draw, updateAll, drawForPrint, pointAt, setWarmUps: (unpacked) => { warmUps = unpacked; } };
}
