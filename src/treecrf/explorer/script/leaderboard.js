// Methods by data sets: leaderboard with ranks, method against method, accuracy and cost.
"use strict";

// --- what is chosen ---

function preferred(name, options, rows) {
  // Where nothing is chosen: the decoder that cross-validation prefers, a condition under which methods are tested.
  if (name === "decoder" && options.includes("better")) return "better";
  if (name === "variant") return rows.find(isRanked)?.variant ?? options[0];
  return options[0];
}

function choices(chosen) {
  // What there is to choose from, one choice after another, and what is chosen of it.
  const found = {};
  let rows = DATA.scores;
  for (const name of ["study", "metric", "point", "decoder", "variant"]) {
    const options = distinct(rows, name);
    const wanted = options.includes(chosen[name]) ? chosen[name] : preferred(name, options, rows);
    found[name] = { options, value: wanted };
    rows = where(rows, { [name]: wanted });
  }
  const datasets = distinct(rows, "dataset");
  const named = (chosen.data ?? "").split(",").filter((name) => datasets.includes(name));
  found.data = { options: datasets, value: named.length ? named : datasets };
  return { found, rows: rows.filter((row) => found.data.value.includes(row.dataset)) };
}

const LABELS = { study: "Study", metric: "Metric", point: "Settings from", decoder: "Decoder", variant: "Condition" };
const TEXTS = {
  study: (value) => WORDS.studies[value], metric: (value) => value, point: (value) => POINTS[value],
  decoder: (value) => WORDS.decoders[value] ?? (value || "one"), variant: (value) => value || "as given",
};

function controls(view, found) {
  const now = Object.fromEntries(Object.entries(found).map(([name, { value }]) => [name, value]));
  const go = (changed) => {
    const next = { ...now, ...changed };
    const all = next.data.length === found.data.options.length || changed.study;
    location.hash = address(view, { ...next, data: all ? "" : next.data.join(",") });
  };
  const selects = Object.keys(LABELS).filter((name) => name === "study" || found[name].options.length > 1).map((name) => element(
    "label", {}, LABELS[name],
    element("select", { id: `choose-${view}-${name}`, onchange: (event) => go({ [name]: event.target.value }) },
      found[name].options.map((value) => element("option", { value, selected: value === found[name].value }, TEXTS[name](value))))));
  const boxes = found.data.options.length < 2 ? null : element("fieldset", {},
    element("legend", {}, "Data sets"),
    found.data.options.map((name) => element("label", {}, element("input", {
      type: "checkbox", id: `choose-${view}-data-${name}`, checked: found.data.value.includes(name),
      onchange: (event) => {
        const kept = found.data.options.filter((each) => (each === name ? event.target.checked : found.data.value.includes(each)));
        go({ data: kept.length ? kept : found.data.options });
      },
    }), name)));
  return element("form", { class: "controls", "aria-label": "What is shown", onsubmit: (event) => event.preventDefault() }, selects, boxes);
}

const LEGEND = () => element("ul", { class: "legend" },
  element("li", {}, element("b", { class: "mark-best" }, "● "), `${BEST}, or ${EQUIVALENT}`),
  element("li", {}, element("b", { class: "mark-near" }, "▲ "), `${CLOSE}, or ${NOT_SEPARATED}: no valid test finds it worse`),
  element("li", {}, element("b", { class: "mark-behind" }, "◆ "), `${BEHIND} by a valid test`),
  element("li", {}, element("b", { class: "mark-open" }, "■ "), UNTESTED),
  DATA.scores.every(isRival) ? null : element("li", {}, element("b", {}, "✚ "), `${REFERENCE}, a generator's own model: no competitor`));

function testNote(study) {
  return element("p", {}, `${WORDS.tests[study]} p-values are corrected by Holm over all pairs of a data set, as whoever looks for the best `
    + "looks at all of them. No method is called the winner where the tests find none.");
}

const isAnyTested = (rows) => rows.some(isRanked);

const methodOrder = (rows) => distinct(rows, "method");

// --- leaderboard ---

