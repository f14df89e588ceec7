"use strict";
// The viewer of sequences. All texts of the data become text nodes; what is out of sight is not drawn.

const data = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const n_sequences = data.sequences.length;
const PART = 120; // positions of a part of a text, which is drawn as a whole
const PANEL = 76, TRACK = 18, ERRORS = 7, BAND = 70, GAP = 6, AXIS = 32; // heights in pixels
const NEAREST = 12, WIDEST = 24; // pixels of a position: at first at most, and at the largest scale
const LONGEST = 8e6; // pixels of a sequence at the largest scale, which browsers can scroll
const TICK = 84; // pixels between ticks at least
const MOST_OPTIONS = 1000, MOST_CHANCES = 6;

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") node.className = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function counted(number, noun) { return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`; }

// --- the data ---------------------------------------------------------------------------------------

const firstChance = new Uint32Array(data.chances.counts.length + 1);
data.chances.counts.forEach((count, i) => { firstChance[i + 1] = firstChance[i] + count; });

function chancesOf(position) {
  const chances = [];
  for (let i = firstChance[position]; i < firstChance[position + 1]; i++) {
    chances.push([data.chances.labels[i], data.chances.values[i] / 10000]);
  }
  return chances;
}

function chanceOf(position, label) {
  for (let i = firstChance[position]; i < firstChance[position + 1]; i++) {
    if (data.chances.labels[i] === label) return data.chances.values[i] / 10000;
  }
  return 0;
}

const isKnown = (position) => data.true !== null && data.true[position] >= 0;
const isWrong = (position) => isKnown(position) && data.true[position] !== data.predicted[position];

function cell(column, position) {
  const code = column.levels ? column.codes[position] : column.values[position];
  if (code === null || code === -1) return "–";
  return column.levels ? column.levels[code] : String(code);
}

const opening = data.view === "words" ? data.columns[Number(element("column").value)] : null;

function beginning(number) {
  if (!opening) return "";
  const [begin, stop] = [data.offsets[number], Math.min(data.offsets[number + 1], data.offsets[number] + 8)];
  const text = Array.from({ length: stop - begin }, (_, i) => cell(opening, begin + i)).join(" ");
  return `: ${text.slice(0, 60)}${stop < data.offsets[number + 1] ? " …" : ""}`;
}

const summaries = data.sequences.map((name, number) => {
  let errors = 0, known = 0, least = 1;
  for (let i = data.offsets[number]; i < data.offsets[number + 1]; i++) {
    errors += isWrong(i);
    known += isKnown(i);
    least = Math.min(least, chanceOf(i, data.predicted[i]));
  }
  return { number, name, errors, known, least, length: data.offsets[number + 1] - data.offsets[number] };
});

// --- times ------------------------------------------------------------------------------------------

const SECOND = 1, MINUTE = 60, HOUR = 3600, DAY = 86400, MONTH = 30.5 * DAY, YEAR = 365.25 * DAY;
const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30,
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE), ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14].map((days) => days * DAY)];
const MONTHS = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200];

const two = (number) => String(number).padStart(2, "0");

