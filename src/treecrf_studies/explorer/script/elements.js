// Elements: tables that are sorted and saved as CSV, choices, tips, and arrow keys that move between marks.
"use strict";

function element(tag, attributes = {}, ...children) {
  const made = tag.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (isKnown(value) && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => isKnown(child) && child !== false));
  return made;
}

const absent = (text) => element("p", { class: "absent" }, text);
const link = (href, text) => element("a", { href }, text);

// --- tables ---

function save(address, name) {
  element("a", { href: address, download: name }).click();
}

const fileName = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "").slice(0, 60);

function csv(columns, rows) {
  const quoted = (value) => {
    const text = isKnown(value) ? String(value) : "";
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [columns.map(([head]) => head), ...rows.map((row) => columns.map(([, raw]) => raw(row)))];
  return lines.map((line) => line.map(quoted).join(",")).join("\n") + "\n";
}

const csvButton = (title, columns, rows) => element("button", {
  type: "button", "aria-label": `CSV: ${title}`, onclick: () => save(`data:text/csv;charset=utf-8,${encodeURIComponent(csv(columns, rows))}`, `${fileName(title)}.csv`),
}, "CSV");

const breakable = (text) => text.split(/(?<=_)/).flatMap((part, place) => (place ? [element("wbr"), part] : [part]));

function columnsForm(title, columns, nWords, isShown) {
  // Which columns a table shows; the address has those that differ from what is shown at first.
  const { view, chosen } = readAddress(), changed = (chosen.columns ?? "").split(",").filter(Boolean);
  const tick = (name) => () => { location.hash = address(view, { ...chosen, columns: changed.includes(name) ? changed.filter((each) => each !== name) : [...changed, name] }); };
  return element("details", { class: "columns" }, element("summary", {}, "Columns"), element("fieldset", {}, columns.slice(nWords).map(([head, , , , isExtra]) => element("label", {},
    element("input", { type: "checkbox", id: `column-${fileName(title)}-${fileName(head)}`, checked: isShown(head, isExtra), onchange: tick(fileName(head)) }), head))));
}

function table(title, columns, rows, nWords = 1) {
  // Columns are [head, value of a row for the CSV file, what its cell shows (the value unless given), class of the cell, whether it is hidden at first].
  const changed = (readAddress().chosen.columns ?? "").split(","), isShown = (head, isExtra) => Boolean(isExtra) === changed.includes(fileName(head));
  const shown = columns.filter(([head, , , , isExtra], place) => place < nWords || isShown(head, isExtra));
  const cell = (row, [, raw, text, style], place) => element(place < nWords ? "th" : "td",
    { class: style?.(row), scope: place < nWords ? "row" : null }, (text ?? raw)(row) || DASH);
  const made = element("table", { class: shown.length < 4 ? "narrow" : null },
    element("caption", { class: "hidden-text" }, title),
    element("thead", {}, element("tr", {}, shown.map(([head], place) => element(
      "th", { scope: "col", class: place < nWords ? "word" : null, "data-column": place, title: aboutSet(head) }, breakable(head))))),
    element("tbody", {}, rows.map((row) => element("tr", {}, shown.map((column, place) => cell(row, column, place))))));
  if (rows.length > 1) makeSortable(made);
  return element("div", { class: "exhibit" },
    element("div", { class: "wide", role: "region", tabindex: 0, "aria-label": title }, made),
    element("div", { class: "tools" }, csvButton(title, columns, rows), columns.length > nWords + 4 ? columnsForm(title, columns, nWords, isShown) : null));
}

// --- tips and keys ---

const TIP = element("div", { id: "tip", hidden: true });
document.body.append(TIP);

function showTip(event) {
  const mark = event.target.closest?.("[data-tip]");
  TIP.hidden = !mark;
  if (!mark) return;
  TIP.textContent = mark.dataset.tip;
  const box = mark.getBoundingClientRect();
  TIP.style.left = `${Math.max(4, Math.min(box.left + box.width / 2 - TIP.offsetWidth / 2, document.documentElement.clientWidth - TIP.offsetWidth - 4))}px`;
  TIP.style.top = `${box.top > TIP.offsetHeight + 10 ? box.top - TIP.offsetHeight - 6 : box.bottom + 6}px`;
}

for (const name of ["pointerover", "focusin"]) addEventListener(name, showTip);
addEventListener("focusout", () => { TIP.hidden = true; });
addEventListener("scroll", () => { TIP.hidden = true; }, true);

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function moveFocus(event) {
  // The arrow keys go to the nearest mark in their direction: the marks of a picture are one stop of the tab key.
  if (event.key === "Escape") TIP.hidden = true;
  const from = event.target.closest?.("[data-mark]"), arrow = ARROWS[event.key];
  if (!from || !arrow) return;
  event.preventDefault();
  const middle = (mark) => { const box = mark.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; };
  const [x, y] = middle(from);
  const ahead = [...from.closest("[data-marks]").querySelectorAll("[data-mark]")].map((mark) => {
    const [across, down] = [middle(mark)[0] - x, middle(mark)[1] - y];
    const along = across * arrow[0] + down * arrow[1], aside = Math.abs(across * arrow[1]) + Math.abs(down * arrow[0]);
    return { mark, along, far: along + 2 * aside };
  }).filter(({ mark, along }) => mark !== from && along > 0.5).sort((one, other) => one.far - other.far);
  if (!ahead.length) return;
  from.setAttribute("tabindex", -1);
  ahead[0].mark.setAttribute("tabindex", 0);
  ahead[0].mark.focus();
}
addEventListener("keydown", moveFocus);

// --- choices ---

const LABELS = { study: "Study", metric: "Metric", point: "Settings", decoder: "Decoder", variant: "Condition" };
const TEXTS = {
  study: (value) => WORDS.studies[value], point: (value) => POINTS[value], decoder: (value) => WORDS.decoders[value] ?? (value || "one"),
  variant: (value) => value || "as given",
};

const isOfSpans = (metric) => metric.endsWith(WORDS.spans);
const spanSets = () => distinct(DATA.scores.filter((row) => isOfSpans(row.metric)), "dataset");

function preferred(name, options, rows) {
  // Where nothing is chosen: the decoder that cross-validation prefers, a condition under which methods are tested.
  if (name === "decoder" && options.includes("better")) return "better";
  if (name === "metric" && rows.every((row) => spanSets().includes(row.dataset))) return options.find((metric) => metric.startsWith("F1")) ?? options[0];
  return name === "variant" ? rows.find(isRanked)?.variant ?? options[0] : options[0];
}

function choices(chosen, metrics = DATA.scores) {
  // What there is to choose from, one choice after another, and what is chosen of it.
  const found = {}, named = (chosen.data ?? "").split(",").filter(Boolean);
  let rows = metrics;
  for (const name of Object.keys(LABELS)) {
    const options = distinct(rows, name);
    const ofSets = rows.filter((row) => !named.length || named.includes(row.dataset));
    const value = options.includes(chosen[name]) ? chosen[name] : preferred(name, options, ofSets.length ? ofSets : rows);
    found[name] = { options, value };
    rows = where(rows, { [name]: value });
  }
  const options = distinct(rows, "dataset"), there = named.filter((name) => options.includes(name));
  found.data = { options, value: there.length ? there : options };
  rows = rows.filter((row) => found.data.value.includes(row.dataset));
  const texts = (chosen.search ?? "").toLowerCase().split(",").map((each) => each.trim()).filter(Boolean), sets = ownSets(rows);
  if (texts.length) rows = rows.filter((row) => texts.some((each) => nameOf(row).toLowerCase().includes(each)));
  if (chosen.whole) rows = [...Map.groupBy(rows, (row) => row.method).values()].filter((all) => sets.every((name) => all.some((row) => row.dataset === name))).flat();
  return { found: { ...found, search: { value: chosen.search ?? "" }, whole: { value: chosen.whole ?? "" } }, rows };
}

function grouped(options) {
  // Options by what follows the comma of their texts, such as "20 % missing, by the label".
  const groups = Map.groupBy(options, ([words]) => words.split(", ").slice(1).join(", "));
  const made = [...groups].map(([head, all]) => (head && groups.size > 1 && all.length > 1 ? element("optgroup", { label: capital(head) }, all.map(([, option]) => option)) : all.map(([, option]) => option)));
  return made.flat();
}

function controls(view, found, more = {}) {
  const now = { ...Object.fromEntries(Object.entries(found).map(([name, { value }]) => [name, value])), columns: readAddress().chosen.columns, ...more };
  const to = (changed) => {
    if (changed.study) return address(view, { ...pick(now, ["search", "whole", "columns"]), ...changed }); // it has conditions of its own
    const next = { ...now, ...changed };
    return address(view, { ...next, data: next.data.length === found.data.options.length ? "" : next.data });
  };
  const go = (changed) => { location.hash = to(changed); };
  const search = (event) => {
    history.replaceState(null, "", to({ search: event.target.value }));
    show();
  };
  const selects = Object.keys(LABELS).filter((name) => name === "study" || found[name].options.length > 1).map((name) => element(
    "label", {}, LABELS[name],
    element("select", { id: `choose-${view}-${name}`, onchange: (event) => go({ [name]: event.target.value }) },
      grouped(found[name].options.map((value) => [(TEXTS[name] ?? String)(value), element("option", { value, selected: value === found[name].value }, (TEXTS[name] ?? String)(value))])))));
  const why = element("span", { class: "why", role: "status" });
  const tick = (name) => (event) => {
    const kept = found.data.options.filter((each) => (each === name ? event.target.checked : found.data.value.includes(each)));
    event.target.checked ||= !kept.length;
    if (kept.length) go({ data: kept });
    else why.textContent = "One data set has to stay: tick another one first.";
  };
  const boxes = found.data.options.length < 2 ? null : element("fieldset", {}, element("legend", {}, "Data sets"),
    found.data.options.map((name) => element("label", {}, element("input", {
      type: "checkbox", id: `choose-${view}-data-${name}`, checked: found.data.value.includes(name), onchange: tick(name),
    }), element("span", { title: aboutSet(name) }, name))), why);
  const ofMethods = more.method ? null : [
    element("label", {}, "Methods", element("input", { type: "search", id: `choose-${view}-search`, placeholder: "all, or: treecrf, mallet", value: now.search, oninput: search })),
    element("label", { class: "tick" }, element("input", { type: "checkbox", id: `choose-${view}-whole`, checked: Boolean(now.whole), onchange: (event) => go({ whole: event.target.checked ? 1 : "" }) }), "only those with all data sets")];
  return element("form", { class: "controls", "aria-label": "What is shown", onsubmit: (event) => event.preventDefault() }, selects, ofMethods, element("p", {}, link(to({}), "Link to this view")), boxes);
}

function legend(rows) {
  const there = new Set(rows.map(kindOf));
  return element("ul", { class: "legend" }, Object.entries(KINDS).filter(([kind]) => there.has(kind))
    .map(([kind, [sign, text]]) => element("li", {}, element("b", { class: `sign ${kind}`, "aria-hidden": "true" }, sign), ` ${text}`)),
    rows.some(isBold) ? element("li", {}, element("b", {}, "bold"), ": the highest, and what tests show to be equivalent to it") : null);
}

const testNote = (study, rows) => element("p", { class: "note" }, WORDS.tests[study], rows.some(isRanked)
  ? " The family is all pairs of methods on a data set: p-values are Holm's, intervals Bonferroni's. Where p < 0.05 and the interval contains 0, both are right: Holm's correction finds more." : "");
