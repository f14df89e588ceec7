// Tables that a click or a key on a heading sorts.
"use strict";

const MISSING = "–";

function numberIn(text) {
  // The number that a cell starts with, NaN where there is none: "<0.001", "−1.2*†", "3–7", "1,234", "+∞".
  const plain = text.replace(/−/g, "-").replace(/(\d),(?=\d{3})/g, "$1");
  const found = plain.match(/^([<>]?)\s*([+-]?)(∞|\d+(\.\d+)?(e[+-]?\d+)?)/);
  if (!found) return NaN;
  const size = found[3] === "∞" ? Infinity : Number(found[3]);
  const nudge = { "<": 1 - 1e-9, ">": 1 + 1e-9, "": 1 }[found[1]];
  return (found[2] === "-" ? -size : size) * nudge;
}

function comparison(texts) {
  // How two cells of a column are compared, and whether cells have values at all.
  const present = texts.filter((text) => text && text !== MISSING);
  if (present.length && present.every((text) => !Number.isNaN(numberIn(text)))) {
    return (one, other) => numberIn(one) - numberIn(other) || 0;
  }
  return (one, other) => one.localeCompare(other, "en", { numeric: true });
}

function sortRows(rows, column, direction) {
  const text = (row) => row.cells[column].textContent.trim();
  const compare = comparison(rows.map(text));
  const isMissing = (value) => !value || value === MISSING;
  return [...rows].sort((one, other) => {
    const [a, b] = [text(one), text(other)];
    if (isMissing(a) || isMissing(b)) return isMissing(a) - isMissing(b); // last, whatever the direction
    return direction * compare(a, b);
  });
}

function makeSortable(table) {
  const original = [...table.tBodies[0].rows];
  const heads = [...table.querySelectorAll("thead th[scope=col]")];
  for (const head of heads) {
    const button = document.createElement("button");
    button.type = "button";
    button.title = head.title ? `${head.title} (sort)` : "Sort";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" }[head.getAttribute("aria-sort")];
      heads.forEach((each) => each.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", next);
      table.classList.toggle("sorted", next !== "none");
      const direction = next === "ascending" ? 1 : -1;
      const rows = next === "none" ? original : sortRows(original, Number(head.dataset.column ?? head.cellIndex), direction);
      table.tBodies[0].append(...rows);
    });
  }
}
