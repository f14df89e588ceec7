// Methods by data sets, one method on all data sets, accuracy and cost.
"use strict";

function withGaps(rows) {
  // Rows with `gap`, the value minus the best one of the rivals on the data set, and `share`, the same where less is worse.
  const best = Object.fromEntries([...Map.groupBy(rows.filter(isRival), (row) => row.dataset)].map(([name, all]) => [name, all.sort(bestFirst)[0].value]));
  return rows.map((row) => ({ ...row, gap: row.value - best[row.dataset] }));
}

function standings(rows) {
  // One entry for each rival, the smallest mean gap first; methods that lack data sets come last.
  const n = distinct(rows, "dataset").length;
  const found = [...Map.groupBy(rows.filter(isRival), (row) => row.method)].map(([method, all]) => ({
    method, name: nameOf(all[0]), rows: all, gap: mean(all.map((row) => row.gap)), near: all.filter(isUnseparated).length, weak: all.filter((row) => kindOf(row) === "weak").length, ranked: all.filter(isRanked).length,
    isWhole: all.length === n,
  }));
  return found.sort((one, other) => other.isWhole - one.isWhole || Math.abs(one.gap) - Math.abs(other.gap));
}

const gapText = (row, gap = row.gap) => (gap === 0 ? "0" : signed(gap, metricOf(row.metric).digits));
const markTip = (row) => `${nameOf(row)} on ${datasetText(row)}: ${valueText(row)}, ${kindText(row)}`;
const colourOf = (row, methods) => `var(--m${methods.indexOf(row.method) % WORDS.colours.length})`;
const unitOf = (metric) => ({ "%": "points" })[metricOf(metric).title.match(/\((.*)\)/)?.[1]] ?? metricOf(metric).title.match(/\((.*)\)/)?.[1] ?? "";
const inUnits = (metric, ...more) => [unitOf(metric), ...more].filter(Boolean).join(", ").replace(/^(.+)$/, " ($1)");

function leaderTitle([first, ...others], metric, n) {
  if (!first) return "No method is ranked here";
  const [score] = first.rows, near = others.filter((entry) => entry.near).length, weak = others.filter((entry) => entry.weak).length;
  if (n === 1) return `${capital(first.name)} has the best ${metric} on ${score.dataset}, ${valueText(score)}${isRanked(score) ? `; ${near - weak} of ${counted(others.length, "other method")} not separated from it${weak ? `, ${weak} more after Holm adjustment` : ""}` : " (not tested)"}`;
  const tests = first.ranked ? `, not separated from the best on ${first.near} of ${first.ranked}` : " (not tested)";
  return `${capital(first.name)} has the smallest mean gap to the best: ${`${gapText(score, first.gap)} ${unitOf(metric)}`.trim()} over ${n} data sets${tests}`;
}

function scoreColumns(metric) {
  return [
    [metricOf(metric).title, (row) => row.value, (row) => valueText(row)], ["minus the best", (row) => row.gap, (row) => gapText(row)],
    ["95 %, Bonferroni", (row) => between(row.gap_low, row.gap_high)], ["standing", kindText], ["compatible ranks", ranksText],
    ["lowest run", (row) => row.low, (row) => valueText(row, row.low)], ["highest run", (row) => row.high, (row) => valueText(row, row.high)],
    ["runs", (row) => row.n], ["CPU seconds", (row) => row.cpu_seconds, (row) => secondsText(row.cpu_seconds)], ["settings", (row) => row.settings, null, () => "long"],
  ];
}

