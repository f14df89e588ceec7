// Claims by verdict and paper, and one claim with its rule, its numbers and its verdict under other rules.
"use strict";

const VERDICT_WORDS = Object.fromEntries(WORDS.verdicts.map(([name, word, sign]) => [name, `${sign} ${word}`]));

function showClaims(chosen) {
  const rows = [...document.querySelectorAll("#claims-table tbody tr")];
  const fits = (row) => ["verdict", "paper"].every((name) => !chosen[name] || row.dataset[name] === chosen[name]);
  rows.forEach((row) => { row.hidden = !fits(row); });
  const shown = rows.filter(fits).length;
  const select = (name, label, options) => element("label", {}, label, element("select", {
    id: `choose-claims-${name}`, onchange: (event) => { location.hash = address("claims", { ...chosen, [name]: event.target.value }); },
  }, element("option", { value: "" }, "all"), options.map(([value, text]) => element("option", { value, selected: chosen[name] === value }, text))));
  const papers = Object.entries(WORDS.papers).filter(([letter]) => DATA.claims.some((claim) => claim.id[0] === letter));
  const form = element("form", { class: "controls", "aria-label": "Which claims", onsubmit: (event) => event.preventDefault() },
    select("verdict", "Verdict", WORDS.verdicts), select("paper", "Paper", papers),
    element("button", { type: "button", onclick: () => saveCsv("claims", ["id", "verdict", "source", "statement", "check", "numbers", "test", "thresholds", "explanation"].map((name) => [name, (row) => row[name]]),
      DATA.claims.filter((claim) => (!chosen.verdict || claim.verdict === chosen.verdict) && (!chosen.paper || claim.id[0] === chosen.paper))) }, "Save as CSV"));
  const word = chosen.verdict ? WORDS.verdicts.find(([name]) => name === chosen.verdict)?.[1] : "";
  return { title: `${shown} of ${counted(DATA.claims.length, "claim")}${word ? ` are ${word}` : " of the papers, each with the verdict of this run"}`, parts: [form] };
}

const inLines = (text) => text.split("; ").map((part) => element("li", {}, part));

function showClaim(chosen) {
  const back = element("p", {}, element("a", { href: "#claims" }, "← All claims"));
  const place = DATA.claims.findIndex((claim) => claim.id === chosen.id);
  if (place < 0) return { title: "There is no such claim", parts: [back] };
  const claim = DATA.claims[place];
  const rules = where(DATA.rules, { id: claim.id });
  const changed = rules.filter((row) => row.verdict !== claim.verdict).length;
  const neighbours = [[place - 1, "← "], [place + 1, ""]].filter(([at]) => DATA.claims[at]).map(([at, sign]) => element("a", { href: `#claim?id=${DATA.claims[at].id}` }, `${sign}${DATA.claims[at].id}${sign ? "" : " →"}`));
  const item = (name, value) => (value ? [element("dt", {}, name), element("dd", {}, value)] : []);
  return {
    title: `Claim ${claim.id} is ${WORDS.verdicts.find(([name]) => name === claim.verdict)[1]}`,
    parts: [
      element("p", {}, back.firstChild, "  ", ...neighbours.flatMap((each) => [each, "  "])),
      element("blockquote", {}, element("p", {}, claim.statement), element("footer", {}, claim.source)),
      element("p", { class: `verdict-${claim.verdict}` }, element("b", {}, VERDICT_WORDS[claim.verdict]), claim.explanation ? ` – ${claim.explanation}` : ""),
      element("dl", { class: "facts" }, ...item("Rule", claim.check), ...item("Test", claim.test), ...item("Thresholds", claim.thresholds), ...item("Data sets", claim.data_sets)),
      element("h3", {}, "Numbers"), claim.numbers ? element("ul", {}, inLines(claim.numbers)) : absent("Nothing was measured for this claim."),
      element("h3", {}, rules.length ? (changed ? `${changed} of ${counted(rules.length, "other rule")} would change the verdict` : `The verdict is the same under ${counted(rules.length, "other rule")}`) : "No other rule concerns this claim"),
      rules.length ? tableWithTools(`Claim ${claim.id} under other rules`, [
        ["rule", (row) => row.rule], ["verdict", (row) => row.verdict, (row) => element("span", { class: `verdict-${row.verdict}` }, VERDICT_WORDS[row.verdict])],
        ["changes", (row) => (row.verdict === claim.verdict ? "no" : "yes")],
      ], rules) : "",
    ],
  };
}
