// On a page that is served while its sweep is running: says that there are newer results, and loads them for a
// reader who follows.

// `newer` is the line that says so.
function follow({ newer, picker, sorting, theme }) {
  const FOLLOWS = `follows ${location.pathname}`;
  const CHOSEN = `chosen ${location.pathname}`;
  const EVERY = 2000;
  // Making the page takes CPU time, which may disturb the sweep: a page that follows is loaded this often at most.
  const PATIENCE = 30_000;
  const loaded = performance.now();
  const isRunning = newer.dataset.running === "yes";
  const isFollowed = () => isRunning && sessionStorage.getItem(FOLLOWS) !== null;
  let isOld = false;

  // Pages are never cached, so a new one would begin in its first state: the reader's choices and position are carried
  // over.
  const nameOf = (each) => `${each.closest("[id]").id} ${each.querySelector("summary").textContent}`;
  const topOf = (place) => place.getBoundingClientRect().top;
  function loadAgain() {
    const place = all("main [id]").filter((each) => each.checkVisibility() && topOf(each) <= 0).at(-1);
    sessionStorage.setItem(CHOSEN, JSON.stringify({
      picked: picker.state(),
      sorted: sorting.state(),
      levels: Object.fromEntries(all(".levels input:checked").map((level) => [level.name, level.value])),
      open: Object.fromEntries(all("main details").map((each) => [nameOf(each), each.open])),
      theme: root.dataset.theme,
      place: place && [place.id, topOf(place)],
    }));
    history.scrollRestoration = "manual";
    location.reload();
  }
  function chooseAgain({ picked, sorted, levels, open, theme: scheme, place }) {
    sessionStorage.removeItem(CHOSEN);
    for (const level of all(".levels input")) if (levels[level.name] === level.value) level.checked = true;
    for (const each of all("main details")) each.open = open[nameOf(each)] ?? each.open;
    if (scheme) root.dataset.theme = scheme;
    picker.restore(picked);
    sorting.restore(sorted);
    theme.repaint();
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
  const start = button("Follow it", () => {
    sessionStorage.setItem(FOLLOWS, "");
    tell();
    stop.focus();
  });
  const stop = button("Stop", () => {
    sessionStorage.removeItem(FOLLOWS);
    tell();
    start.focus();
  });
  function tell() {
    if (isFollowed()) newer.replaceChildren("Following the sweep: new results appear every half minute. ", stop);
    else if (isOld) newer.replaceChildren("The sweep has newer results than this page shows. ", show, ...(isRunning ? [" ", start] : []));
    else if (isRunning) newer.replaceChildren("The sweep is running: this page shows its results so far. ", start);
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