function showLeaderboard(chosen) {
  const { found, rows: scores } = choices(chosen);
  const metric = found.metric.value, datasets = found.data.value, { is_loss } = metricOf(metric), rows = withGaps(scores), leaders = standings(rows);
  const references = [...Map.groupBy(rows.filter((row) => !isRival(row)), (row) => row.method)].map(([method, all]) => ({ method, name: nameOf(all[0]), rows: all }));
  const at = (entry, dataset) => entry.rows.find((row) => row.dataset === dataset);
  const isTested = rows.some(isRanked), one = datasets.length === 1;
  const cell = (row) => element("a", { href: cellAddress(row), title: kindText(row) },
    isUnseparated(row) ? element("span", { class: `sign ${kindOf(row)}`, "aria-label": `${kindText(row)}: ` }, `${KINDS[kindOf(row)][0]} `) : null,
    isBold(row) ? element("b", {}, valueText(row)) : valueText(row));
  const columns = [
    ["method", (entry) => entry.name, (entry) => link(methodAddress({ ...entry.rows[0], metric }), entry.name)],
    [`${one ? "" : "mean "}gap to the best${inUnits(metric)}`, (entry) => entry.gap, (entry) => (isKnown(entry.gap) ? gapText(entry.rows[0], entry.gap) + (entry.isWhole ? "" : ` (${entry.rows.length} of ${datasets.length})`) : "reference")],
    ...(isTested && !one ? [["not separated from the best", (entry) => entry.near, (entry) => (entry.ranked ? `${entry.near} of ${entry.ranked}${entry.weak ? ` (${entry.weak} ◇)` : ""}` : DASH)]] : []),
    ...datasets.map((dataset) => [datasetText(rows.find((row) => row.dataset === dataset)), (entry) => at(entry, dataset)?.value,
      (entry) => (at(entry, dataset) ? cell(at(entry, dataset)) : DASH), (entry) => (at(entry, dataset) && isNear(at(entry, dataset)) ? "top" : null)]),
  ];
  const strip = [...leaders, ...(one ? references : [])].map((entry) => ({
    name: entry.name, href: methodAddress({ ...entry.rows[0], metric }), thick: one ? null : entry.gap,
    marks: entry.rows.map((row) => ({ value: one ? row.value : row.gap, low: one ? row.low : null, high: one ? row.high : null, shape: SHAPES[kindOf(row)], tip: markTip(row), href: cellAddress(row) })),
  }));
  const lower = is_loss ? "lower is better" : "";
  const title = one ? `${capital(metricOf(metric).title)} on ${datasets[0]}, lowest and highest run${lower && ` (${lower})`}` : `Gap to the best method of each data set${inUnits(metric, lower)}; bars are means`;
  const list = rows.filter(isRival).map((row) => ({ ...row, entry: leaders.findIndex((entry) => entry.method === row.method) })).sort((a, b) => a.entry - b.entry);
  return {
    title: leaderTitle(leaders, metric, datasets.length),
    parts: [
      controls("leaderboard", found), found.point.value === "peak" ? element("p", { class: "note" }, "An optimistic upper bound: the iteration was chosen on test labels.") : null, legend(rows),
      table(`${capital(metricOf(metric).title)} by method and data set`, columns, [...leaders, ...references]),
      metric === TESTED ? null : absent(`Tests compare accuracies; this metric is not tested${is_loss ? ", and lower is better" : ""}.${withoutMetric(found, rows)}`),
      chart(title, strips(title, strip, { x: one ? metricOf(metric).title : `minus the best${inUnits(metric)}`, zero: !one }), [["method", nameOf], ["data set", (row) => row.dataset], ...scoreColumns(metric)], list),
      metric === TESTED ? testNote(found.study.value, rows) : null,
    ],
  };
}

function withoutMetric(found, rows) {
  // Methods that have an accuracy here and nothing of this metric, such as probabilities.
  const same = Object.fromEntries(["study", "point", "decoder", "variant"].map((name) => [name, found[name].value]));
  const lacks = where(DATA.scores, { ...same, metric: TESTED }).filter((row) => found.data.value.includes(row.dataset) && !rows.some((other) => other.method === row.method));
  return lacks.length ? ` Without ${found.metric.value}: ${[...new Set(lacks.map((row) => nameOf(row)))].join("; ")}.` : "";
}

// --- one method ---

function publishedOf(row) {
  return DATA.published.filter((each) => each.quantity === metricOf(TESTED).title && ["study", "dataset", "method", "variant", "decoder"].every((name) => each[name] === row[name]));
}

function showMethod(chosen) {
  const { found, rows: scores } = choices(chosen);
  const metric = found.metric.value, rows = withGaps(scores).filter((row) => row.method === chosen.method);
  const parts = [element("p", {}, link(address("leaderboard", { ...chosen, method: "" }), "← Leaderboard"))];
  if (!rows.length) return { title: "No results of this method under these conditions", parts: [...parts, controls("method", found, { method: chosen.method })] };
  const name = nameOf(rows[0]), near = rows.filter(isUnseparated).length, ranked = rows.filter(isRanked).length, isTested = ranked > 0;
  const title = isTested ? `Gap to the best method of each data set${rows.some((row) => isKnown(row.gap_low)) ? ", 95 % intervals (Bonferroni)" : ""}` : `${capital(metricOf(metric).title)}, lowest and highest run`;
  const strip = rows.map((row) => ({ name: datasetText(row), href: cellAddress(row), marks: [{
    ...(isTested ? { value: row.gap_points ?? row.gap, low: row.gap_low, high: row.gap_high } : { value: row.value, low: row.low, high: row.high }),
    shape: SHAPES[kindOf(row)], tip: markTip(row), href: cellAddress(row),
  }] }));
  const published = (row) => publishedOf(row).map((each) => `${fixed(each.published)} (${each.source})`).join("; ");
  const columns = [["data set", (row) => row.dataset, (row) => link(cellAddress(row), datasetText(row))], ...scoreColumns(metric),
    ...(rows.some(published) ? [["published", published]] : [])];
  const others = DATA.methods.filter((row) => row.study === found.study.value && DATA.scores.some((each) => each.study === row.study && each.method === row.method));
  const select = element("label", {}, "Method", element("select", { id: "choose-method-method", onchange: (event) => { location.hash = address("method", { ...chosen, method: event.target.value }); } },
    others.map((row) => element("option", { value: row.method, selected: row.method === chosen.method }, row.name))));
  const form = controls("method", found, { method: chosen.method });
  form.prepend(select);
  return {
    title: !isRival(rows[0]) ? `${name} is a reference, not a competitor` : ranked ? `${name}: not separated from the best on ${near} of ${counted(ranked, "data set")}` : `${name} on ${counted(rows.length, "data set")}, not tested`,
    parts: [...parts, form, legend(rows), chart(title, strips(title, strip, { x: isTested ? "minus the best (points)" : metricOf(metric).title, zero: isTested }), columns, rows, true), testNote(found.study.value, rows)],
  };
}

