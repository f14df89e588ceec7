// The frames inside the page as rows, what the address chooses of them, and texts for values.
"use strict";

try { document.documentElement.dataset.theme = localStorage.getItem("theme") ?? "auto"; } catch { /* no storage: the system decides */ }

const read = (identifier) => JSON.parse(document.getElementById(identifier).textContent);
const DASH = "–";
const WORDS = read("words");

function unpack(columns) {
  // Rows as objects; `pack` of page.py describes the columns.
  const names = Object.keys(columns);
  const length = names.length ? (columns[names[0]].codes ?? columns[names[0]]).length : 0;
  return Array.from({ length }, (_, row) => Object.fromEntries(names.map((name) => {
    const column = columns[name];
    return [name, column.codes ? column.levels[column.codes[row]] : column[row]];
  })));
}

const DATA = Object.fromEntries(Object.entries(read("data")).map(([name, columns]) => [name, unpack(columns)]));
const CASE = ["dataset", "variant", "decoder", "point"];
const KEY = ["study", ...CASE, "method"];
const TESTED = WORDS.tested; // the metric that the tests compare

const distinct = (rows, column) => [...new Set(rows.map((row) => row[column]))];
const where = (rows, wanted) => rows.filter((row) => Object.entries(wanted).every(([name, value]) => row[name] === value));
const pick = (row, names) => Object.fromEntries(names.map((name) => [name, row[name]]));
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

// --- the address: "#leaderboard?study=training&metric=accuracy" ---

function readAddress() {
  const [view, query] = location.hash.slice(1).split("?");
  return { view, chosen: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

function address(view, chosen) {
  const known = Object.entries(chosen).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  return `#${view}?${new URLSearchParams(known)}`;
}

const cellAddress = (row) => address("cell", pick(row, KEY));
const methodAddress = (row) => address("method", pick(row, ["study", "variant", "decoder", "point", "metric", "method"]));
const pairAddress = (row) => address("pair", pick(row, ["study", "variant", "decoder", "point", "method", "other"]));

// --- standings, declared in Python (`treecrf.statistics.ranking`) ---

const [BEST, EQUIVALENT, , , SEPARATED] = WORDS.standings;
const isRanked = (row) => WORDS.standings.includes(row.standing) && (row.metric ?? TESTED) === TESTED; // other metrics are not tested
const isRival = (row) => row.standing !== WORDS.reference;
const isBold = (row) => isRival(row) && (row.gap === 0 || (isRanked(row) && row.standing === EQUIVALENT));
const KINDS = {
  best: ["●", "highest"], near: ["○", "no test finds a better method"], behind: ["◆", "a test finds a better method"],
  open: ["■", "not tested"], reference: ["✚", "reference: no competitor, not ranked"],
};

function kindOf(row) {
  // What the shape of a mark says.
  if (!isRival(row)) return "reference";
  if (!isRanked(row)) return "open";
  return row.standing === BEST ? "best" : row.standing === SEPARATED ? "behind" : "near";
}

const kindText = (row) => KINDS[kindOf(row)][1];
const isUnseparated = (row) => isRanked(row) && row.standing !== SEPARATED; // the rule of all pages
const testedGap = (row) => (isRanked(row) ? (row.standing === BEST ? 0 : row.gap_points) : null); // what the test estimates: its intervals are of this number

// --- texts ---

const NAMES = new Map(DATA.methods.map((row) => [`${row.study}/${row.method}`, row.name]));
const nameOf = (row, method = row.method) => NAMES.get(`${row.study}/${method}`) ?? method;
const POINTS = { choice: "chosen by cross-validation", peak: "from the peak of the test curve" };
const metricOf = (name) => WORDS.metrics[name] ?? { title: name, digits: 2, is_loss: false };
const extreme = (metric) => (metricOf(metric).is_loss ? "lowest" : "highest");
const bestFirst = (one, other) => (metricOf(one.metric).is_loss ? one.value - other.value : other.value - one.value);
const isKnown = (value) => value !== null && value !== undefined;
const fixed = (value, digits = 2) => (isKnown(value) ? value.toFixed(digits).replace("-", "−") : DASH);
const signed = (value, digits = 2) => (value > 0 ? "+" : "") + fixed(value, digits);
const between = (low, high) => (isKnown(low) && isKnown(high) ? `${signed(low)} to ${signed(high)}` : DASH);
const valueText = (row, value = row.value) => fixed(value, metricOf(row.metric).digits);
const secondsText = (value) => fixed(value, value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
const pText = (value) => (!isKnown(value) ? DASH : value < 0.001 ? "<0.001" : fixed(value, 3));
const counted = (n, unit) => `${n} ${unit}${n === 1 ? "" : "s"}`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const conditionText = (row) => [row.variant, row.decoder && `decoder ${WORDS.decoders[row.decoder] ?? row.decoder}`, `settings ${POINTS[row.point]}`].filter(Boolean).join(", ");
const LARGER = Object.fromEntries(DATA.larger.map((row) => [row.sample, row.dataset]));
const notes = (row) => [row.stand_in && "stand-in", LARGER[row.dataset] && `larger sample of ${LARGER[row.dataset]}`, WORDS.repeated[row.dataset] && `${WORDS.repeated[row.dataset]} in other folds`].filter(Boolean).join(", ");
const aboutSet = (name) => WORDS.datasets[name] ?? null; // what a row is, for tips
const familyOf = (study, method) => WORDS.families[`${study}/${method}`] ?? (NAMES.get(`${study}/${method}`) ?? method).match(/^(?:[a-z]+-)?[a-z]+/i)?.[0] ?? method;
const datasetText = (row) => row.dataset + notes(row).replace(/^(.+)$/, " ($1)");
const listed = (texts, last = "and") => (texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} ${last} ${texts.at(-1)}`);
const ranksText = (row) => (isKnown(row.rank_low) ? (row.rank_low === row.rank_high ? `${row.rank_low}` : `${row.rank_low}–${row.rank_high}`) : DASH);
