// Methods by data sets, one method on all data sets, accuracy and cost.
"use strict";

function withGaps(rows) {
  // Rows with `gap`, the value minus the best one of all rivals under the same conditions, shown or not.
  const all = rows.length ? where(DATA.scores, pick(rows[0], ["study", "metric", "variant", "decoder", "point"])).filter(isRival) : [];
  const best = Object.fromEntries([...Map.groupBy(all, (row) => row.dataset)].map(([name, of]) => [name, of.sort(bestFirst)[0].value]));
  return rows.map((row) => ({ ...row, gap: row.value - best[row.dataset] }));
}

const gapText = (row, gap = row.gap) => (gap === 0 ? "0" : signed(gap, metricOf(row.metric).digits));
const markTip = (row) => `${nameOf(row)} on ${datasetText(row)}: ${valueText(row)}, ${kindText(row)}`;
const colourOf = (family, families) => `var(--m${families.indexOf(family) % WORDS.colours.length})`;
const unitOf = (metric) => ({ "%": "points" })[metricOf(metric).unit] ?? metricOf(metric).unit ?? "";
const inUnits = (metric, ...more) => [unitOf(metric), ...more].filter(Boolean).join(", ").replace(/^(.+)$/, " ($1)");

function scoreColumns(metric) {
  return [
    [metricOf(metric).title, (row) => row.value, (row) => valueText(row)], [`gap to the ${extreme(metric)}`, (row) => row.gap, (row) => gapText(row)],
    ...(metric === TESTED ? [["tested difference", testedGap, (row) => (testedGap(row) === 0 ? "0" : signed(testedGap(row)))], ["95 %, Bonferroni", (row) => between(row.gap_low, row.gap_high)]] : []),
    ["standing", kindText, null, () => "text"], ["compatible ranks", ranksText], ["lowest run", (row) => row.low, (row) => valueText(row, row.low), null, true], ["highest run", (row) => row.high, (row) => valueText(row, row.high), null, true],
    ["runs", (row) => row.n, null, null, true], ["CPU seconds", (row) => row.cpu_seconds, (row) => secondsText(row.cpu_seconds)], ["settings", (row) => row.settings, null, () => "long", true],
  ];
}

const percent = (of, n) => fixed((100 * of) / n, 0) + " %";

function showLeaderboard(chosen) {
  const { found, rows: scores } = choices(chosen), form = controls("leaderboard", found);
  if (!scores.length) return { title: "No method is shown", parts: [form, absent("No method has such a name and results on these data sets.")] };
  const metric = found.metric.value, { is_loss } = metricOf(metric), rows = withGaps(scores), result = compare(rows.filter(isRival), pairsOf(found)), { sets, compared } = result;
  const others = distinct(rows, "dataset").filter((name) => !sets.includes(name)), ordered = [...sets, ...others].sort((a, b) => beside(sets, a) - beside(sets, b));
  const references = [...Map.groupBy(rows.filter((row) => !isRival(row)), (row) => row.method)].map(([method, all]) => ({ method, name: nameOf(all[0]), rows: all }));
  const at = (entry, dataset) => entry.rows.find((row) => row.dataset === dataset), one = sets.length === 1, isTested = compared.some((entry) => entry.tests);
  const cell = (row) => element("a", { href: cellAddress(row), title: kindText(row) },
    isRanked(row) ? element("span", { class: `sign ${kindOf(row)}`, "aria-label": `${kindText(row)}: ` }, `${KINDS[kindOf(row)][0]} `) : null,
    isBold(row) ? element("b", {}, valueText(row)) : valueText(row));
  const columns = [
    ["method", (entry) => entry.name, (entry) => element("a", { href: methodAddress({ ...entry.rows[0], metric }), title: WORDS.methods[entry.name] }, entry.name)],
    ...(isTested ? [["win rate", (entry) => entry.tests && (100 * entry.won) / entry.tests, (entry) => entry.tests ? element("span", { title: `${entry.won} of ${entry.tests} tests won` }, percent(entry.won, entry.tests)) : DASH],
      ["loss rate", (entry) => entry.tests && (100 * entry.lost) / entry.tests, (entry) => entry.tests ? element("span", { title: `${entry.lost} of ${entry.tests} tests lost` }, percent(entry.lost, entry.tests)) : DASH]] : []),
    [one ? "rank" : "mean rank", (entry) => entry.rank, (entry) => fixed(entry.rank, 1)],
    [`${one ? "" : "mean "}gap${inUnits(metric)}`, (entry) => entry.gap, (entry) => (isKnown(entry.gap) ? gapText(entry.rows[0], entry.gap) : isRival(entry.rows[0]) ? DASH : "reference")],
    ...ordered.map((dataset) => [LARGER[dataset] ? `${dataset} (larger sample)` : datasetText(rows.find((row) => row.dataset === dataset)), (entry) => at(entry, dataset)?.value,
      (entry) => (at(entry, dataset) ? cell(at(entry, dataset)) : DASH), (entry) => [at(entry, dataset) && isUnseparated(at(entry, dataset)) && "top", !sets.includes(dataset) && "beside"].filter(Boolean).join(" ")]),
  ];
  const ofOne = one ? references.map((entry) => ({ ...entry, own: entry.rows.filter((row) => sets.includes(row.dataset)) })) : [];
  const strip = [...compared, ...ofOne].map((entry) => ({
    name: entry.name, href: methodAddress({ ...entry.rows[0], metric }), thick: one ? null : entry.gap,
    marks: entry.own.map((row) => ({ value: one ? row.value : row.gap, low: one ? row.low : null, high: one ? row.high : null, shape: SHAPES[kindOf(row)], tip: markTip(row), href: cellAddress(row) })),
  }));
  const lower = is_loss ? "lower is better" : "", on = setsText(sets);
  const title = one ? `${capital(metricOf(metric).title)} on ${on}, lowest and highest run${lower && ` (${lower})`}` : `Gap to the ${extreme(metric)} ${metric} on ${on}${inUnits(metric, lower)}; bars are means`;
  return {
    title: headline(result, found),
    parts: [
      form, comparedOn(result, others, metric), found.point.value === "peak" ? element("p", { class: "note" }, "An optimistic upper bound: the iteration was chosen on test labels.") : null, legend(rows),
      table(`${capital(metricOf(metric).title)} by method and data set`, columns, [...result.entries, ...references]),
      metric === TESTED ? spansNote(found, "leaderboard") : absent(`Tests compare accuracies; this metric is not tested${is_loss ? ", and lower is better" : ""}.${withoutMetric(found, rows)}`),
      chart(title, strips(title, strip, { x: one ? metricOf(metric).title : `minus the ${extreme(metric)}${inUnits(metric)}`, zero: !one }), [["method", nameOf], ["data set", datasetText], ...scoreColumns(metric)], compared.flatMap((entry) => entry.own)),
      metric === TESTED ? testNote(found.study.value, rows) : null,
    ],
  };
}

