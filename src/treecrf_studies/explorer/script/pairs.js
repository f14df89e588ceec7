// Method against method: all pairs, and the tests of one pair on all data sets.
"use strict";

function tally(rows) {
  const n = (decision) => rows.filter((row) => row.decision === decision).length;
  const [better, worse, equivalent] = [n("better"), n("worse"), n("equivalent")];
  const kind = better && worse ? "mixed" : better ? "better" : worse ? "worse" : equivalent === rows.length ? "equivalent" : "";
  const shown = rows.length === 1 ? signed(rows[0].value) : better || worse ? `${better}:${worse}` : kind ? "=" : "·";
  return { better, worse, kind, shown };
}

const testColumns = [
  ["tested difference (points)", (row) => row.value, (row) => signed(row.value)], ["95 %, uncorrected", (row) => between(row.low, row.high)],
  ["p, uncorrected", (row) => row.p_value, (row) => pText(row.p_value)], ["95 %, Bonferroni", (row) => between(row.family_low, row.family_high)],
  ["p, Holm", (row) => row.p_holm, (row) => pText(row.p_holm)], ["decision", (row) => row.decision, null, () => "text"],
];

const SIGNS = { better: "circle", worse: "diamond", equivalent: "ring", undecided: "square" };

const intervalsOf = (rows) => (rows.every((row) => isKnown(row.family_low)) ? "95 % intervals (Bonferroni)" : "95 % intervals (uncorrected)");

function forest(title, rows, nameFor, hrefFor, tip) {
  // Tested differences with their intervals, a row each.
  const possible = (value) => (isKnown(value) ? Math.max(-100, Math.min(100, value)) : null);
  const strip = rows.map((row) => ({ name: nameFor(row), marks: [{
    value: row.value, low: possible(row.family_low ?? row.low), high: possible(row.family_high ?? row.high), shape: SIGNS[row.decision] ?? "square", href: hrefFor(row),
    tip: `${tip(row)}: ${signed(row.value)} points (${between(row.family_low ?? row.low, row.family_high ?? row.high)}), ${row.decision}`,
  }] }));
  return strips(title, strip, { x: "points of accuracy", zero: true });
}

function pairsOf(found) {
  // The tests between methods under the chosen conditions.
  return found.metric.value === TESTED ? where(DATA.pairs, Object.fromEntries(["study", "point", "decoder", "variant"].map((name) => [name, found[name].value]))) : [];
}

function showPairs(chosen) {
  const { found, rows } = choices({ ...chosen, metric: TESTED }, where(DATA.scores, { metric: TESTED }));
  const study = found.study.value, result = compare(withGaps(rows.filter(isRival)), pairsOf(found)), { sets, compared } = result, methods = compared.map((entry) => entry.method);
  const pairs = pairsOf(found).filter((row) => sets.includes(row.dataset) && methods.includes(row.method) && methods.includes(row.other));
  const parts = [controls("pairs", found)];
  if (!pairs.length) return { title: `${WORDS.studies[study]}: no tests between methods here`, parts: [...parts, absent(WORDS.tests[study])] };
  const cells = Map.groupBy(bothWays(pairs), (row) => `${row.method} ${row.other}`), different = pairs.filter((row) => OPPOSITE[row.decision]).length;
  const cell = (method, other) => {
    const all = cells.get(`${method} ${other}`);
    if (!all) return element("td", {}, method === other ? "" : DASH);
    const { better, worse, kind, shown } = tally(all);
    const tip = `${nameOf({ study, method })} vs ${nameOf({ study, method: other })}: better on ${better}, worse on ${worse} of ${counted(all.length, "data set")}, mean ${signed(mean(all.map((row) => row.value)))} points`;
    return element("td", { class: kind }, element("a", { href: pairAddress(all[0]), tabindex: -1, "data-mark": "", "data-tip": tip, "aria-label": tip }, shown));
  };
  const made = element("table", { class: "matrix", "data-marks": "" }, element("caption", { class: "hidden-text" }, "Row vs column"),
    element("thead", {}, element("tr", {}, element("td", {}), compared.map(({ name }) => element("th", { scope: "col" }, element("span", {}, name))))),
    element("tbody", {}, compared.map(({ method, name }) => element("tr", {}, element("th", { scope: "row" }, name), methods.map((other) => cell(method, other))))));
  made.querySelector("[data-mark]")?.setAttribute("tabindex", 0);
  return {
    title: headline(result, found),
    parts: [...parts, comparedOn(result), element("p", {}, `${different} of ${counted(pairs.length, "test")} separate two methods (${counted(compared.length * (compared.length - 1) / 2, "pair")} of methods, ${counted(sets.length, "data set")}). Choose a pair to see its tests.`), element("ul", { class: "legend" },
      ...[["better", "row is better"], ["worse", "row is worse"], ["mixed", "better on some, worse on others"], ["equivalent", "= equivalent"]].map(([kind, words]) => element("li", {}, element("span", { class: `swatch ${kind}` }), ` ${words}`)),
      element("li", {}, sets.length === 1 ? "numbers are points, row minus column" : "3:1 is better on three data sets and worse on one; · undecided")),
    element("div", { class: "wide", role: "region", "aria-label": "Row vs column. Arrow keys move between the pairs." }, made), testNote(study, rows),
    element("details", {}, element("summary", {}, `All ${counted(pairs.length, "test")}`), table(`Tests of ${WORDS.studies[study]}`, [
      ["data set", (row) => row.dataset], ["method", (row) => nameOf(row)], ["vs", (row) => nameOf(row, row.other)], ...testColumns], pairs, 3))],
  };
}

function showPair(chosen) {
  const { method, other, ...rest } = chosen, back = wayBack("pair", rest);
  const rows = bothWays(DATA.pairs).filter((row) => ["study", "method", "other"].every((name) => row[name] === chosen[name])
    && ["variant", "decoder"].every((name) => row[name] === (chosen[name] ?? "")) && row.point === (chosen.point ?? "choice"));
  if (!rows.length) return { title: "These two methods are not tested against each other", parts: [back] };
  const [one, two] = [nameOf(rows[0]), nameOf(rows[0], other)], own = rows.filter((row) => ownSets(rows).includes(row.dataset)), { better, worse } = tally(own);
  const title = `Tested difference, ${one} minus ${two}, ${intervalsOf(rows)}`;
  const columns = [["data set", (row) => row.dataset, (row) => link(cellAddress(row), datasetText(row))], ...testColumns];
  return {
    title: `${one} vs ${two}: ${better + worse ? `better on ${better}, worse on ${worse} of ${counted(own.length, "data set")}` : `no test separates them on ${setsText(own.map((row) => row.dataset))}`}, ${signed(mean(own.map((row) => row.value)))} points on average`,
    parts: [back, element("p", {}, `${WORDS.studies[chosen.study]} · ${conditionText(rows[0])}`, " · ", link(pairAddress({ ...rows[0], method: other, other: method }), `${two} vs ${one}`)),
      chart(title, forest(title, rows, datasetText, cellAddress, datasetText), columns, rows, true), testNote(chosen.study, [{ standing: BEST }])],
  };
}