function leadersTitle(dataset, rows) {
  const rivals = rows.filter(isRival), [first] = rivals.length ? rivals : rows, { title, is_loss } = metricOf(first.metric);
  return first.metric === TESTED ? standingTitle(dataset, rivals)
    : `${dataset}: ${title} is ${is_loss ? "lowest" : "highest"} for ${first.name}, ${valueText(first)} (not tested)`;
}

function standingTitle(dataset, rows) {
  const of = `${counted(rows.length, "method")}`, n = (is) => rows.filter(is).length;
  if (!isAnyTested(rows)) return `${dataset}: ${of}, not tested against each other`;
  const worse = n((row) => row.standing === BEHIND), near = n((row) => row.standing === CLOSE || row.standing === NOT_SEPARATED);
  if (!worse && rows.length > 1 && near) return `${dataset}: no test tells the ${of} apart`;
  const best = rows.find((row) => row.standing === BEST)?.name;
  if (worse === rows.length - 1) return `${dataset}: ${best} is better than each of the other ${worse}`;
  return `${dataset}: ${n(isTop)} of ${of} best or equivalent${near ? `, ${near} not separated from the best` : ""}`;
}

function dressed(rows) {
  return rows.map((row) => ({
    ...row, name: methodName(row.study, row.method), address: cellAddress(row),
    from: row.rank_low === null ? null : row.rank_low - 0.3, to: row.rank_high === null ? null : row.rank_high + 0.3,
  })).sort(bestFirst);
}

const link = (row) => element("a", { href: row.address }, row.name);

function leaderColumns(metric) {
  return [
    ["method", (row) => row.name, link],
    [metricOf(metric).title, (row) => row.value, (row) => valueText(row)],
    ["lowest run", (row) => row.low, (row) => valueText(row, row.low)], ["highest run", (row) => row.high, (row) => valueText(row, row.high)],
    ["runs", (row) => row.n_runs], ["standing", (row) => row.standing],
    ["minus the best (points)", (row) => row.gap_points, (row) => (row.gap_points === null ? DASH : signed(row.gap_points))],
    ["95 % interval after Holm", (row) => row.gap_low, (row) => (row.gap_low === null ? DASH : `${signed(row.gap_low)} to ${signed(row.gap_high)}`)],
    ["rank", (row) => row.rank], ["ranks that tests leave", (row) => (row.rank_low === null ? null : `${row.rank_low}–${row.rank_high}`)],
    ["CPU seconds", (row) => row.cpu_seconds, (row) => seconds(row.cpu_seconds)], ["settings", (row) => row.chosen],
  ];
}

function topCount(method, rows) {
  // On how many of the data sets on which it is ranked a method is the best or equivalent to it.
  const ranked = rows.filter((row) => row.method === method && isRanked(row));
  return [ranked.filter(isTop).length, ranked.length];
}

// The best and those equivalent to it; of a metric that is not tested, the best number.
const isBold = (row, best) => (row.metric === TESTED && isRanked(row) ? isTop(row) : isRival(row) && row.value === best);

function matrix(rows, datasets, metric) {
  // Methods by data sets; a click on a cell shows what is behind it.
  const byCell = new Map(rows.map((row) => [`${row.method}/${row.dataset}`, row]));
  const at = (method, dataset) => byCell.get(`${method}/${dataset}`);
  const bestOf = Object.fromEntries(datasets.map((name) => {
    return [name, rows.filter((row) => row.dataset === name && isRival(row)).sort(bestFirst)[0]?.value];
  }));
  const columns = [
    ["method", (row) => row.name],
    ...datasets.map((dataset) => [
      datasetText(rows.find((row) => row.dataset === dataset)),
      (row) => at(row.method, dataset)?.value,
      (row) => {
        const found = at(row.method, dataset);
        if (!found) return DASH;
        const shown = element("a", { href: cellAddress(found), title: `${row.name} on ${dataset}: ${found.standing}` },
          isTop(found) ? element("span", { class: "sign", "aria-label": `${found.standing} ` }, "● ") : null,
          isBold(found, bestOf[dataset]) ? element("b", {}, valueText(found)) : valueText(found));
        return shown;
      },
      (row) => { const found = at(row.method, dataset); return found && isTop(found) ? "top" : null; },
    ]),
  ];
  if (isAnyTested(rows)) columns.splice(1, 0, ["best or equivalent", (row) => topCount(row.method, rows)[0], (row) => topCount(row.method, rows).join(" of ")]);
  const methods = methodOrder(rows).map((method) => ({ method, name: methodName(rows[0].study, method) }));
  return tableWithTools(`${metricOf(metric).title} of ${methods.length} methods on ${counted(datasets.length, "data set")}`, columns, methods);
}