function dateOf(seconds) {
  const date = new Date(Math.round(seconds * 1000));
  return `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
}

function clockOf(seconds, step = 0) { // with as many parts as steps of so many seconds need, or all that are not 0
  const date = new Date(Math.round(seconds * 1000)), parts = date.getUTCMilliseconds();
  const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
  if (step >= MINUTE) return clock;
  const isWhole = step >= SECOND || (!step && !parts);
  return `${clock}:${two(date.getUTCSeconds())}${isWhole ? "" : `.${String(parts).padStart(3, "0")}`}`;
}

function dayOf(seconds) { // of a time of day in a sequence that goes on after midnight
  return seconds < DAY ? "" : `day ${Math.floor(seconds / DAY) + 1}`;
}

function timeText(value) {
  if (data.times.kind === "number") return String(Number(value.toPrecision(12)));
  const day = data.times.kind === "date" ? dateOf(value) : dayOf(value);
  return `${day} ${clockOf(value)}`.trim();
}

function roundStep(least) { // the next 1, 2 or 5 times a power of ten
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  return power * [1, 2, 5, 10].find((digit) => digit * power >= least * (1 - 1e-9));
}

// Ticks between two values, at least so far apart: value, text and, where that is a time, its day.
function ticksOf(from, to, least) {
  const ticks = [];
  if (data.times.kind === "number") {
    const step = roundStep(least);
    for (let k = Math.ceil(from / step); k * step <= to; k++) ticks.push([k * step, timeText(k * step), ""]);
    return ticks;
  }
  const step = STEPS.find((each) => each >= least), isDate = data.times.kind === "date";
  if (step === undefined && isDate) {
    const months = MONTHS.find((each) => each * MONTH >= least) ?? 12 * roundStep(least / YEAR);
    const date = new Date(from * 1000);
    for (let k = Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / months) * months; ; k += months) {
      const value = new Date(0).setUTCFullYear(Math.floor(k / 12), k % 12, 1) / 1000;
      if (value > to) return ticks;
      if (value >= from) ticks.push([value, dateOf(value).slice(0, months < 12 ? -3 : -6), ""]);
    }
  }
  const by = step ?? Math.ceil(least / DAY) * DAY;
  for (let k = Math.ceil(from / by); k * by <= to; k++) {
    const value = k * by, day = isDate ? dateOf(value) : dayOf(value);
    ticks.push(by >= DAY ? [value, day || "day 1", ""] : [value, clockOf(value, by), day]);
  }
  return ticks;
}

// --- choosing a sequence ----------------------------------------------------------------------------

let shown = [], current = -1, first = 0, end = 0, at = 0;

function hasLabel(number, label, where) {
  for (let i = data.offsets[number]; i < data.offsets[number + 1]; i++) {
    const isThere = (where !== "predicted" && isKnown(i) && data.true[i] === label) ||
      (where !== "true" && data.predicted[i] === label);
    if (isThere && (where !== "wrong" || isWrong(i))) return true;
  }
  return false;
}

const ORDERS = {
  file: null,
  errors: (a, b) => b.errors - a.errors,
  share: (a, b) => b.errors / Math.max(b.known, 1) - a.errors / Math.max(a.known, 1),
  least: (a, b) => a.least - b.least,
  length: (a, b) => b.length - a.length,
};

function list() {
  const text = element("find").value.toLowerCase();
  const label = element("label").value === "" ? null : Number(element("label").value);
  const where = element("where").value;
  shown = summaries.filter((each) => each.name.toLowerCase().includes(text) &&
    (label === null ? where !== "wrong" || each.errors > 0 : hasLabel(each.number, label, where)));
  const order = ORDERS[element("order").value];
  if (order) shown.sort((a, b) => order(a, b) || a.number - b.number);
  const select = element("sequence");
  select.replaceChildren(...shown.slice(0, MOST_OPTIONS).map((each) => {
    const errors = data.true === null ? "" : `, ${[each.errors, each.known].map((number) => number.toLocaleString("en")).join(" of ")} wrong`;
    const words = `${each.name} (${counted(each.length, "row")}${errors})${beginning(each.number)}`;
    return make("option", { value: each.number }, words);
  }));
  const count = shown.length.toLocaleString("en");
  element("count").textContent = `${count} of ${counted(n_sequences, "sequence")}` +
    (shown.length > MOST_OPTIONS ? `, the first ${MOST_OPTIONS} listed` : "");
  if (!shown.length) return;
  if (!shown.some((each) => each.number === current)) open(shown[0].number);
  select.value = String(current);
  buttons();
}

function place() { return shown.findIndex((each) => each.number === current); }

function buttons() {
  element("previous").disabled = place() <= 0;
  element("next").disabled = place() < 0 || place() >= shown.length - 1;
}

function step(by) {
  const next = shown[place() + by];
  if (next) open(next.number);
}

function open(number, position = 0) {
  current = number;
  [first, end] = [data.offsets[number], data.offsets[number + 1]];
  element("sequence").value = String(number);
  element("at").max = String(end - first - 1);
  buttons();
  draw();
  go(first + Math.min(position, end - first - 1));
}

// --- the position -----------------------------------------------------------------------------------

function time(position, before = "") { // text of the position's time, if there is one
  const value = data.times?.values[position] ?? null;
  return value === null ? "" : before + timeText(value);
}

function describe(position) {
  const label = (code) => data.labels[code];
  const truth = isKnown(position) ? `, true ${label(data.true[position])}` : "";
  return `row ${position - first}${time(position, ", ")}, predicted ${label(data.predicted[position])}${truth}`;
}

function inspect(position) {
  const colour = (code) => (data.colors[code] === null ? "" : `c${data.colors[code]}`);
  const [row, rows] = [position - first, end - first].map((number) => number.toLocaleString("en"));
  const parts = [make("h2", {}, `Row ${row} of ${rows}`)];
  if (time(position)) parts.push(make("p", { class: "time" }, `${data.times.title}: ${time(position)}`));
  const labels = make("dl");
  labels.append(make("dt", {}, "predicted"), make("dd", { class: isWrong(position) ? "wrong" : "" },
    data.labels[data.predicted[position]] + (isWrong(position) ? " (wrong)" : "")));
  if (isKnown(position)) labels.append(make("dt", {}, "true"), make("dd", {}, data.labels[data.true[position]]));
  const chances = make("div", { class: "chances" });
  for (const [code, share] of chancesOf(position).sort((a, b) => b[1] - a[1]).slice(0, MOST_CHANCES)) {
    const bar = make("i", { class: colour(code) });
    bar.style.width = `${100 * share}%`;
    const text = make("span", { class: "number" }, String(Number(share.toPrecision(4))));
    chances.append(make("span", {}, data.labels[code]), text, bar);
  }
  const inputs = make("dl");
  const others = data.columns.filter((column) => !time(position) || column.name !== data.times.column);
  for (const column of others) inputs.append(make("dt", {}, column.name), make("dd", {}, cell(column, position)));
  element("inspector").replaceChildren(...parts, labels, chances, inputs);
}

function go(position, isScrolled = true) {
  at = Math.max(first, Math.min(end - 1, position));
  const range = element("at");
  range.value = String(at - first);
  range.setAttribute("aria-valuetext", describe(at));
  element("of").textContent = `${at - first}`;
  inspect(at);
  view.mark(isScrolled);
  history.replaceState(null, "", `#${current}.${at - first}`);
}

