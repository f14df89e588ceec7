// One method on one data set: runs, settings, learning curve, confusion, calibration, hardest sequences.
"use strict";

function facts(score, scores) {
  const rows = [
    ["Settings", score.settings], ["CPU seconds of a training", secondsText(score.cpu_seconds)], ["Standing", kindText(score)], ["Compatible ranks", ranksText(score)],
    ["Published", publishedOf(score).map((row) => `${fixed(row.published)} (${row.source})`).join("; ")],
    ...scores.map((row) => [metricOf(row.metric).title, valueText(row) + (row.n > 1 ? `, mean of ${row.n} runs${isKnown(row.low) ? ` (${valueText(row, row.low)} to ${valueText(row, row.high)})` : ""}` : "")]),
  ].filter(([, value]) => isKnown(value) && value !== DASH && value !== "");
  return element("dl", { class: "facts" }, rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, String(value))]));
}

function differencesPart(key) {
  const { method, ...ofCase } = key;
  const rows = bothWays(where(DATA.pairs, ofCase)).filter((row) => row.method === method).sort((a, b) => b.value - a.value);
  if (!rows.length) return null;
  const title = `Tested difference, ${nameOf(key)} minus each other method, ${intervalsOf(rows)}`, against = (row) => nameOf(row, row.other);
  return chart(title, forest(title, rows, against, pairAddress, (row) => `vs ${against(row)}`), [["vs", against, (row) => link(pairAddress(row), against(row))], ...testColumns], rows);
}

function runsPart(key) {
  const rows = where(DATA.runs, key);
  if (rows.length < 2) return null;
  const values = rows.map((row) => row.accuracy), title = `${rows.length} runs, from ${fixed(Math.min(...values))} to ${fixed(Math.max(...values))} %`;
  const strip = rows.map((row) => ({ name: row.run, marks: [{ value: row.accuracy, shape: "circle", tip: `${row.run}: ${fixed(row.accuracy)} %` }] }));
  return chart(title, strips(title, strip, { x: "accuracy (%)" }), [
    ["run", (row) => row.run], ["accuracy (%)", (row) => row.accuracy, (row) => fixed(row.accuracy)],
    ["CPU seconds", (row) => row.cpu_seconds, (row) => secondsText(row.cpu_seconds)], ["settings", (row) => row.settings]], rows);
}

function curvePart({ decoder, point, ...key }) {
  const rows = where(DATA.curves, key);
  if (!rows.length) return null;
  const best = rows.reduce((one, other) => (other.accuracy > one.accuracy ? other : one)), chosen = rows.filter((row) => row.is_chosen);
  const title = `One more training, on the unchanged training set: ${chosen.length ? `${fixed(chosen[0].accuracy)} % at the chosen iteration ${chosen[0].iteration}, ` : ""}peak ${fixed(best.accuracy)} % at ${best.iteration}`;
  const points = rows.map((row) => ({ ...row, x: row.iteration, y: row.accuracy }));
  const marks = [...new Set([...chosen, best])].map((row) => ({ x: row.iteration, y: row.accuracy, shape: "circle", name: row === best ? "peak" : "chosen", tip: `iteration ${row.iteration}: ${fixed(row.accuracy)} %` }));
  return chart(title, plane(title, marks, { x: "iteration", y: "test accuracy (%)" }, { lines: [{ kind: "curve", points }], area: points.filter((row) => isKnown(row.low)), rules: chosen.map((row) => row.iteration) }), [
    ["iteration", (row) => row.iteration], ["accuracy (%)", (row) => row.accuracy, (row) => fixed(row.accuracy)], ["lowest run", (row) => row.low, (row) => fixed(row.low)],
    ["highest run", (row) => row.high, (row) => fixed(row.high)], ["CPU seconds", (row) => row.cpu_seconds, (row) => secondsText(row.cpu_seconds)]], rows);
}