function leaderTitle(found, rows, datasets) {
  const tested = datasets.filter((name) => isAnyTested(where(rows, { dataset: name })));
  if (!tested.length) return `${WORDS.studies[found.study.value]}: measured, not tested against each other`;
  const counts = methodOrder(rows).map((method) => [methodName(found.study.value, method), ...topCount(method, rows)]).sort((one, other) => other[1] - one[1]);
  const most = counts.filter(([, n]) => n === counts[0][1]).map(([name]) => name);
  const names = most.length > 3 ? `${most.length} methods are` : `${listed(most)} ${most.length > 1 ? "are" : "is"}`;
  return `${names} best or equivalent to the best on ${counts[0][1]} of ${counted(tested.length, "data set")}`;
}

function foremostTitle(rows, datasets, metric) {
  // Of a metric that is not tested: whose number is the best.
  const first = datasets.map((dataset) => where(rows, { dataset }).filter(isRival).sort(bestFirst)[0]).filter(Boolean);
  const counts = [...Map.groupBy(first, (row) => methodName(row.study, row.method))].map(([name, all]) => [name, all.length]);
  const most = Math.max(...counts.map(([, n]) => n));
  const names = counts.filter(([, n]) => n === most).map(([name]) => name);
  return `${capital(metric)} is ${metricOf(metric).is_loss ? "lowest" : "highest"} on ${most} of ${counted(datasets.length, "data set")}${names.length > 1 ? " each" : ""} for ${listed(names)} (not tested)`;
}

function withoutMetric(found, rows) {
  // Methods that have an accuracy here and nothing of this metric, such as probabilities.
  const same = Object.fromEntries(["study", "point", "decoder", "variant"].map((name) => [name, found[name].value]));
  const tested = where(DATA.scores, { ...same, metric: TESTED }).filter((row) => found.data.value.includes(row.dataset));
  const names = methodOrder(tested).filter((method) => !rows.some((row) => row.method === method)).map((method) => methodName(same.study, method));
  return names.length ? ` Without ${found.metric.value}: ${listed(names)}.` : "";
}

function showLeaderboard(chosen) {
  const { found, rows } = choices(chosen);
  const metric = found.metric.value, datasets = found.data.value, { title: label, is_loss } = metricOf(metric);
  const isTested = metric === TESTED;
  const parts = [controls("leaderboard", found), LEGEND(), matrix(rows, datasets, metric)];
  if (!isTested) parts.push(absent(`${is_loss ? "Lower is better; bold is the lowest. " : ""}The tests compare accuracies; the standing shown is that of the accuracy.${withoutMetric(found, rows)}`));
  parts.push(element("h3", {}, `${capital(label)}, lowest and highest run`), element("div", { class: "grid" }, datasets.map((dataset) => {
    const ofSet = dressed(where(rows, { dataset }));
    return chart(leadersTitle(datasetText(ofSet[0]), ofSet), "leaders", ofSet, leaderColumns(metric), { x: directed(metric) });
  })));
  const ranked = datasets.filter((name) => isTested && rows.some((row) => row.dataset === name && row.rank_low !== null));
  if (ranked.length) {
    parts.push(element("h3", {}, "Ranks that the tests leave to each method"),
      element("p", {}, "The bar goes from 1 + the number of methods found better to the number of methods not found worse; the tick is the rank by accuracy."),
      element("div", { class: "grid" }, ranked.map((dataset) => {
        const ofSet = dressed(where(rows, { dataset })).filter((row) => row.rank_low !== null).sort((a, b) => a.rank - b.rank);
        const widest = Math.max(...ofSet.map((row) => row.rank_high - row.rank_low + 1));
        return chart(`${dataset}: up to ${widest} of ${ofSet.length} ranks are open to a method`, "ranks", ofSet, leaderColumns(metric));
      })));
  }
  parts.push(isAnyTested(rows) ? testNote(found.study.value) : element("p", {}, WORDS.tests[found.study.value]));
  return { title: isTested ? leaderTitle(found, rows, datasets) : foremostTitle(rows, datasets, metric), parts };
}

