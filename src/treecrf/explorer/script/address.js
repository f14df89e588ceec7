// The view and what is chosen in it, in the address's fragment: "#leaderboard?study=training&metric=accuracy".
"use strict";

function readAddress() {
  const [view, query] = location.hash.slice(1).split("?");
  return { view: view || "overview", chosen: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

function address(view, chosen) {
  const known = Object.entries(chosen).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  const query = new URLSearchParams(known).toString();
  return `#${view}${query ? `?${query}` : ""}`;
}

const cellAddress = (row) => address("cell", {
  study: row.study, dataset: row.dataset, method: row.method, variant: row.variant, decoder: row.decoder, point: row.point,
});