function calibrationPart(key) {
  const rows = where(DATA.calibration, key).map((row) => ({ ...row, probability: 100 * row.probability, right: 100 * row.right }));
  if (!rows.length) return null;
  const n = rows.reduce((sum, row) => sum + row.n_positions, 0), over = (of) => rows.reduce((sum, row) => sum + row.n_positions * of(row), 0) / n;
  const title = `Mean confidence ${fixed(over((row) => row.probability), 1)} %, accuracy ${fixed(over((row) => row.right), 1)} %; calibration error ${fixed(over((row) => Math.abs(row.probability - row.right)), 1)} points`;
  const marks = rows.map((row) => ({ x: row.probability, y: row.right, shape: "circle", tip: `confidence ${fixed(row.probability, 1)} %: accuracy ${fixed(row.right, 1)} % of ${counted(row.n_positions, "position")}` }));
  return chart(title, plane(title, marks, { x: "probability of the predicted label (%)", y: "accuracy (%)" }, { lines: [{ kind: "front", points: [{ x: 0, y: 0 }, { x: 100, y: 100 }] }] }), [
    ["probability (%)", (row) => `${fixed(100 * row.low, 0)} to ${fixed(100 * row.high, 0)}`], ["positions", (row) => row.n_positions],
    ["mean probability (%)", (row) => row.probability, (row) => fixed(row.probability, 1)], ["accuracy (%)", (row) => row.right, (row) => fixed(row.right, 1)],
    ["difference (points)", (row) => row.probability - row.right, (row) => signed(row.probability - row.right)]], rows);
}

const MOST_LABELS = 30;

function labelNames({ study, dataset }) {
  const names = where(DATA.labels, { study, dataset })[0]?.names;
  return (code) => (code < 0 ? "?" : names?.[code] ?? String(code));
}

function confusionPart(key) {
  const cells = where(DATA.confusion, key), name = labelNames(key), totals = {};
  if (!cells.length) return null;
  for (const cell of cells) totals[cell.label] = (totals[cell.label] ?? 0) + cell.n;
  const kept = Object.keys(totals).map(Number).sort((a, b) => totals[b] - totals[a]).slice(0, MOST_LABELS).sort((a, b) => a - b);
  const share = (cell) => (100 * cell.n) / totals[cell.label], at = new Map(cells.map((cell) => [`${cell.label} ${cell.predicted}`, cell]));
  const wrong = cells.filter((cell) => cell.label !== cell.predicted).sort((a, b) => b.n - a.n), most = Math.max(1, ...wrong.filter((cell) => kept.includes(cell.label)).map(share)), isFew = kept.length <= 10;
  const square = (label, predicted) => {
    const cell = at.get(`${label} ${predicted}`);
    const tip = cell && `true ${name(label)}, predicted ${name(predicted)}: ${counted(cell.n, "position")}, ${fixed(share(cell), 1)} %`;
    return element("td", { class: label === predicted ? "right" : null, title: tip, style: cell && label !== predicted ? `--share: ${Math.round(((isFew ? 70 : 100) * share(cell)) / most)}%` : null }, isFew && cell ? fixed(share(cell), 0) : "");
  };
  const rest = Object.keys(totals).length - kept.length, title = `Most common error: ${wrong.length ? `true ${name(wrong[0].label)} predicted as ${name(wrong[0].predicted)} (${fixed(share(wrong[0]), 1)} % of all ${name(wrong[0].label)})` : "none"}`;
  return element("figure", { class: "chart" }, element("figcaption", {}, title),
    element("div", { class: "wide" }, element("table", { class: `confusion ${isFew ? "few" : ""}` }, element("caption", { class: "hidden-text" }, "Percent of the true label by predicted label"),
      element("thead", {}, element("tr", {}, element("td", {}, "true \\ predicted"), kept.map((label) => element("th", { scope: "col" }, element("span", {}, name(label)))))),
      element("tbody", {}, kept.map((label) => element("tr", {}, element("th", { scope: "row" }, name(label)), kept.map((predicted) => square(label, predicted))))))),
    rest > 0 ? element("p", { class: "note" }, `The ${kept.length} commonest of ${kept.length + rest} labels.`) : null,
    element("details", {}, element("summary", {}, "Numbers"), table(title, [["true", (row) => name(row.label)], ["predicted", (row) => name(row.predicted)], ["positions", (row) => row.n],
      ["% of the true label", share, (row) => fixed(share(row))]], wrong, 2)));
}