function nextError(by) {
  for (let i = at + by; i >= first && i < end; i += by) {
    if (isWrong(i)) { go(i); return; }
  }
}

const KEYS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -10, ArrowDown: 10, PageUp: -100, PageDown: 100 };

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key in KEYS) go(at + KEYS[event.key]);
  else if (event.key === "Home") go(first);
  else if (event.key === "End") go(end - 1);
  else if (event.key === "e" || event.key === "E") nextError(event.key === "e" ? 1 : -1);
  else return;
  event.preventDefault();
}

// --- words ------------------------------------------------------------------------------------------

function segments() {
  // Runs of positions that both tracks continue: an entity of each, or none.
  const runs = [];
  for (let i = first; i < end; i++) {
    const isSame = i > first && data.goes_on.predicted[i] === "1" &&
      (data.true === null || data.goes_on.true[i] === "1");
    if (isSame) runs[runs.length - 1][1] = i + 1;
    else runs.push([i, i + 1]);
  }
  return runs;
}

function segmentNode(begin, stop, column) {
  const row = make("span", { class: "row" });
  for (let i = begin; i < stop; i++) row.append(make("span", { class: "word", "data-at": i }, cell(column, i)), " ");
  const code = data.predicted[begin], colour = data.colors[code], wrong = isWrong(begin);
  const isPlain = colour === null && !wrong;
  const node = make(isPlain ? "span" : "mark", {
    class: `segment${isPlain ? " plain" : ""}${wrong ? " wrong" : ""}${colour === null ? "" : ` c${colour}`}`,
  }, row);
  if (isPlain) return node;
  const note = make("small", {}, colour === null ? "none" : data.types[code]);
  if (wrong) {
    const truth = data.true[begin];
    const isOnlyPlace = data.types[truth] === data.types[code]; // the type is right, and not where it begins or ends
    const name = data.colors[truth] === null ? "none" : isOnlyPlace ? data.labels[truth] : data.types[truth];
    if (isOnlyPlace) note.textContent = data.labels[code];
    note.append(" ", make("b", {}, `true: ${name}`));
  }
  node.append(note);
  return node;
}

