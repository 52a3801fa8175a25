// The servers that are picked: a box for each, one for each family, and presets. Charts show the others not at all; of
// many servers in grey, unless the reader hides them too. A panel of one server is there if it is picked.

// `onChange` is called when other servers are picked, `onPoint` with the server that is pointed at, or "".
function createPicker({ onChange, onPoint }) {
  const picker = document.getElementById("picker");
  const boxes = all("input.one", picker);
  const hide = document.getElementById("hide"); // there if there are many servers
  const year = Number(picker.dataset.year); // of the study, if the sweep has one

  const picked = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const shown = () => hide && !hide.checked ? boxes.map((box) => box.value) : picked();

  function apply() {
    for (const family of all("fieldset", picker)) {
      const members = all("input.one", family);
      const on = members.filter((box) => box.checked).length;
      const box = family.querySelector("input.family");
      box.checked = on === members.length;
      box.indeterminate = on > 0 && on < members.length;
    }
    document.getElementById("count").textContent = `${picked().length} of ${boxes.length}`;
    const ids = new Set(shown());
    for (const row of all("tr[data-server]")) row.hidden = !ids.has(row.dataset.server);
    for (const panel of all("figure[data-server]")) panel.hidden = !picked().includes(panel.dataset.server);
    onChange();
  }

  // What another load of the page needs to show what this one does.
  const state = () => ({
    boxes: Object.fromEntries(boxes.map((box) => [box.value, box.checked])),
    hide: hide?.checked,
  });
  function restore(was) {
    for (const box of boxes) box.checked = was.boxes[box.value] ?? box.checked;
    if (hide) hide.checked = was.hide ?? hide.checked;
    apply();
  }

  const presets = {
    all: () => true,
    core: (box) => box.defaultChecked,
    none: () => false,
    then: (box) => Number(box.dataset.year) <= year,
    now: (box) => Number(box.dataset.year) > year,
  };

  picker.addEventListener("change", ({ target }) => {
    if (target.matches(".family")) {
      for (const box of all("input.one", target.closest("fieldset"))) box.checked = target.checked;
    }
    apply();
  });
  for (const button of all("button[data-preset]", picker)) {
    button.addEventListener("click", () => {
      for (const box of boxes) box.checked = presets[button.dataset.preset](box);
      apply();
    });
  }
  for (const label of all("label.server", picker)) {
    const server = label.querySelector("input").value;
    for (const event of ["pointerenter", "focusin"]) label.addEventListener(event, () => onPoint(server));
    for (const event of ["pointerleave", "focusout"]) label.addEventListener(event, () => onPoint(""));
  }

  const wide = matchMedia("(min-width: 75rem)");
  const fold = () => { picker.querySelector("details").open = wide.matches; };
  wide.addEventListener("change", fold);
  fold();
  picker.hidden = false;

  return { picked, shown, apply, state, restore };
}
