// What is behind a cell: runs, settings, learning curve, confusion, hardest sequences.
"use strict";

function labelNames(study, dataset) {
  const names = DATA.labels.find((row) => row.study === study && row.dataset === dataset)?.names;
  return (code) => (code < 0 ? "?" : names?.[code] ?? String(code));
}

function facts(score, scores) {
  const rows = [
    ["Settings", score.chosen], ["Runs", score.n_runs], ["CPU seconds of a training", seconds(score.cpu_seconds)],
    ["Standing", score.standing],
    ["Ranks that tests leave", score.rank_low === null ? null : `${score.rank_low} to ${score.rank_high}`],
    ...scores.map((row) => [metricOf(row.metric).title, valueText(row) + (row.n_runs > 1 ? ` (runs: ${valueText(row, row.low)} to ${valueText(row, row.high)})` : "")]),
  ].filter(([, value]) => value !== null && value !== undefined && value !== DASH);
  return element("dl", { class: "facts" }, rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, String(value))]));
}

function differences(study, key) {
  const { method, ...ofCase } = key;
  const found = bothWays(where(DATA.pairs, ofCase)).filter((row) => row.method === method);
  if (!found.length) return absent("This study does not test the method against others here.");
  const rows = found.sort((a, b) => b.points - a.points);
  return tableWithTools("Against the other methods", [
    ["against", (row) => methodName(study, row.other), (row) => element("a", { href: cellAddress({ ...row, method: row.other }) }, methodName(study, row.other))],
    ["difference (points)", (row) => row.points, (row) => signed(row.points)],
    ["95 % interval", (row) => `${fixed(row.low)} to ${fixed(row.high)}`],
    ["p after Holm", (row) => row.p_holm, (row) => pText(row.p_holm)], ["decision", (row) => row.decision],
  ], rows);
}

function runsPart(key) {
  const rows = where(DATA.runs, key);
  if (rows.length < 2) return null;
  const values = rows.map((row) => row.accuracy);
  const title = `${rows.length} runs, from ${fixed(Math.min(...values))} to ${fixed(Math.max(...values))} % right`;
  return chart(title, "runs", rows, [
    ["run", (row) => row.run], ["accuracy (%)", (row) => row.accuracy, (row) => fixed(row.accuracy)],
    ["CPU seconds", (row) => row.cpu_seconds, (row) => seconds(row.cpu_seconds)], ["settings", (row) => row.chosen],
  ]);
}

function curvePart(key) {
  const { decoder, point, ...rest } = key;
  const rows = where(DATA.curves, rest);
  if (!rows.length) return null;
  const best = rows.reduce((one, other) => (other.accuracy > one.accuracy ? other : one));
  const chosen = rows.find((row) => row.is_chosen);
  const title = chosen ? `Stopped at iteration ${chosen.iteration} with ${fixed(chosen.accuracy)} %; the best point of the test curve is ${fixed(best.accuracy)} % at ${best.iteration}`
    : `The best point of the test curve is ${fixed(best.accuracy)} % at iteration ${best.iteration}`;
  return chart(title, "curve", rows, [
    ["iteration", (row) => row.iteration], ["accuracy (%)", (row) => row.accuracy, (row) => fixed(row.accuracy)],
    ["lowest run", (row) => row.low, (row) => fixed(row.low)], ["highest run", (row) => row.high, (row) => fixed(row.high)],
    ["CPU seconds", (row) => row.cpu_seconds, (row) => seconds(row.cpu_seconds)],
  ]);
}

const MOST_LABELS = 30;

function confusionPart(key) {
  const cells = where(DATA.confusion, key);
  if (!cells.length) return null;
  const name = labelNames(key.study, key.dataset);
  const totals = {};
  for (const cell of cells) totals[cell.label] = (totals[cell.label] ?? 0) + cell.n;
  const kept = Object.keys(totals).map(Number).sort((a, b) => totals[b] - totals[a]).slice(0, MOST_LABELS).sort((a, b) => a - b);
  const rows = cells.map((cell) => ({ ...cell, label_name: name(cell.label), predicted_name: name(cell.predicted), share: (100 * cell.n) / totals[cell.label] }));
  const wrong = rows.filter((row) => row.label !== row.predicted).sort((a, b) => b.n - a.n);
  const worst = wrong[0];
  const title = worst ? `Most often ${worst.label_name} is taken for ${worst.predicted_name}: ${worst.n.toLocaleString("en")} positions, ${fixed(worst.share, 1)} % of its own` : "No position is wrong";
  const shown = kept.flatMap((label) => kept.map((predicted) => rows.find((row) => row.label === label && row.predicted === predicted)
    ?? { label, predicted, n: 0, share: 0, label_name: name(label), predicted_name: name(predicted) }))
    .map((row) => (row.label === row.predicted ? { ...row, share: null } : row));
  const made = chart(title, "confusion", shown, [
    ["true", (row) => row.label_name], ["predicted", (row) => row.predicted_name], ["positions", (row) => row.n], ["% of the true label", (row) => row.share, (row) => (row.share === null ? "right" : fixed(row.share))],
  ]);
  const rest = Object.keys(totals).length - kept.length;
  return rest > 0 ? element("div", {}, made, element("p", {}, `The ${kept.length} commonest labels; ${rest} more are in none of the cells.`)) : made;
}

const CALIBRATED = 1; // points: bins that are no further from the share that is right on average are well calibrated