const words = {
  draw(stage) {
    stage.className = "stage words";
    const column = data.columns[Number(element("column").value)];
    const parts = [];
    for (const segment of segments()) {
      const last = parts[parts.length - 1];
      if (!last || segment[1] - last.begin > PART) parts.push({ begin: segment[0], segments: [segment] });
      else last.segments.push(segment);
    }
    const fill = (node) => {
      if (node.childElementCount) return;
      const part = parts[Number(node.dataset.part)];
      node.append(...part.segments.map(([begin, stop]) => segmentNode(begin, stop, column)));
      node.style.height = "";
      this.mark(false);
    };
    this.parts = parts;
    this.fill = fill;
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) fill(entry.target);
        else if (entry.target.childElementCount && Number(entry.target.dataset.part) !== this.partOf(at)) {
          entry.target.style.height = `${entry.target.offsetHeight}px`;
          entry.target.replaceChildren();
        }
      }
      if (this.isPinned) this.align(); // parts that were drawn above may be higher than they were taken for
    }, { root: stage, rootMargin: "600px" });
    stage.replaceChildren(...parts.map((part, number) => {
      const node = make("div", { class: "part", "data-part": number });
      return node;
    }));
    fill(stage.children[0]);
    const height = stage.children[0].offsetHeight / parts[0].segments.length;
    for (const [number, node] of [...stage.children].entries()) {
      if (number) node.style.height = `${height * parts[number].segments.length}px`; // until it has been drawn
      this.observer.observe(node);
    }
    for (const name of ["wheel", "touchstart", "pointerdown"]) {
      stage.addEventListener(name, () => { this.isPinned = false; }, { passive: true });
    }
    stage.onmouseover = (event) => { if (event.target.dataset.at) inspect(Number(event.target.dataset.at)); };
    stage.onmouseleave = () => inspect(at);
    stage.onclick = (event) => { if (event.target.dataset.at) go(Number(event.target.dataset.at), false); };
    stage.onmousemove = null;
    stage.onscroll = null;
  },
  clear() { if (this.observer) this.observer.disconnect(); },
  partOf(position) { return this.parts.findLastIndex((part) => part.begin <= position); },
  mark(isScrolled) {
    const stage = element("stage");
    stage.querySelector(".here")?.classList.remove("here");
    if (isScrolled) {
      this.isPinned = true;
      this.fill(stage.children[this.partOf(at)]);
    }
    stage.querySelector(`[data-at="${at}"]`)?.classList.add("here");
    if (isScrolled) this.align();
  },
  align() {
    const stage = element("stage"), node = stage.querySelector(".here");
    if (!node) return;
    const [box, room] = [node.getBoundingClientRect(), stage.getBoundingClientRect()];
    if (box.top < room.top || box.bottom > room.bottom) stage.scrollTop += box.top - room.top - room.height / 3;
  },
};

// --- numbers over time ------------------------------------------------------------------------------