// The place of a data set among columns: those compared, each with its larger samples, and then the others.
const beside = (sets, name) => (sets.includes(name) ? sets.indexOf(name) : sets.includes(LARGER[name]) ? sets.indexOf(LARGER[name]) + 0.5 : sets.length);

function spansNote(found, view) {
  // Where labels are spans, accuracy says little: the way to F1.
  const spans = DATA.scores.filter((row) => row.study === found.study.value && isOfSpans(row.metric)), sets = distinct(spans, "dataset");
  return sets.length ? element("p", { class: "note" }, `Labels of ${listed(sets)} are spans (BIO): `, link(address(view, { study: found.study.value, metric: spans.find((row) => row.metric.startsWith("F1")).metric, data: sets.join(",") }), "see their F1"), ".") : null;
}

function withoutMetric(found, rows) {
  // Methods that have an accuracy here and nothing of this metric, such as probabilities.
  const same = Object.fromEntries(["study", "point", "decoder", "variant"].map((name) => [name, found[name].value]));
  const lacks = where(DATA.scores, { ...same, metric: TESTED }).filter((row) => found.data.value.includes(row.dataset) && !rows.some((other) => other.method === row.method));
  return lacks.length ? ` Without ${found.metric.value}: ${[...new Set(lacks.map((row) => nameOf(row)))].join("; ")}.` : "";
}

// --- one method ---

function publishedOf(row) {
  return DATA.published.filter((each) => each.quantity === TESTED && ["study", "dataset", "method", "variant", "decoder"].every((name) => each[name] === row[name]));
}

