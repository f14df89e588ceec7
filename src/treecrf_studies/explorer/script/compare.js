// Which methods are compared on which data sets, and what tests say of them: one rule for the headlines and tables of all views.
"use strict";

const OPPOSITE = { better: "worse", worse: "better" };
const minus = (value) => (isKnown(value) ? -value : null);

const bothWays = (pairs) => pairs.flatMap((row) => [row, {
  ...row, method: row.other, other: row.method, value: -row.value, low: minus(row.high), high: minus(row.low),
  family_low: minus(row.family_high), family_high: minus(row.family_low), decision: OPPOSITE[row.decision] ?? row.decision,
}]);

const ownSets = (rows) => distinct(rows, "dataset").filter((name, _, all) => !all.includes(LARGER[name])); // a larger sample stands beside its set

function common(rows) {
  // The methods and the data sets that all of them have; where no set has all methods, the largest such group.
  const sets = ownSets(rows), methods = distinct(rows, "method"), has = new Set(rows.map((row) => JSON.stringify([row.method, row.dataset])));
  const have = (method, name) => has.has(JSON.stringify([method, name]));
  const groups = [methods, ...sets.map((name) => methods.filter((method) => have(method, name)))]
    .map((some) => ({ methods: some, sets: sets.filter((name) => some.every((method) => have(method, name))) }));
  return groups[0].sets.length ? groups[0] : groups.sort((one, other) => other.methods.length * other.sets.length - one.methods.length * one.sets.length)[0];
}

function compare(rows, pairs) {
  // An entry for each rival: what it has on the common data sets; methods that lack some of them come last.
  const { methods, sets } = common(rows), isIn = (row) => sets.includes(row.dataset) && methods.includes(row.method);
  const inside = rows.filter(isIn), tests = bothWays(pairs).filter((row) => isIn(row) && methods.includes(row.other));
  const rank = (row) => inside.reduce((sum, other) => sum + (other.dataset !== row.dataset || other === row ? 0 : bestFirst(row, other) > 0 ? 1 : bestFirst(row, other) ? 0 : 0.5), 1);
  const entries = [...Map.groupBy(rows, (row) => row.method)].map(([method, all]) => {
    const own = all.filter(isIn), of = tests.filter((row) => row.method === method), n = (decision) => of.filter((row) => row.decision === decision).length;
    return { method, name: nameOf(all[0]), rows: all, own, isIn: own.length > 0, gap: own.length ? mean(own.map((row) => row.gap)) : null, rank: own.length ? mean(own.map(rank)) : null, tests: of.length, won: n("better"), lost: n("worse") };
  });
  entries.sort((one, other) => other.isIn - one.isIn || other.won - other.lost - one.won + one.lost || Math.abs(one.gap) - Math.abs(other.gap));
  return { sets, entries, compared: entries.filter((entry) => entry.isIn), n: distinct(rows, "method").length };
}

const setsText = (sets) => (sets.length > 4 ? `${sets.length} data sets` : listed(sets));

function headline(result, { metric, search, whole }) {
  // What tests find, among which methods unless all are shown.
  const found = finding(result, metric.value);
  return search.value || whole.value ? `Among ${counted(result.compared.length, "method")} shown: ${found[0].toLowerCase()}${found.slice(1)}` : found;
}

function finding({ sets, compared }, metric) {
  // A difference that no test shows names no winner.
  const on = setsText(sets), tested = compared.filter((entry) => entry.tests), unbeaten = tested.filter((entry) => !entry.lost), [first] = unbeaten, n = tested.length;
  if (!compared.length) return "No method is shown";
  if (!n) return `${capital(metric)} of ${counted(compared.length, "method")} on ${on}: differences are not tested`;
  if (unbeaten.length === n) return tested.some((entry) => entry.won) ? `No method of ${n} loses a test on ${on}` : `No test separates ${counted(n, "method")} on ${on}`;
  if (!first) return `Each of ${n} methods loses a test on ${on}`;
  if (unbeaten.length === 1 && first.won === first.tests) return `Tests find ${first.name} better than ${n === 2 ? tested.find((entry) => entry !== first).name : `each of the ${n - 1} other methods`} on ${on}`;
  if (unbeaten.length > 4) return `${unbeaten.length} of ${n} methods lose no test on ${on}`;
  return `Start with ${listed(unbeaten.map((entry) => entry.name), "or")}: no test on ${on} finds a better method`;
}

function comparedOn({ sets, compared, entries, n }, beside, metric) {
  // On which data sets methods are compared, in a sentence; with rates and means where other sets stand beside these.
  const left = entries.filter((entry) => !entry.isIn).map((entry) => entry.name);
  return element("p", { class: "note" }, `${beside ? "Rates, ranks and means are" : "Tests are"} over ${listed(sets)}, which ${left.length ? `${compared.length} of ${n} methods have` : n === 1 ? "the method has" : n === 2 ? "both methods have" : `all ${n} methods have`}.`,
    left.length ? ` Not compared: ${listed(left)}.` : "", beside?.length ? ` Beside them: ${listed(beside)}.` : "",
    beside && compared.some((entry) => entry.tests) ? " Win and loss rates are shares of the tests against the other methods shown." : "", beside ? ` Gaps are to the ${extreme(metric)} of all methods, between means; the overview has the differences that tests estimate.` : "");
}