// --- cost ---

function front(rows) {
  // The rows that no other one beats in both seconds and value, the cheapest first.
  const sorted = [...rows].sort((a, b) => a.cpu_seconds - b.cpu_seconds || bestFirst(a, b));
  return sorted.filter((row, place) => sorted.slice(0, place).every((other) => bestFirst(row, other) < 0));
}

function showCost(chosen) {
  const { found, rows } = choices(chosen);
  const metric = found.metric.value, study = found.study.value, timed = rows.filter((row) => row.cpu_seconds > 0 && isRival(row));
  const parts = [controls("cost", found), legend(timed)];
  if (!timed.length) return { title: `${WORDS.studies[study]}: no CPU seconds`, parts: [...parts, absent("These results have no CPU seconds.")] };
  const methods = distinct(DATA.scores.filter((row) => row.study === study), "method");
  const fronts = found.data.value.map((dataset) => ({ dataset, all: where(timed, { dataset }) })).filter(({ all }) => all.length)
    .map(({ dataset, all }) => ({ dataset, all: all.sort((a, b) => a.cpu_seconds - b.cpu_seconds), best: front(all) }));
  const [first, times] = [...Map.groupBy(fronts.flatMap(({ best }) => best), (row) => nameOf(row))].map(([name, all]) => [name, all.length]).sort((a, b) => b[1] - a[1])[0];
  parts.push(element("ul", { class: "legend" }, distinct(timed, "method").map((method) => element("li", {},
    element("b", { style: `color: ${colourOf({ method }, methods)}`, "aria-hidden": "true" }, "■ "), nameOf({ study, method })))),
  element("p", { class: "note" }, "The dashed line joins the Pareto-optimal methods: no other is both faster and better. The colour is the method; the shape says whether a test finds a better one."),
  element("div", { class: "grid" }, fronts.map(({ dataset, all, best }) => {
    const title = `${datasetText(all[0])}: ${best.length} of ${counted(all.length, "method")} Pareto-optimal, from ${nameOf(best[0])} to ${nameOf(best.at(-1))}`;
    const marks = all.map((row) => ({ x: row.cpu_seconds, y: row.value, name: nameOf(row), shape: SHAPES[kindOf(row)], colour: colourOf(row, methods), href: cellAddress(row), tip: `${markTip(row)}, ${secondsText(row.cpu_seconds)} CPU seconds` }));
    const line = best.flatMap((row, place) => [{ x: row.cpu_seconds, y: best[Math.max(0, place - 1)].value }, { x: row.cpu_seconds, y: row.value }]);
    return chart(best.length === 1 ? `${datasetText(all[0])}: only ${nameOf(best[0])} is Pareto-optimal` : title,
      plane(title, marks, { x: "CPU seconds of a training", y: metricOf(metric).title + (metricOf(metric).is_loss ? ", lower is better" : "") }, { lines: [{ kind: "front", points: line }], isLog: true }),
      [["method", nameOf], [metricOf(metric).title, (row) => row.value, (row) => valueText(row)], ["CPU seconds", (row) => row.cpu_seconds, (row) => secondsText(row.cpu_seconds)],
        ["Pareto-optimal", (row) => (best.includes(row) ? "yes" : "no")], ["standing", kindText]], all);
  })));
  return { title: `${capital(first)} is Pareto-optimal (${metric} vs CPU time) on ${times} of ${counted(fronts.length, "data set")}`, parts };
}