function calibrationTitle(rows) {
  const n = rows.reduce((sum, row) => sum + row.n_positions, 0);
  const mean = (of) => rows.reduce((sum, row) => sum + row.n_positions * of(row), 0) / n;
  const [says, right] = ["probability", "right"].map((name) => Number(mean((row) => row[name]).toFixed(1))); // their difference is what a reader finds
  const apart = mean((row) => Math.abs(row.probability - row.right));
  const found = apart <= CALIBRATED ? `well calibrated (bins are ${fixed(apart, 1)} points off on average, and ${CALIBRATED} is allowed)`
    : Math.abs(says - right) <= CALIBRATED ? `calibrated as a whole, but bins are ${fixed(apart, 1)} points off on average`
      : `${says > right ? "over" : "under"}confident by ${fixed(Math.abs(says - right), 1)} points`;
  return `Says ${fixed(says, 1)} %, right ${fixed(right, 1)} %: ${found}`;
}

function calibrationPart(key) {
  const rows = where(DATA.calibration, key).map((row) => ({ ...row, probability: 100 * row.probability, right: 100 * row.right }));
  if (!rows.length) return null;
  const percent = (value) => fixed(value, 1);
  return chart(calibrationTitle(rows), "reliability", rows, [
    ["probability (%)", (row) => `${fixed(100 * row.low, 0)} to ${fixed(100 * row.high, 0)}`],
    ["positions", (row) => row.n_positions, (row) => row.n_positions.toLocaleString("en")],
    ["mean probability (%)", (row) => row.probability, (row) => percent(row.probability)], ["right (%)", (row) => row.right, (row) => percent(row.right)],
    ["difference (points)", (row) => row.probability - row.right, (row) => signed(row.probability - row.right)],
  ]);
}

const SHORT = 16; // positions of a sequence that shares its line

function sequenceTable(row, name) {
  const wrong = (place) => row.label[place] !== row.predicted[place];
  const line = (head, texts, marks) => element("tr", {}, element("th", { scope: "row" }, head),
    texts.map((text, place) => element("td", { class: marks && wrong(place) ? "wrong" : null }, text)));
  const excerpt = row.n_positions > row.label.length ? `, positions ${row.first + 1} to ${row.first + row.label.length}` : "";
  return element("div", { class: row.label.length > SHORT ? "sequence long" : "sequence" },
    element("h4", {}, `Sequence ${row.sequence + 1}: ${row.n_wrong} of ${row.n_positions} wrong${excerpt}`),
    element("div", { class: "wide", role: "region", tabindex: 0, "aria-label": `Labels of sequence ${row.sequence + 1}` },
      element("table", {}, element("tbody", {},
        row.observed.length ? line("observed", row.observed) : null,
        line("true", row.label.map(name)), line("predicted", row.predicted.map(name), true)))));
}

function hardestPart(key) {
  const rows = where(DATA.hardest, key);
  if (!rows.length) return null;
  const name = labelNames(key.study, key.dataset);
  return element("div", {},
    element("p", {}, `The ${rows.length} test sequences with the most wrong positions, in the first run; wrong labels are marked.`),
    element("div", { class: "sequences" }, rows.map((row) => sequenceTable(row, name))));
}

const WHY_ABSENT = {
  "Runs": "single runs",
  "Learning curve": "a learning curve (the study follows none, or the method has no iterations)",
  "Confusion": "predicted labels, for the confusion",
  "Calibration": "probabilities, for calibration, log loss and the Brier score (the study keeps none here, or the method has none)",
  "Hardest sequences": "predicted labels of single sequences",
};

function showCell(chosen) {
  const key = Object.fromEntries(["study", ...CASE, "method"].map((name) => [name, chosen[name] ?? (name === "point" ? "choice" : "")]));
  const scores = where(DATA.scores, key);
  const back = element("p", {}, element("a", { href: address("leaderboard", { ...key, dataset: "", method: "" }) }, "← Leaderboard"));
  if (!scores.length) return { title: "Nothing is known of this cell", parts: [back, absent("Choose a cell of the leaderboard.")] };
  const score = scores.find((row) => row.metric === TESTED) ?? scores[0];
  const name = methodName(key.study, key.method);
  const section = (title, part) => (part ? element("section", {}, element("h3", {}, title), part) : null);
  const parts = {
    "Runs": runsPart(key), "Learning curve": curvePart(key), "Confusion": confusionPart(key), "Calibration": calibrationPart(key),
  };
  const hardest = hardestPart(key);
  const isKept = (title) => title === "Runs" && where(DATA.runs, key).length;
  const lacks = Object.entries({ ...parts, "Hardest sequences": hardest }).filter(([title, part]) => !part && !isKept(title)).map(([title]) => WHY_ABSENT[title]);
  const others = DATA.scores.filter((row) => row.study === key.study && row.method === key.method && row.metric === score.metric && row.dataset === key.dataset
    && !matches(row, key));
  return {
    title: `${name} on ${datasetText(score)}: ${fixed(score.value)} % right, ${score.standing}`,
    parts: [
      back,
      element("p", {}, [WORDS.studies[key.study], variantText(score), POINTS[key.point]].filter(Boolean).join(" · ")),
      facts(score, scores),
      element("div", { class: "grid" }, Object.entries(parts).map(([title, part]) => section(title, part))),
      section("Hardest sequences", hardest),
      section("Against the other methods", differences(key.study, key)),
      lacks.length ? absent(`Not kept by these results: ${lacks.join("; ")}.`) : "",
      others.length ? section("The same method under other conditions", table("Other conditions", [
        ["condition", (row) => variantText(row), (row) => element("a", { href: cellAddress(row) }, [variantText(row), POINTS[row.point]].filter(Boolean).join(", "))],
        ["accuracy (%)", (row) => row.value, (row) => fixed(row.value)],
      ], others)) : "",
    ],
  };
}
