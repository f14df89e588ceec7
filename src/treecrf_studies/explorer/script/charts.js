// Charts as SVG: marks are links with a text, the page's style gives colours, and the numbers stand in a table below.
"use strict";

const SIZE = 11; // of texts, in pixels
const SHAPES = { best: "circle", near: "ring", behind: "diamond", open: "square", reference: "cross" };
const PATHS = {
  circle: "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0", ring: "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0", diamond: "M0,-6L6,0L0,6L-6,0Z",
  square: "M-4,-4H4V4H-4Z", cross: "M-1.5,-6H1.5V-1.5H6V1.5H1.5V6H-1.5V1.5H-6V-1.5H-1.5Z",
};

const PEN = document.createElement("canvas").getContext("2d");
PEN.font = `${SIZE}px -apple-system, "Segoe UI", Helvetica, Arial, sans-serif`;
const widthOf = (text) => PEN.measureText(text).width;
const svg = (tag, attributes, ...children) => element(`svg:${tag}`, attributes, ...children);
const text = (x, y, content, attributes = {}) => svg("text", { x, y, ...attributes }, content);

// --- scales ---

function linear(values, from, to, margin = 0.04) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const extra = (most - least || Math.abs(most) * 0.02 || 1) * margin;
  const [low, high] = [least - extra, most + extra];
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((size) => size * power >= rough);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.ceil(low / step);
  const ticks = Array.from({ length: Math.floor(high / step) - first + 1 }, (_, place) => (first + place) * step);
  return { at: (value) => from + ((value - low) / (high - low)) * (to - from), ticks, show: (value) => fixed(value + 0, digits) };
}

function logarithmic(values, from, to) {
  const inner = linear(values.map(Math.log10), from, to);
  const at = (value) => inner.at(Math.log10(value));
  const isInside = (tick) => tick > 0 && at(tick) >= from && at(tick) <= to;
  const steps = Math.max(...values) / Math.min(...values) > 1000 ? [1] : [1, 2, 5];
  const powers = Array.from({ length: 12 }, (_, place) => place - 6);
  const ticks = powers.flatMap((power) => steps.map((step) => step * 10 ** power)).filter(isInside);
  if (ticks.length > 1) return { at, ticks, show: (value) => `${Number(value.toPrecision(1))}` };
  const even = linear(values, from, to); // of values that are near each other
  return { at, ticks: even.ticks.filter(isInside), show: even.show };
}

function axes({ width, height, left, bottom, top }, x, y, titles) {
  const right = width - 8, base = height - bottom;
  const inside = (place, low, high) => place >= low - 0.5 && place <= high + 0.5;
  return svg("g", { class: "axes" },
    x.ticks.filter((tick) => inside(x.at(tick), left, right)).map((tick) => [
      svg("path", { class: tick === 0 && titles.zero ? "zero" : "tick", d: `M${x.at(tick)},${top}V${base}` }),
      text(x.at(tick), base + 14, x.show(tick), { "text-anchor": "middle" })]).flat(),
    y ? y.ticks.filter((tick) => inside(y.at(tick), top, base)).map((tick) => [
      svg("path", { class: "tick", d: `M${left},${y.at(tick)}H${right}` }),
      text(left - 6, y.at(tick) + 4, y.show(tick), { "text-anchor": "end" })]).flat() : null,
    text((left + right) / 2, base + 30, titles.x, { "text-anchor": "middle", class: "quiet" }),
    titles.y ? text(left, 11, titles.y, { class: "quiet" }) : null);
}

// --- marks ---

function markOf({ x, y, shape, colour, tip, href }) {
  const attributes = { class: `mark ${shape}`, tabindex: -1, "data-mark": "", "data-tip": tip, "aria-label": tip, style: colour ? `--mark: ${colour}` : null };
  return svg(href ? "a" : "g", { ...attributes, ...(href ? { href } : { role: "img" }), transform: `translate(${x},${y})` },
    svg("circle", { r: 9, class: "reach" }), svg("path", { d: PATHS[shape] }));
}

