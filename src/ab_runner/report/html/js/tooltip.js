// The figures of the point that the pointer is on.

// Returns the function that Vega calls with the item that is pointed at.
function createTooltip() {
  const tip = document.getElementById("tip");

  return function show(_, event, item, value) {
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
  };
}
