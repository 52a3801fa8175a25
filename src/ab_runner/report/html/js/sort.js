// Tables whose rows a reader sorts by a column: a press of its heading sorts, another turns the order round, and a third
// brings back the order in which the rows came.

function createSorting() {
  const OTHER = { ascending: "descending", descending: "ascending" };
  const tables = new Map(); // a table → its rows as they came, and the column and direction by which they are sorted
  let wanted = {}; // the same by a table's name, for tables that are made later

  const nameOf = (table) => table.closest(".scroller").getAttribute("aria-label");
  // A cell of figures has its figure in data-value, which is empty where there is nothing to be sorted by.
  const figureOf = (cell) => (cell.dataset.value ? Number(cell.dataset.value) : null);
  const textOf = (cell) => (cell.dataset.value ?? cell.textContent.trim()) || null;
  const isOfFigures = (cells) => cells.some((cell) => cell.dataset.value);

  // Rows without what a column is sorted by are last in both directions.
  function sorted(rows, column, direction) {
    const sign = direction === "ascending" ? 1 : -1;
    const areFigures = isOfFigures(rows.map((row) => row.cells[column]));
    const keyOf = areFigures ? figureOf : textOf;
    const compare = areFigures ? (a, b) => a - b : (a, b) => a.localeCompare(b, "en", { numeric: true });
    const keyed = rows.map((row) => [keyOf(row.cells[column]), row]);
    const having = keyed.filter(([key]) => key !== null).sort(([a], [b]) => sign * compare(a, b));
    return [...having, ...keyed.filter(([key]) => key === null)].map(([, row]) => row);
  }

  // Without an order the rows are as they came.
  function sort(table, order) {
    const each = tables.get(table);
    each.order = order;
    for (const heading of all("thead th", table)) {
      if (order && heading.cellIndex === order[0]) heading.setAttribute("aria-sort", order[1]);
      else heading.removeAttribute("aria-sort");
    }
    table.tBodies[0].append(...(order ? sorted(each.rows, ...order) : each.rows));
  }

  // Figures may begin with the highest; names begin with the first of the alphabet.
  function press(table, column) {
    const { order, rows } = tables.get(table);
    const areFigures = isOfFigures(rows.map((row) => row.cells[column]));
    const first = (areFigures && table.dataset.first) || "ascending";
    const direction = order?.[0] === column ? order[1] : undefined;
    if (direction === undefined) sort(table, [column, first]);
    else sort(table, direction === first ? [column, OTHER[first]] : undefined);
  }

  // Makes the headings of a table buttons.
  function make(table) {
    tables.set(table, { rows: [...table.tBodies[0].rows] });
    for (const heading of all("thead th", table)) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => press(table, heading.cellIndex));
      heading.append(button);
    }
    if (wanted[nameOf(table)]) sort(table, wanted[nameOf(table)]);
  }

  // What another load of the page needs to sort as this one does.
  const state = () => ({
    ...wanted,
    ...Object.fromEntries([...tables].map(([table, { order }]) => [nameOf(table), order])),
  });
  function restore(orders) {
    wanted = orders;
    for (const table of tables.keys()) if (wanted[nameOf(table)]) sort(table, wanted[nameOf(table)]);
  }

  all("main table").forEach(make);
  return { make, state, restore };
}