function showMethod(chosen) {
  const { found, rows: scores } = choices(chosen);
  const metric = found.metric.value, rows = withGaps(scores).filter((row) => row.method === chosen.method);
  const parts = [wayBack("method", { ...chosen, method: "" })];
  if (!rows.length) return { title: "No results of this method under these conditions", parts: [...parts, controls("method", found, { method: chosen.method })] };
  const name = nameOf(rows[0]), near = rows.filter(isUnseparated).length, ranked = rows.filter(isRanked).length, isTested = ranked === rows.length;
  const title = isTested ? `Tested difference from the most accurate method of each data set, ${rows.some((row) => isKnown(row.gap_low)) ? "95 % intervals (Bonferroni)" : "without intervals"}` : `${capital(metricOf(metric).title)}, lowest and highest run`;
  const strip = rows.map((row) => ({ name: datasetText(row), href: cellAddress(row), marks: [{
    ...(isTested ? { value: testedGap(row), low: row.gap_low, high: row.gap_high } : { value: row.value, low: row.low, high: row.high }),
    shape: SHAPES[kindOf(row)], tip: isTested ? `${datasetText(row)}: ${signed(testedGap(row))} points (${between(row.gap_low, row.gap_high)}), ${kindText(row)}` : markTip(row), href: cellAddress(row),
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
    title: !isRival(rows[0]) ? `${name} is a reference, not a competitor` : ranked ? `No test finds a method better than ${name} on ${near} of ${counted(ranked, "data set")}` : `${name} on ${counted(rows.length, "data set")}, not tested`,
    parts: [...parts, form, legend(rows), chart(title, strips(title, strip, { x: isTested ? "points of accuracy" : metricOf(metric).title, zero: isTested }), columns, rows, true),
      rows.some((row) => isKnown(testedGap(row)) && fixed(testedGap(row)) !== fixed(row.gap)) ? element("p", { class: "note" }, "The gap is between mean accuracies. The test has its own estimate, where it counts positions alike or has fewer runs.") : null, testNote(found.study.value, rows)],
  };
}

// --- cost ---

function front(rows, pairs) {
  // The methods that are better than every cheaper one, the cheapest first; where there are tests, they say so.
  const won = new Set(bothWays(pairs).filter((row) => row.decision === "better").map((row) => JSON.stringify([row.dataset, row.method, row.other])));
  const isBetter = (row, other) => (isRanked(row) ? won.has(JSON.stringify([row.dataset, row.method, other.method])) : bestFirst(row, other) < 0);
  const sorted = [...rows].sort((a, b) => a.cpu_seconds - b.cpu_seconds || bestFirst(a, b));
  return sorted.filter((row, place) => sorted.slice(0, place).every((other) => isBetter(row, other)));
}

function showCost(chosen) {
  const { found, rows } = choices(chosen);
  const metric = found.metric.value, study = found.study.value, timed = rows.filter((row) => row.cpu_seconds > 0 && isRival(row));
  const parts = [controls("cost", found), legend(timed)];
  if (!timed.length) return { title: `${WORDS.studies[study]}: no CPU seconds`, parts: [...parts, absent("These results have no CPU seconds.")] };
  const families = [...new Set(DATA.scores.filter((row) => row.study === study).map((row) => familyOf(study, row.method)))], pairs = pairsOf(found);
  const fronts = found.data.value.map((dataset) => where(timed, { dataset })).filter((all) => all.length)
    .map((all) => ({ all: all.sort((a, b) => a.cpu_seconds - b.cpu_seconds), best: front(all, pairs) }));
  const n = fronts.filter(({ best }) => best.length > 1).length;
  parts.push(element("ul", { class: "legend" }, [...new Set(timed.map((row) => familyOf(study, row.method)))].map((family) => element("li", {},
    element("b", { style: `color: ${colourOf(family, families)}`, "aria-hidden": "true" }, "■ "), family))),
  element("p", { class: "note" }, `The dashed line goes from the cheapest method to those that are better than all cheaper ones${timed.some(isRanked) ? " by a test" : ""}. The colour is the family of the method, the shape its standing. Point at a mark for its name and numbers.`),
  element("div", { class: "grid" }, fronts.map(({ all, best }) => {
    const title = `${datasetText(all[0])}: ${best.length > 1 ? `${best.length > 4 ? `${best.length - 1} methods` : listed(best.slice(1).map((row) => nameOf(row)))} ${best.length > 2 ? "are" : "is"} better than all cheaper methods` : "no method is better than all cheaper ones"}`;
    const marks = all.map((row) => ({ x: row.cpu_seconds, y: row.value, name: nameOf(row), shape: SHAPES[kindOf(row)], colour: colourOf(familyOf(study, row.method), families), href: cellAddress(row), tip: `${markTip(row)}, ${secondsText(row.cpu_seconds)} CPU seconds` }));
    const line = best.flatMap((row, place) => [{ x: row.cpu_seconds, y: best[Math.max(0, place - 1)].value }, { x: row.cpu_seconds, y: row.value }]);
    return chart(title,
      plane(title, marks, { x: "CPU seconds of a training", y: metricOf(metric).title + (metricOf(metric).is_loss ? ", lower is better" : "") }, { lines: [{ kind: "front", points: line }], isLog: true }),
      [["method", nameOf], [metricOf(metric).title, (row) => row.value, (row) => valueText(row)], ["CPU seconds", (row) => row.cpu_seconds, (row) => secondsText(row.cpu_seconds)],
        ["better than all cheaper ones", (row) => (best.includes(row) ? "yes" : "no")], ["standing", kindText, null, () => "text"]], all);
  })));
  return { title: `On ${n} of ${counted(fronts.length, "data set")} ${timed.some(isRanked) ? "tests find a method" : "a method is"} better than all cheaper ones`, parts };
}