function style(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

const BEYOND = 1.5; // median steps that a position takes up before and after it at most; others are gaps
const FONT = '11px system-ui, "DejaVu Sans", sans-serif';

function tag(pen, words, x, y, [ground, ink, opacity] = ["--ground", "--text", 0.85]) {
  pen.globalAlpha = opacity;
  pen.fillStyle = style(ground);
  pen.fillRect(x - 3, y - 10, pen.measureText(words).width + 6, 14);
  pen.globalAlpha = 1;
  pen.fillStyle = style(ink);
  pen.fillText(words, x, y);
}

const chart = {
  width: 0, // pixels of a position, on average
  middles: [], begins: [], ends: [], // of each position of the sequence; as a whole it is as long as its positions
  least() { return Math.min(NEAREST, element("stage").clientWidth / Math.max(end - first, 1)); },
  columns() { return data.columns.filter((column, i) => !column.levels && element(`column${i}`).checked); },
  height() {
    const tracks = (data.true === null ? 1 : 2) * (TRACK + GAP) + (data.true === null ? 0 : ERRORS + GAP);
    return this.columns().length * (PANEL + GAP) + tracks + BAND + GAP + AXIS;
  },
  isTimed() { return (data.times?.values[first] ?? null) !== null && element("axis").value === "time"; },
  most() {
    const steps = this.middles.slice(1).map((middle, i) => middle - this.middles[i]).filter((step) => step > 0).sort();
    const usual = Math.max(steps[steps.length >> 1] ?? 1, 1e-12);
    return Math.max(Math.min(WIDEST / usual, LONGEST / (end - first)), Math.min(WIDEST, LONGEST / (end - first)));
  },
  arrange() { // positions by their times, else one after another
    const n = end - first;
    this.middles = Float64Array.from({ length: n }, (_, i) => i + 0.5);
    this.begins = this.middles.map((middle) => middle - 0.5);
    this.ends = this.middles.map((middle) => middle + 0.5);
    if (!this.isTimed()) return;
    const origin = data.times.values[first], unit = (data.times.values[end - 1] - origin) / Math.max(n - 1, 1);
    this.middles = this.middles.map((_, i) => 0.5 + (data.times.values[first + i] - origin) / unit);
    const steps = this.middles.slice(1).map((middle, i) => middle - this.middles[i]);
    const risen = steps.filter((step) => step > 0).sort(), usual = risen[risen.length >> 1];
    const half = (step) => Math.min((step ?? usual) / 2, BEYOND * usual);
    this.begins = this.middles.map((middle, i) => middle - half(steps[i - 1]));
    this.ends = this.middles.map((middle, i) => middle + half(steps[i]));
  },
  nearest(place) { // the position in whose cell, or next to which, a place is
    let low = 0, high = this.middles.length - 1;
    while (low < high) {
      const mid = (low + high) >> 1;
      if ((this.middles[mid] + this.middles[mid + 1]) / 2 > place) high = mid;
      else low = mid + 1;
    }
    return first + low;
  },
  x(position) { return this.middles[position - first] * this.width; },
  draw(stage) {
    stage.className = "stage chart";
    const words = "Inputs, labels and probabilities over time; the slider above moves through them";
    this.canvas = make("canvas", { role: "img", "aria-label": words });
    this.spacer = make("div", { "aria-hidden": "true" });
    this.spacer.style.height = "1px";
    stage.replaceChildren(this.canvas, this.spacer);
    this.arrange();
    this.width = this.least();
    this.ranges = new Map(data.columns.map((column) => [column, this.range(column)]));
    stage.onscroll = () => this.paint();
    const under = (event) => {
      const x = event.clientX - stage.getBoundingClientRect().left + stage.scrollLeft;
      return this.nearest(x / this.width);
    };
    stage.onmousemove = (event) => { this.hovered = under(event); inspect(this.hovered); this.paint(false); };
    stage.onmouseleave = () => { this.hovered = null; inspect(at); this.paint(false); };
    stage.onclick = (event) => go(under(event), false);
    stage.onmouseover = null;
    this.resize();
  },
  clear() { this.hovered = null; },
  range(column) {
    if (column.levels) return null;
    let low = Infinity, high = -Infinity;
    for (let i = first; i < end; i++) {
      const value = column.values[i];
      if (value !== null) { low = Math.min(low, value); high = Math.max(high, value); }
    }
    return low > high ? [0, 1] : [low, high];
  },
  resize() {
    const stage = element("stage"), ratio = window.devicePixelRatio || 1;
    this.spacer.style.width = `${this.width * (end - first)}px`;
    const [wide, high] = [stage.clientWidth, this.height()];
    this.canvas.style.width = `${wide}px`;
    this.canvas.style.height = `${high}px`;
    this.canvas.width = wide * ratio;
    this.canvas.height = high * ratio;
    this.paint();
  },
  zoom(by) {
    const stage = element("stage"), middle = this.x(at) - stage.scrollLeft;
    this.width = by === 0 ? this.least() : Math.max(this.least(), Math.min(this.most(), this.width * by));
    this.resize();
    stage.scrollLeft = this.x(at) - Math.max(0, Math.min(stage.clientWidth, middle));
    this.paint();
  },
  mark(isScrolled) {
    const stage = element("stage"), x = this.x(at);
    if (isScrolled && (x < stage.scrollLeft || x > stage.scrollLeft + stage.clientWidth)) {
      stage.scrollLeft = x - stage.clientWidth / 2;
    }
    this.paint(false);
  },
  paint(isOther = true) {
    this.isOther ||= isOther;
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = 0; if (view === this) this.render(); });
  },
  render() {
    if (this.isOther) this.drawing = this.drawn();
    this.isOther = false;
    const stage = element("stage"), ratio = window.devicePixelRatio || 1, pen = this.canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.drawing, 0, 0);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const bottom = this.height() - AXIS, under = this.hovered ?? at;
    for (const [position, colour] of [[under, style("--quiet")], [at, style("--link")]]) {
      pen.fillStyle = colour;
      pen.fillRect(this.x(position) - stage.scrollLeft - 0.75, 0, 1.5, bottom);
    }
    pen.font = FONT;
    for (const [note, y] of this.notes) tag(pen, note, 5, y); // over the cursors, which else cover letters
    if (this.isTimed()) {
      const words = time(under), size = pen.measureText(words).width;
      const x = Math.max(5, Math.min(stage.clientWidth - size - 5, this.x(under) - stage.scrollLeft - size / 2));
      tag(pen, words, x, bottom + 12, ["--text", "--ground", 1]);
    }
  },
  groups(begin, stop) { // first positions of what falls on one pixel, and the end
    const groups = [];
    for (let i = begin, pixel = NaN; i < stop; i++) {
      const own = Math.floor(this.x(i));
      if (own !== pixel) groups.push(i);
      pixel = own;
    }
    return [...groups, stop];
  },
  drawn() { // all but notes and cursors, on a canvas that is kept until what is in sight changes
    const drawing = make("canvas"), pen = drawing.getContext("2d");
    const stage = element("stage"), ratio = window.devicePixelRatio || 1;
    [drawing.width, drawing.height] = [Math.max(this.canvas.width, 1), Math.max(this.canvas.height, 1)];
    const wide = stage.clientWidth, w = this.width, left = stage.scrollLeft;
    const groups = this.groups(
      Math.max(first, this.nearest(left / w) - 1), Math.min(end, this.nearest((left + wide) / w) + 2));
    const n_groups = groups.length - 1;
    const whole = (x) => Math.round(x * ratio) / ratio; // pixels of the screen, so that there are no seams
    const from = (position) => whole(this.begins[position - first] * w - left);
    const to = (position) => whole(this.ends[position - first] * w - left);
    const [line, wrong] = ["--c0", "--wrong"].map(style);
    const fills = data.colors.map((number) => style(number === null ? "--none" : `--c${number}`));
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = FONT;
    this.notes = [];
    let y = 2;
    for (const column of this.columns()) {
      this.line(pen, column, groups, y, line);
      const [low, high] = this.ranges.get(column);
      this.notes.push([`${column.name}  ${low} to ${high}`, y + 11]);
      y += PANEL + GAP;
    }
    const track = (codes, name) => {
      for (let g = 0; g < n_groups;) {
        const code = codes[groups[g]], start = from(groups[g]);
        let stop = to(groups[++g] - 1);
        while (g < n_groups && codes[groups[g]] === code && from(groups[g]) - stop < 1) stop = to(groups[++g] - 1);
        if (code < 0) continue;
        pen.fillStyle = fills[code];
        pen.fillRect(start, y, Math.max(stop - start, 0.5), TRACK);
      }
      this.notes.push([name, y + 13]);
      y += TRACK + GAP;
    };
    if (data.true !== null) {
      track(data.true, "true");
      pen.fillStyle = wrong;
      for (let g = 0; g < n_groups; g++) {
        let i = groups[g];
        while (i < groups[g + 1] && !isWrong(i)) i++;
        if (i < groups[g + 1]) pen.fillRect(from(i), y, Math.max(to(i) - from(i), 1), ERRORS);
      }
      y += ERRORS + GAP;
    }
    track(data.predicted, "predicted");
    for (let g = 0; g < n_groups; g++) {
      const x = from(groups[g]), size = Math.max(to(groups[g + 1] - 1) - x, 1);
      let top = y + BAND;
      for (const [code, share] of chancesOf(groups[g])) {
        pen.fillStyle = fills[code];
        pen.fillRect(x, top - share * BAND, size, share * BAND);
        top -= share * BAND;
      }
    }
    this.notes.push(["probability", y + 12]);
    this.axis(pen, left, wide, y + BAND + GAP);
    return drawing;
  },
  axis(pen, left, wide, y) {
    const w = this.width;
    pen.fillStyle = style("--quiet");
    const tick = (x, words, below = "") => {
      pen.fillRect(x - 0.5, y - GAP, 1, 4);
      pen.fillText(words, x + 2, y + 9);
      if (below) pen.fillText(below, x + 2, y + 22);
    };
    if (!this.isTimed()) {
      const step = Math.max(1, roundStep(TICK / w));
      for (let i = Math.ceil(left / w / step) * step; i < Math.min((left + wide) / w, end - first); i += step) {
        tick((i + 0.5) * w - left, String(i));
      }
      return;
    }
    const values = data.times.values, origin = values[first];
    const unit = (values[end - 1] - origin) / (end - first - 1); // of a position, on average
    const valueAt = (x) => origin + ((left + x) / w - 0.5) * unit;
    let day = null;
    for (const [value, words, below] of ticksOf(valueAt(0), Math.min(valueAt(wide), values[end - 1]), TICK * unit / w)) {
      tick(((value - origin) / unit + 0.5) * w - left, words, below === day ? "" : below);
      day = below;
    }
  },
  line(pen, column, groups, y, colour) { // of many values on a pixel the first, the lowest, the highest and the last
    const [low, high] = this.ranges.get(column), left = element("stage").scrollLeft;
    const height = (value) => y + 14 + (PANEL - 16) * (1 - (value - low) / (high - low || 1));
    pen.strokeStyle = colour;
    pen.fillStyle = colour;
    pen.lineWidth = 1.2;
    pen.beginPath();
    let n_joined = 0, x = 0, last = 0;
    const close = () => { if (n_joined === 1) pen.fillRect(x - 1, height(last) - 1, 2, 2); n_joined = 0; };
    for (let g = 0; g + 1 < groups.length; g++) {
      let lowest = Infinity, highest = -Infinity, begin = null;
      for (let i = groups[g]; i < groups[g + 1]; i++) {
        const value = column.values[i];
        if (value === null) continue;
        begin ??= value;
        lowest = Math.min(lowest, value);
        highest = Math.max(highest, value);
        last = value;
      }
      if (begin === null) { close(); continue; }
      x = this.x(groups[g]) - left;
      if (n_joined) pen.lineTo(x, height(begin));
      else pen.moveTo(x, height(begin));
      n_joined += 1;
      if (lowest === highest) continue;
      for (const value of [lowest, highest, last]) pen.lineTo(x, height(value));
      n_joined += 1;
    }
    close();
    pen.stroke();
  },
};

