// The frames inside the page as rows, and texts for values.
"use strict";

const read = (identifier) => JSON.parse(document.getElementById(identifier).textContent);
const DASH = "–";
const WORDS = read("words");
const CHARTS = read("charts");

function unpack(columns) {
  // Rows as objects; the columns are described in packing.py.
  const names = Object.keys(columns);
  const length = names.length ? (columns[names[0]].codes ?? columns[names[0]]).length : 0;
  return Array.from({ length }, (_, row) => Object.fromEntries(names.map((name) => {
    const column = columns[name];
    return [name, column.codes ? column.levels[column.codes[row]] : column[row]];
  })));
}

const DATA = Object.fromEntries(Object.entries(read("data")).map(([name, columns]) => [name, unpack(columns)]));

const NAMES = new Map(DATA.methods.map((row) => [`${row.study}/${row.method}`, row.name]));
const methodName = (study, method) => NAMES.get(`${study}/${method}`) ?? method;

const CASE = ["dataset", "variant", "decoder", "point"];
const POINTS = { choice: "cross-validated choice", peak: "peak of the test curve" };

const TESTED = WORDS.tested; // the metric that the tests compare

// Title, digits and direction of metrics are declared in Python (`treecrf.studies.explored.METRICS`).
const metricOf = (name) => WORDS.metrics[name] ?? { title: name, digits: 2, is_loss: false };
const directed = (name) => `${metricOf(name).title}${metricOf(name).is_loss ? ", lower is better" : ""}`;
const gain = (row) => (metricOf(row.metric).is_loss ? -row.value : row.value); // more is better
const bestFirst = (one, other) => gain(other) - gain(one);
const valueText = (row, value = row.value) => fixed(value, metricOf(row.metric).digits);

const distinct = (rows, column) => [...new Set(rows.map((row) => row[column]))];
const matches = (row, wanted) => Object.entries(wanted).every(([name, value]) => row[name] === value);
const where = (rows, wanted) => rows.filter((row) => matches(row, wanted));

function fixed(value, digits = 2) {
  return value === null || value === undefined ? DASH : value.toFixed(digits).replace("-", "−");
}
const signed = (value) => (value > 0 ? "+" : "") + fixed(value);
function seconds(value) {
  if (value === null || value === undefined) return DASH;
  return value.toFixed(value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
}
const pText = (value) => (value === null ? DASH : value < 0.001 ? "<0.001" : fixed(value, 3));
const counted = (n, unit) => `${n} ${unit}${n === 1 ? "" : "s"}`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);
function listed(names) {
  if (names.some((name) => name.includes(","))) return names.join("; ");
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names.join("");
}

// Standings are declared in Python (`treecrf.statistics.ranking.STANDINGS`).
const [BEST, EQUIVALENT, CLOSE, NOT_SEPARATED, BEHIND] = WORDS.standings, UNTESTED = WORDS.untested, REFERENCE = WORDS.reference;
const isRanked = (row) => WORDS.standings.includes(row.standing);
const isTop = (row) => WORDS.top.includes(row.standing);
const isRival = (row) => row.standing !== REFERENCE;
const variantText = (row) => [row.variant, WORDS.decoders[row.decoder] ?? row.decoder].filter(Boolean).join(", ");
const datasetText = (row) => (row.stand_in ? `${row.dataset} (stand-in)` : row.dataset);