function picture(title, { width, height }, ...children) {
  const made = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${title}. Arrow keys move between the marks.`, "data-marks": "" }, ...children);
  made.querySelector("[data-mark]")?.setAttribute("tabindex", 0);
  return made;
}

function strips(title, rows, titles) {
  // Rows with a name, and marks with a value and perhaps an interval on one axis; `thick` is a bar at a value.
  return (width) => {
    const step = 22, top = 6, bottom = 36, height = top + step * rows.length + bottom;
    const left = Math.min(Math.max(...rows.map((row) => widthOf(row.name))) + 14, width * 0.48);
    const marks = rows.flatMap((row, place) => row.marks.map((mark) => ({ ...mark, y: top + step * (place + 0.5) })));
    const ends = marks.flatMap((mark) => [mark.value, mark.low, mark.high]).filter(isKnown);
    const x = linear(titles.zero ? [0, ...ends] : ends, left, width - 14);
    const names = rows.map((row, place) => {
      const shown = text(left - 8, top + step * (place + 0.5) + 4, shortened(row.name, left - 12), { "text-anchor": "end" });
      return row.href ? svg("a", { href: row.href, "aria-label": row.name, tabindex: -1 }, svg("title", {}, row.name), shown) : shown;
    });
    return picture(title, { width, height }, axes({ width, height, left, bottom, top }, x, null, titles), names,
      rows.map((row, place) => (isKnown(row.thick) ? svg("path", { class: "thick", d: `M${x.at(row.thick)},${top + step * place + 4}v${step - 8}` }) : null)),
      marks.filter((mark) => isKnown(mark.low)).map((mark) => svg("path", { class: "spread", style: mark.colour ? `--mark: ${mark.colour}` : null, d: `M${x.at(mark.low)},${mark.y}H${x.at(mark.high)}` })),
      marks.map((mark) => markOf({ ...mark, x: x.at(mark.value) })));
  };
}

function shortened(name, room) {
  let shown = name;
  while (widthOf(shown) > room && shown.length > 4) shown = `${shown.slice(0, -2).trimEnd()}…`;
  return shown;
}

function plane(title, marks, titles, { lines = [], area = null, isLog = false, rules = [] } = {}) {
  // Marks at x and y, with names where there is room; lines are lists of points.
  return (width) => {
    const height = 300, top = 20, bottom = 36, points = [...marks, ...lines.flatMap((line) => line.points)];
    const ys = [...points.map((point) => point.y), ...(area ?? []).flatMap((point) => [point.low, point.high])];
    const scale = linear(ys, height - bottom - 4, top + 4);
    const left = Math.max(...scale.ticks.map((tick) => widthOf(scale.show(tick)))) + 14;
    const x = (isLog ? logarithmic : linear)(points.map((point) => point.x), left + 8, width - 20);
    const place = (point) => `${x.at(point.x).toFixed(1)},${scale.at(point.y).toFixed(1)}`;
    const placed = marks.map((mark) => ({ ...mark, x: x.at(mark.x), y: scale.at(mark.y) }));
    return picture(title, { width, height }, axes({ width, height, left, bottom, top }, x, scale, titles),
      area ? svg("path", { class: "area", d: `M${area.map((point) => place({ x: point.x, y: point.high })).join("L")}L${[...area].reverse().map((point) => place({ x: point.x, y: point.low })).join("L")}Z` }) : null,
      rules.map((at) => svg("path", { class: "rule", d: `M${x.at(at)},${top}V${height - bottom}` })),
      lines.map((line) => svg("path", { class: line.kind, d: `M${line.points.map(place).join("L")}` })),
      names(placed, { left, right: width - 4, top: top - 8, bottom: height - bottom }), placed.map(markOf));
  };
}

function names(marks, room) {
  // A name beside each mark, at the first of some places where it covers neither a mark nor another name; none where all do.
  const taken = marks.map(({ x, y }) => ({ left: x - 7, right: x + 7, top: y - 7, bottom: y + 7 }));
  const covers = (box) => taken.some((other) => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom);
  return marks.filter((mark) => mark.name).map((mark) => {
    const long = widthOf(mark.name), { x, y } = mark;
    const corners = [[x + 9, y - 6], [x - 9 - long, y - 6], [x - long / 2, y - 21], [x - long / 2, y + 8], [x + 7, y - 18], [x + 7, y + 6], [x - 7 - long, y - 18], [x - 7 - long, y + 6]];
    const boxes = corners.map(([left, top]) => ({ left, right: left + long, top, bottom: top + SIZE + 1 }));
    const free = boxes.find((box) => box.left >= room.left && box.right <= room.right && box.top >= room.top && box.bottom <= room.bottom && !covers(box));
    if (!free) return null;
    taken.push(free);
    return text(free.left, free.bottom - 2, mark.name, { class: "name" });
  });
}

// --- figures ---

const drawn = []; // what is drawn again when its place gets another width

function drawAll() {
  // Once their places are in the page: a chart is as wide as its place.
  for (const { place, make } of drawn) {
    const width = Math.round(place.clientWidth);
    if (!place.isConnected || !width || place.dataset.width === `${width}`) continue;
    place.dataset.width = width;
    place.replaceChildren(make(width));
  }
}
new ResizeObserver(drawAll).observe(document.body);

function standalone(make) {
  // The SVG with the style that it has on the page.
  const made = make(760), probe = document.body.appendChild(element("i"));
  const colour = (name) => { probe.style.color = `var(${name}, transparent)`; return getComputedStyle(probe).color; };
  const words = [...document.getElementById("chart-style").textContent.matchAll(/var\((--[\w-]+)\)/g)].map((found) => found[1]);
  const values = [...new Set(words), ...WORDS.colours.map((_, place) => `--m${place}`)].map((name) => [name, colour(name)]).filter(([, value]) => value !== "rgba(0, 0, 0, 0)");
  probe.remove();
  made.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  made.prepend(svg("style", {}, `svg { ${values.map(([name, value]) => `${name}: ${value};`).join(" ")} background: var(--ground); } ${document.getElementById("chart-style").textContent}`));
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(made))}`;
}

async function savePng(make, name) {
  const image = new Image();
  image.src = standalone(make);
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  save(canvas.toDataURL("image/png"), `${name}.png`);
}

function chart(title, make, columns, rows, open = false) {
  // A figure: its title says what it shows; its numbers are in a table below.
  const place = element("div", { class: "drawing" });
  const button = (kind, act) => element("button", { type: "button", onclick: act, "aria-label": `${kind}: ${title}` }, kind);
  drawn.push({ place, make });
  return element("figure", { class: "chart" }, element("figcaption", {}, title), place, element("details", { open },
    element("summary", {}, "Numbers"), table(title, columns, rows)), element("div", { class: "tools" },
    button("SVG", () => save(standalone(make), `${fileName(title)}.svg`)), button("PNG", () => savePng(make, fileName(title)))));
}
