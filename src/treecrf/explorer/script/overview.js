// The opening: claims by verdict, published numbers beside measured ones.
"use strict";

function publishedRows(quantity) {
  return where(DATA.published, { quantity }).map((row) => ({
    ...row,
    name: methodName(row.study, row.method),
    where: [row.dataset, variantText(row)].filter(Boolean).join(", "),
    data: row.stand_in ? "a stand-in for them" : "the papers' data",
    address: DATA.scores.some((score) => matches(score, Object.fromEntries(["study", "method", ...CASE].map((name) => [name, row[name]]))))
      ? cellAddress(row) : "",
  }));
}

function publishedTitle(quantity, rows) {
  const own = rows.filter((row) => !row.stand_in);
  const name = capital(quantity);
  if (!own.length) return `${name}: ${counted(rows.length, "number")}, all on stand-ins`;
  if (quantity.startsWith("accuracy")) {
    const once = own.filter((row) => row.counted);
    const near = once.filter((row) => Math.abs(row.measured - row.published) <= 1).length;
    return `${name}: ${near} of ${once.length} distinct numbers are within one point of the published number (the papers' data)`;
  }
  if (quantity.includes("seconds")) {
    const ratios = own.map((row) => row.published / row.measured).sort((a, b) => a - b);
    return `${name}: the published number is ${Math.round(ratios[ratios.length >> 1])} times the measured one (median)`;
  }
  if (quantity.startsWith("log odds")) {
    const same = own.filter((row) => Math.sign(row.published) === Math.sign(row.measured)).length;
    return `${name}: ${same} of ${own.length} have the published sign (the papers' data)`;
  }
  const near = own.filter((row) => Math.abs(row.measured - row.published) <= 0.01).length;
  return `${name}: ${near} of ${own.length} are within 0.01 of the published number`;
}

function showOverview() {
  const place = document.getElementById("published-charts");
  if (place) {
    place.replaceChildren(...distinct(DATA.published, "quantity").map((quantity) => {
      const rows = publishedRows(quantity);
      const columns = [
        ["data set", (row) => row.where], ["method", (row) => row.name, (row) => (row.address ? element("a", { href: row.address }, row.name) : row.name)],
        ["source", (row) => row.source], ["data", (row) => row.data],
        ["published", (row) => row.published], ["measured", (row) => row.measured, (row) => Number(row.measured.toPrecision(4)).toString()],
      ];
      return chart(publishedTitle(quantity, rows), quantity.includes("seconds") ? "published_log" : "published", rows, columns);
    }));
  }
  const ledger = document.getElementById("ledger-chart");
  if (ledger) ledger.replaceChildren(verdictChart());
}

function verdictChart() {
  const rows = Object.entries(WORDS.papers).flatMap(([letter, paper]) => WORDS.verdicts.map(([verdict, word], place) => ({
    paper, verdict: word, place, n: DATA.claims.filter((claim) => claim.id[0] === letter && claim.verdict === verdict).length,
    address: address("claims", { paper: letter, verdict }),
  }))).filter((row) => row.n);
  const n = DATA.claims.filter((claim) => claim.verdict === "replicated").length;
  const columns = [["paper", (row) => row.paper], ["verdict", (row) => row.verdict, (row) => element("a", { href: row.address }, row.verdict)], ["claims", (row) => row.n]];
  return chart(`${n} of ${DATA.claims.length} claims are replicated; a click shows the claims`, "verdicts", rows, columns);
}