const SHORT = 16; // positions of a sequence that shares its line

function hardestPart(key) {
  const rows = where(DATA.hardest, key), name = labelNames(key);
  if (!rows.length) return null;
  const sequence = (row) => {
    const line = (head, texts, isMarked) => element("tr", {}, element("th", { scope: "row" }, head),
      texts.map((each, place) => element("td", { class: isMarked && row.label[place] !== row.predicted[place] ? "wrong" : null }, each)));
    const excerpt = row.n_positions > row.label.length ? `, positions ${row.first + 1} to ${row.first + row.label.length}` : "";
    return element("div", { class: row.label.length > SHORT ? "sequence long" : "sequence" }, element("h4", {}, `Sequence ${row.sequence + 1}: ${row.n_wrong} of ${row.n_positions} wrong${excerpt}`),
      element("div", { class: "wide", role: "region", tabindex: 0, "aria-label": `Labels of sequence ${row.sequence + 1}` }, element("table", {}, element("tbody", {},
        row.observed.length ? line("observed", row.observed) : null, line("true", row.label.map(name)), line("predicted", row.predicted.map(name), true)))));
  };
  return element("div", {}, element("p", { class: "note" }, `The ${rows.length} test sequences with the most errors in the first run; errors are marked.`), element("div", { class: "sequences" }, rows.map(sequence)));
}

const SECTIONS = { "Runs": runsPart, "Learning curve": curvePart, "Calibration": calibrationPart, "Confusion": confusionPart, "Hardest sequences": hardestPart };

function showCell(chosen) {
  const key = Object.fromEntries(KEY.map((name) => [name, chosen[name] ?? (name === "point" ? "choice" : "")])), scores = where(DATA.scores, key);
  const back = wayBack("cell", { ...key, dataset: "", method: "" });
  if (!scores.length) return { title: "No results of this method on this data set", parts: [back] };
  const score = scores.find((row) => row.metric === TESTED) ?? scores[0], name = nameOf(key);
  const section = (title, part) => (part ? element("section", {}, element("h3", {}, title), part) : null);
  const parts = Object.entries(SECTIONS).map(([title, make]) => [title, make(key)]);
  const lacks = parts.filter(([title, part]) => !part && !(title === "Runs" && where(DATA.runs, key).length)).map(([title]) => title.toLowerCase());
  const others = DATA.scores.filter((row) => ["study", "method", "metric", "dataset"].every((of) => row[of] === score[of]) && row !== score);
  return {
    title: `${name} on ${datasetText(score)}: ${valueText(score)} %, ${kindText(score)}`,
    parts: [
      back, element("p", {}, `${WORDS.studies[key.study]} · ${conditionText(score)}`, " · ", link(methodAddress({ ...score, metric: TESTED }), `${name} on all data sets`)),
      facts(score, scores), section("Differences from the other methods", differencesPart(key)),
      element("div", { class: "grid" }, parts.slice(0, -1).map(([title, part]) => section(title, part))), section(...parts.at(-1)),
      lacks.length ? absent(`Only the explorer of a run, which keeps predictions, has these: ${lacks.join(", ")}.`) : null,
      others.length ? section("The same method under other conditions", table("Other conditions", [
        ["condition", conditionText, (row) => link(cellAddress(row), conditionText(row))],
        [metricOf(score.metric).title, (row) => row.value, (row) => valueText(row)], ["standing", kindText, null, () => "text"]], others)) : null,
    ],
  };
}
