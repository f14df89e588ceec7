"use strict";
// The viewer of sequences. All texts of the data become text nodes; what is out of sight is not drawn.

const data = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const n_sequences = data.sequences.length;
const PART = 120; // positions of a part of a text, which is drawn as a whole
const PANEL = 76, TRACK = 18, ERRORS = 7, BAND = 70, GAP = 6; // heights in pixels
const NEAREST = 12, WIDEST = 24; // pixels of a position: at first at most, and at the largest scale
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
    const errors = data.true === null ? "" : `, ${each.errors} of ${each.known} wrong`;
    const words = `${each.name} (${each.length} rows${errors})${beginning(each.number)}`;
    return make("option", { value: each.number }, words);
  }));
  const count = shown.length.toLocaleString("en");
  element("count").textContent = `${count} of ${n_sequences.toLocaleString("en")} sequences` +
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

function describe(position) {
  const label = (code) => data.labels[code];
  const truth = isKnown(position) ? `, true ${label(data.true[position])}` : "";
  return `row ${position - first}, predicted ${label(data.predicted[position])}${truth}`;
}

function inspect(position) {
  const colour = (code) => (data.colors[code] === null ? "" : `c${data.colors[code]}`);
  const [row, rows] = [position - first, end - first].map((number) => number.toLocaleString("en"));
  const parts = [make("h2", {}, `Row ${row} of ${rows}`)];
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
  for (const column of data.columns) inputs.append(make("dt", {}, column.name), make("dd", {}, cell(column, position)));
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

const chart = {
  width: 0, // pixels of a position
  least() { return Math.min(NEAREST, element("stage").clientWidth / Math.max(end - first, 1)); },
  columns() { return data.columns.filter((column, i) => !column.levels && element(`column${i}`).checked); },
  height() {
    const tracks = (data.true === null ? 1 : 2) * (TRACK + GAP) + (data.true === null ? 0 : ERRORS + GAP);
    return this.columns().length * (PANEL + GAP) + tracks + BAND + GAP + 18;
  },
  draw(stage) {
    stage.className = "stage chart";
    const words = "Inputs, labels and probabilities over time; the slider above moves through them";
    this.canvas = make("canvas", { role: "img", "aria-label": words });
    this.spacer = make("div", { "aria-hidden": "true" });
    this.spacer.style.height = "1px";
    stage.replaceChildren(this.canvas, this.spacer);
    this.width = this.least();
    this.ranges = new Map(data.columns.map((column) => [column, this.range(column)]));
    stage.onscroll = () => this.paint();
    const under = (event) => {
      const x = event.clientX - stage.getBoundingClientRect().left + stage.scrollLeft;
      return Math.max(first, Math.min(end - 1, first + Math.floor(x / this.width)));
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
    const stage = element("stage"), middle = (at - first + 0.5) * this.width - stage.scrollLeft;
    this.width = by === 0 ? this.least() : Math.max(this.least(), Math.min(WIDEST, this.width * by));
    this.resize();
    stage.scrollLeft = (at - first + 0.5) * this.width - Math.max(0, Math.min(stage.clientWidth, middle));
    this.paint();
  },
  mark(isScrolled) {
    const stage = element("stage"), x = (at - first + 0.5) * this.width;
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
    for (const [position, colour] of [[at, style("--link")], [this.hovered ?? at, style("--quiet")]]) {
      pen.fillStyle = colour;
      pen.fillRect((position - first + 0.5) * this.width - stage.scrollLeft - 0.75, 0, 1.5, this.height() - 18);
    }
  },
  drawn() { // all but the cursors, on a canvas that is kept until what is in sight changes
    const drawing = make("canvas"), pen = drawing.getContext("2d");
    const stage = element("stage"), ratio = window.devicePixelRatio || 1;
    [drawing.width, drawing.height] = [Math.max(this.canvas.width, 1), Math.max(this.canvas.height, 1)];
    const wide = stage.clientWidth, w = this.width, left = stage.scrollLeft;
    const begin = first + Math.max(0, Math.floor(left / w) - 1);
    const stop = Math.min(end, first + Math.ceil((left + wide) / w) + 1);
    const x = (position) => (position - first) * w - left;
    const [line, text, quiet, wrong] = ["--c0", "--text", "--quiet", "--wrong"].map(style);
    const fills = data.colors.map((number) => style(number === null ? "--none" : `--c${number}`));
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = "11px system-ui, sans-serif";
    const notes = [], by = Math.max(1, Math.floor(1 / w)); // positions of a pixel
    let y = 2;
    for (const column of this.columns()) {
      this.line(pen, column, begin, stop, x, y, line);
      const [low, high] = this.ranges.get(column);
      notes.push([`${column.name}  ${low} to ${high}`, y + 11]);
      y += PANEL + GAP;
    }
    const track = (codes, name) => {
      for (let i = begin; i < stop;) {
        let j = i + by;
        while (j < stop && codes[j] === codes[i]) j += by;
        if (codes[i] >= 0) {
          pen.fillStyle = fills[codes[i]];
          pen.fillRect(x(i), y, Math.max(x(j) - x(i), 0.5), TRACK);
        }
        i = j;
      }
      notes.push([name, y + 13]);
      y += TRACK + GAP;
    };
    if (data.true !== null) {
      track(data.true, "true");
      pen.fillStyle = wrong;
      for (let i = begin, drawn = -1; i < stop; i++) {
        if (!isWrong(i) || Math.floor(i / by) === drawn) continue;
        pen.fillRect(x(i), y, Math.max(w, 1), ERRORS);
        drawn = Math.floor(i / by);
      }
      y += ERRORS + GAP;
    }
    track(data.predicted, "predicted");
    for (let i = begin; i < stop; i += by) {
      let top = y + BAND;
      for (const [code, share] of chancesOf(i)) {
        pen.fillStyle = fills[code];
        pen.fillRect(x(i), top - share * BAND, Math.max(w * by, 1) + 0.3, share * BAND);
        top -= share * BAND;
      }
    }
    notes.push(["probability", y + 12]);
    y += BAND + GAP;
    pen.fillStyle = quiet;
    const ticks = Math.max(1, Math.pow(10, Math.ceil(Math.log10(80 / w))));
    for (let i = Math.ceil((begin - first) / ticks) * ticks; i < stop - first; i += ticks) {
      pen.fillText(String(i), x(first + i) + 2, y + 9);
    }
    for (const [note, height] of notes) {
      const size = pen.measureText(note).width;
      pen.globalAlpha = 0.78;
      pen.fillStyle = style("--ground");
      pen.fillRect(2, height - 10, size + 6, 14);
      pen.globalAlpha = 1;
      pen.fillStyle = text;
      pen.fillText(note, 5, height);
    }
    return drawing;
  },
  line(pen, column, begin, stop, x, y, colour) {
    const [low, high] = this.ranges.get(column), w = this.width;
    const height = (value) => y + 14 + (PANEL - 16) * (1 - (value - low) / (high - low || 1));
    pen.strokeStyle = colour;
    pen.fillStyle = colour;
    pen.lineWidth = 1.2;
    if (w < 0.5) { // the lowest and the highest value of each pixel
      const by = Math.floor(1 / w);
      for (let i = begin - (begin - first) % by; i < stop; i += by) {
        let least = Infinity, most = -Infinity;
        for (let j = i; j < Math.min(i + by, end); j++) {
          const value = column.values[j];
          if (value !== null) { least = Math.min(least, value); most = Math.max(most, value); }
        }
        if (least <= most) pen.fillRect(x(i), height(most), 1.2, Math.max(height(least) - height(most), 1.2));
      }
      return;
    }
    pen.beginPath();
    let isDown = false;
    for (let i = begin; i < stop; i++) {
      const value = column.values[i];
      if (value === null) { isDown = false; continue; }
      if (isDown) pen.lineTo(x(i) + w / 2, height(value));
      else pen.moveTo(x(i) + w / 2, height(value));
      if (!isDown && (i + 1 === stop || column.values[i + 1] === null)) {
        pen.fillRect(x(i) + w / 2 - 1, height(value) - 1, 2, 2);
      }
      isDown = true;
    }
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