// --- pairs ---

const OPPOSITE = { better: "worse", worse: "better" };

function bothWays(pairs) {
  return pairs.flatMap((row) => [row, {
    ...row, method: row.other, other: row.method, points: -row.points, low: -row.high, high: -row.low,
    decision: OPPOSITE[row.decision] ?? row.decision,
  }]);
}

function winRows(study, pairs, methods) {
  const groups = Map.groupBy(bothWays(pairs), (row) => `${row.method}/${row.other}`);
  return methods.flatMap((method) => methods.map((other) => {
    const found = groups.get(`${method}/${other}`) ?? [];
    const n = (decision) => found.filter((row) => row.decision === decision).length;
    const [better, worse] = [n("better"), n("worse")];
    const decision = !found.length ? null : better && worse ? "mixed" : better ? "better" : worse ? "worse"
      : n("equivalent") === found.length ? "equivalent" : "undecided";
    const name = methodName(study, method), other_name = methodName(study, other);
    const text = !found.length ? "" : found.length === 1 ? signed(found[0].points) : better || worse ? `${better}:${worse}` : decision === "equivalent" ? "=" : "·";
    return { method, other, name, other_name, decision, better, worse, text, n: found.length,
      text_long: `${name} against ${other_name}: better on ${better}, worse on ${worse} of ${counted(found.length, "data set")}` };
  }));
}

function showPairs(chosen) {
  const { found, rows } = choices({ ...chosen, metric: TESTED });
  found.metric.options = [TESTED]; // there is nothing to choose
  const study = found.study.value, methods = methodOrder(rows.filter(isRival)), datasets = found.data.value;
  const wanted = Object.fromEntries(["study", "point", "decoder", "variant"].map((name) => [name, found[name].value]));
  const pairs = where(DATA.pairs, wanted).filter((row) => datasets.includes(row.dataset) && methods.includes(row.method) && methods.includes(row.other));
  const parts = [controls("pairs", found)];
  if (!pairs.length) return { title: `${WORDS.studies[study]}: no tests between methods here`, parts: [...parts, absent(WORDS.tests[study])] };
  const cells = winRows(study, pairs, methods);
  const distinctPairs = pairs.filter((row) => row.decision === "better" || row.decision === "worse").length;
  const score = methods.map((method) => [method, cells.filter((row) => row.method === method).reduce((sum, row) => sum + row.better - row.worse, 0)]);
  const first = score.sort((one, other) => other[1] - one[1])[0];
  const one = datasets.length === 1;
  const title = `Tests tell ${distinctPairs} of ${counted(pairs.length, "pair")} apart${distinctPairs ? `; ${methodName(study, first[0])} has the most wins less losses (${signed(first[1]).replace(".00", "")})` : ""}`;
  const ordered = score.map(([method]) => method);
  const sorted = cells.sort((a, b) => ordered.indexOf(a.method) - ordered.indexOf(b.method) || ordered.indexOf(a.other) - ordered.indexOf(b.other));
  const meaning = one ? "Numbers are points of accuracy, row minus column." : "3:1 means that the row is better on three data sets and worse on one; = equivalent on all, · undecided.";
  parts.push(element("ul", { class: "legend" },
    element("li", {}, element("b", { class: "mark-best" }, "■ "), "the row is better"), element("li", {}, element("b", { class: "mark-behind" }, "■ "), "the row is worse"),
    element("li", {}, "light grey: equivalent; dark grey: better on some, worse on others; blank ground: undecided")),
  chart(`Row against column: ${one ? datasets[0] : counted(datasets.length, "data set")}`, "wins", sorted, [
    ["method", (row) => row.name], ["against", (row) => row.other_name], ["better on", (row) => row.better], ["worse on", (row) => row.worse], ["data sets", (row) => row.n],
  ], {}, meaning, (row) => row.n), element("p", {}, meaning), testNote(study));
  const name = (row) => methodName(study, row.method);
  parts.push(element("details", { open: pairs.length <= 60 }, element("summary", {}, `All ${counted(pairs.length, "test")}`), tableWithTools(`Tests of ${WORDS.studies[study]}`, [
    ["data set", (row) => row.dataset], ["method", name], ["against", (row) => methodName(study, row.other)],
    ["difference (points)", (row) => row.points, (row) => signed(row.points)],
    ["95 % interval", (row) => `${fixed(row.low)} to ${fixed(row.high)}`], ["p", (row) => row.p_value, (row) => pText(row.p_value)],
    ["95 % interval after Holm", (row) => (row.holm_low === null ? DASH : `${fixed(row.holm_low)} to ${fixed(row.holm_high)}`)], ["p after Holm", (row) => row.p_holm, (row) => pText(row.p_holm)], ["decision", (row) => row.decision],
  ], pairs, 3)));
  return { title, parts };
}

