// Elements: tables that are sorted and saved as CSV, charts with the table of their numbers, saved as SVG and PNG.
"use strict";

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

function save(address, name) {
  element("a", { href: address, download: name }).click();
}

const fileName = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "").slice(0, 60);

function csv(columns, rows) {
  const quoted = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [columns.map(([head]) => head), ...rows.map((row) => columns.map(([, raw]) => raw(row)))];
  return lines.map((line) => line.map(quoted).join(",")).join("\n") + "\n";
}

function saveCsv(title, columns, rows) {
  const blob = new Blob([csv(columns, rows)], { type: "text/csv" });
  const link = URL.createObjectURL(blob);
  save(link, `${fileName(title)}.csv`);
  setTimeout(() => URL.revokeObjectURL(link), 1000);
}

// Columns are [head, value of a row for the CSV file, what its cell shows (the value unless given), class of the cell].
function table(title, columns, rows, nWords = 1) {
  const cell = (row, [, raw, shown, style], place) => {
    const content = shown ? shown(row) : raw(row);
    const attributes = { class: style ? style(row) : null, scope: place < nWords ? "row" : null };
    return element(place < nWords ? "th" : "td", attributes, content ?? DASH);
  };
  const head = columns.map(([name], place) => element(
    "th", { scope: "col", class: place < nWords ? "word" : null, "data-column": place }, name,
  ));
  const made = element("table", {},
    element("caption", { class: "hidden-text" }, title),
    element("thead", {}, element("tr", {}, head)),
    element("tbody", {}, rows.map((row) => element("tr", {}, columns.map((column, place) => cell(row, column, place))))));
  if (rows.length > 1) makeSortable(made);
  return element("div", { class: "wide", role: "region", tabindex: 0, "aria-label": title }, made);
}

function tableWithTools(title, columns, rows, nWords = 1) {
  const button = element("button", { type: "button", onclick: () => saveCsv(title, columns, rows) }, "Save as CSV");
  return element("div", {}, table(title, columns, rows, nWords), element("div", { class: "tools" }, button));
}

// --- charts ---

function theme() {
  const style = getComputedStyle(document.documentElement);
  const colours = {};
  for (const name of ["best", "near", "behind", "open", "text", "quiet", "line", "ground"]) {
    colours[`$${name}`] = style.getPropertyValue(`--${name}`).trim();
  }
  return colours;
}

function configuration(colours) {
  const font = "system-ui, 'DejaVu Sans', sans-serif";
  return {
    background: colours.$ground, font,
    view: { stroke: null },
    axis: { labelColor: colours.$text, titleColor: colours.$quiet, gridColor: colours.$line, domainColor: colours.$open,
      tickColor: colours.$open, labelFontSize: 11, titleFontSize: 11, titleFontWeight: "normal" },
    legend: { labelColor: colours.$text, titleColor: colours.$quiet, labelFontSize: 12, titleFontWeight: "normal" },
    title: { color: colours.$text, anchor: "start", fontSize: 14 },
  };
}

function specification(name, rows, titles, colours) {
  let text = JSON.stringify(CHARTS[name]);
  for (const [word, colour] of Object.entries(colours)) text = text.replaceAll(`"${word}"`, `"${colour}"`);
  const made = { ...JSON.parse(text), data: { values: rows } };
  for (const layer of [made, ...(made.layer ?? [])]) {
    for (const [channel, title] of Object.entries(titles)) if (layer.encoding?.[channel]) layer.encoding[channel].title = title;
  }
  if (name === "confusion" && rows.every((row) => row.predicted_name.length < 3)) made.encoding.x.axis.labelAngle = 0;
  return made;
}

const LOG_ERRORS = 1; // Vega's level: its warnings are for those who write specifications

const drawn = []; // what has to be drawn again when colours change

// Matrices: a column needs room for its texts, and more than there is of it scrolls.
const MATRICES = { wins: { columns: "other", each: 36, names: 210 }, confusion: { columns: "predicted", each: 13, names: 60 } };

async function draw(figure, name, rows, titles) {
  const colours = theme();
  const matrix = MATRICES[name];
  const least = matrix ? matrix.names + matrix.each * distinct(rows, matrix.columns).length : 0;
  const place = element("div", { style: `width: 100%; min-width: ${least}px` });
  figure.append(place); // what was drawn before stays until this is
  const config = configuration(colours);
  config.legend.columns = place.clientWidth < 500 ? 2 : 5;
  config.axisY = { labelLimit: Math.max(110, Math.min(260, place.clientWidth * 0.38)) }; // names of methods, on a phone too
  const options = { renderer: "svg", actions: false, config, logLevel: LOG_ERRORS };
  const { view } = await vegaEmbed(place, specification(name, rows, titles, colours), options);
  view.addEventListener("click", (_, item) => {
    if (item?.datum?.address) location.hash = item.datum.address;
  });
  figure.replaceChildren(place);
  const graphic = place.querySelector("svg");
  graphic?.setAttribute("aria-hidden", "true"); // the figure has a text and a table
}

async function saveChart(title, name, rows, titles, kind) {
  const colours = theme();
  const made = { ...specification(name, rows, titles, colours), width: 760, title, padding: 12 };
  const options = { renderer: "svg", actions: false, config: configuration(colours), logLevel: LOG_ERRORS };
  const { view } = await vegaEmbed(document.createElement("div"), made, options);
  if (kind === "svg") {
    const text = await view.toSVG();
    save(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`, `${fileName(title)}.svg`);
  } else {
    save(await view.toImageURL("png", 2), `${fileName(title)}.png`);
  }
  view.finalize();
}

function chart(title, name, rows, columns, titles = {}, text = "", isListed = () => true) {
  // A figure: its title says what it shows, and its numbers are in a table below, but for rows that fill up a picture.
  const place = element("div", { class: "drawing", role: "img", "aria-label": `${title}. ${text} The table below has the numbers.` });
  const button = (kind, act) => element("button", { type: "button", onclick: act, "aria-label": `${kind}: ${title}` }, kind);
  const made = element("figure", { class: "chart" },
    element("figcaption", {}, title),
    place,
    element("details", {},
      element("summary", {}, "Numbers, CSV, SVG, PNG"),
      element("div", { class: "tools" },
        button("CSV", () => saveCsv(title, columns, rows.filter(isListed))),
        button("SVG", () => saveChart(title, name, rows, titles, "svg")),
        button("PNG", () => saveChart(title, name, rows, titles, "png"))),
      table(title, columns, rows.filter(isListed))));
  drawn.push({ place, act: () => draw(place, name, rows, titles) });
  return made;
}

function drawAll() {
  // Once their places are in the page: a chart is as wide as its place.
  for (const { place, act } of drawn) if (place.isConnected && !place.closest("[hidden]")) act();
}

const absent = (text) => element("p", { class: "absent" }, text);
