// Keeps the list up to date: requests the page again and replaces the old list by the new one.
"use strict";
(() => {
  const EVERY = 2000;
  const list = () => document.getElementById("sweeps");
  let before = list().innerHTML;
  // A name for each element that can have the focus, the same in the old list and in the new one.
  const nameOf = (each) => each.value ?? each.getAttribute("href") ?? each.getAttribute("aria-label");

  async function look() {
    try {
      if (document.hidden) return;
      const answer = await fetch(location.href, { cache: "no-store" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const now = page.getElementById("sweeps");
      if (now && now.innerHTML !== before) {
        const ticked = new Set([...document.querySelectorAll("input:checked")].map((box) => box.value));
        const focused = nameOf(document.activeElement);
        before = now.innerHTML;
        list().replaceWith(now);
        for (const each of list().querySelectorAll("input, a, [tabindex]")) {
          if (each.matches("input")) each.checked = ticked.has(each.value);
          if (focused && nameOf(each) === focused) each.focus();
        }
      }
    } catch {
      // The server does not answer for now: the last list stays.
    } finally {
      setTimeout(look, EVERY);
    }
  }
  setTimeout(look, EVERY);
})();