// --- cost ---

function withFront(rows) {
  // Marks the rows that no other one beats in both seconds and value.
  const marked = rows.map((row) => ({ ...row, front: !rows.some((other) => other !== row && other.cpu_seconds <= row.cpu_seconds
    && (gain(other) > gain(row) || (other.value === row.value && other.cpu_seconds < row.cpu_seconds))) }));
  const logs = rows.map((row) => Math.log(row.cpu_seconds));
  const middle = (Math.min(...logs) + Math.max(...logs)) / 2;
  return marked.map((row) => {
    const name = isNamed(row, marked) ? row.name : "", isRight = Math.log(row.cpu_seconds) > middle;
    return { ...row, name_after: isRight ? "" : name, name_before: isRight ? name : "" };
  });
}

function isNamed(row, rows) {
  // Of neighbours on the front the best alone has its name beside it: names must not cover each other.
  const extent = (values) => Math.max(...values) - Math.min(...values) || 1;
  const tall = extent(rows.map((each) => each.value)), wide = extent(rows.map((each) => Math.log(each.cpu_seconds)));
  const isNear = (other) => Math.abs(other.value - row.value) < 0.07 * tall && Math.abs(Math.log(other.cpu_seconds / row.cpu_seconds)) < 0.6 * wide;
  return row.front && !rows.some((other) => other.front && other !== row && isNear(other) && other.cpu_seconds > row.cpu_seconds);
}

function showCost(chosen) {
  const { found, rows } = choices(chosen);
  const metric = found.metric.value;
  const parts = [controls("cost", found), LEGEND()];
  const timed = rows.filter((row) => row.cpu_seconds > 0 && isRival(row));
  if (!timed.length) return { title: `${WORDS.studies[found.study.value]}: no seconds are kept here`, parts: [...parts, absent("The results of this choice keep no CPU seconds.")] };
  const fronts = found.data.value.filter((dataset) => timed.some((row) => row.dataset === dataset)).map((dataset) => {
    const ofSet = withFront(dressed(where(timed, { dataset }))).sort((a, b) => a.cpu_seconds - b.cpu_seconds);
    const names = ofSet.filter((row) => row.front).map((row) => row.name);
    return { dataset, ofSet, names };
  });
  const often = Map.groupBy(fronts.flatMap(({ names }) => names), (name) => name);
  const [first, times] = [...often].map(([name, all]) => [name, all.length]).sort((a, b) => b[1] - a[1])[0];
  parts.push(element("p", {}, "The dashed line joins the methods that no other one beats in both seconds and value; where they are close, the best alone is named. A difference of accuracy may still be chance; see the colours."),
    element("div", { class: "grid" }, fronts.map(({ dataset, ofSet, names }) => chart(
      names.length === 1 ? `${dataset}: of ${ofSet.length} methods ${names[0]} alone is on the front`
        : `${dataset}: ${names.length} of ${counted(ofSet.length, "method")} on the front, from ${names[0]} to ${names.at(-1)}`, "cost", ofSet,
      [...leaderColumns(metric).slice(0, 2), ["CPU seconds", (row) => row.cpu_seconds, (row) => seconds(row.cpu_seconds)], ["on the front", (row) => (row.front ? "yes" : "no")], ["standing", (row) => row.standing]],
      { y: directed(metric) }))));
  return { title: `${first} is on the front of ${metric} and cost on ${times} of ${counted(fronts.length, "data set")}`, parts };
}