// --- the page ---------------------------------------------------------------------------------------

let view = data.view === "words" ? words : chart;

function draw() {
  words.clear();
  chart.clear();
  const shownFor = view === words ? "words" : "numbers";
  for (const node of document.querySelectorAll("[data-for]")) node.hidden = node.dataset.for !== shownFor;
  view.draw(element("stage"));
}

function redraw() { draw(); go(at); }

for (const [name, which] of [["words", words], ["numbers", chart]]) {
  element(`as-${name}`)?.addEventListener("change", () => { view = which; redraw(); });
}
for (const id of ["find", "order", "label", "where"]) element(id).addEventListener("input", list);
element("sequence").addEventListener("change", (event) => open(Number(event.target.value)));
element("previous").addEventListener("click", () => step(-1));
element("next").addEventListener("click", () => step(1));
element("at").addEventListener("input", (event) => go(first + Number(event.target.value)));
element("at").addEventListener("keydown", (event) => { if (event.key.toLowerCase() === "e") pressed(event); });
element("stage").addEventListener("keydown", pressed);
element("error")?.addEventListener("click", () => nextError(1));
element("column")?.addEventListener("change", redraw);
element("axis")?.addEventListener("change", redraw);
for (const box of document.querySelectorAll("#columns input")) box.addEventListener("change", redraw);
element("in")?.addEventListener("click", () => chart.zoom(2));
element("out")?.addEventListener("click", () => chart.zoom(0.5));
element("fit")?.addEventListener("click", () => chart.zoom(0));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (view === chart) chart.paint(); });
new ResizeObserver(() => {
  if (view !== chart || !chart.canvas) return;
  chart.width = Math.max(chart.width, chart.least());
  chart.resize();
}).observe(element("main"));

const isWide = matchMedia("(min-width: 62rem)");

function fitList() {
  element("filters").open = isWide.matches;
  element("sequence").size = isWide.matches ? Math.min(Math.max(n_sequences, 2), 6) : 1;
}

isWide.addEventListener("change", fitList);
fitList();

const asked = /^#(\d+)\.(\d+)$/.exec(location.hash);
list();
if (asked && Number(asked[1]) < n_sequences) open(Number(asked[1]), Number(asked[2]));
else if (data.opened !== null) open(data.opened);
