// The trials and warm-ups of a server. They are packed, and are unpacked when the first server is opened.

function createTrials({ charts, sorting }) {
  let details;

  async function unpack() {
    const packed = Uint8Array.from(atob(document.getElementById("packed-trials").textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    details ??= await new Response(stream).json();
    charts.setWarmUps(details.warmUps);
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
    for (const heading of [...details.trials.headings, "output"]) {
      const cell = head.appendChild(document.createElement("th"));
      cell.scope = "col";
      cell.textContent = heading;
    }
    const body = table.createTBody();
    for (const trial of details.trials.rows[server.dataset.id] ?? []) listTrial(body.insertRow(), trial);
    sorting.make(table);
  }

  const figure = new Intl.NumberFormat("en-US", { maximumFractionDigits: 4 });

  // The last value of a trial is the address of what ab printed.
  function listTrial(row, trial) {
    for (const each of trial.slice(0, -1)) {
      const cell = row.insertCell();
      const [text, value] = Array.isArray(each) ? each : typeof each === "number" ? [figure.format(each), each] : [each];
      cell.textContent = text ?? "";
      if (value !== undefined) cell.dataset.value = value;
      else if (text) cell.className = "text";
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

  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target?.matches("details")) {
      target.open = true;
      target.scrollIntoView();
    }
  }

  for (const server of all("details.server")) {
    server.addEventListener("toggle", async () => {
      if (!server.open) return;
      if (!details) await unpack();
      listTrials(server);
      all(".chart", server).forEach(charts.draw);
    });
  }
  addEventListener("hashchange", openTarget);
  openTarget();
}
