// Shows the view that the address names, whenever it changes.
"use strict";

const VIEWS = { leaderboard: showLeaderboard, pairs: showPairs, cost: showCost, method: showMethod, pair: showPair, cell: showCell };
const PARENTS = { method: "leaderboard", cell: "leaderboard", pair: "pairs" };
const TITLE = document.title;
const LAST = {}; // the address of each parent view when it was shown last
let isFirst = true;

const wayBack = (view, chosen) => element("p", {}, link(LAST[PARENTS[view]] ?? address(PARENTS[view], chosen), `← ${capital(PARENTS[view])}`));

function show() {
  const { view, chosen } = readAddress(), name = VIEWS[view] ? view : "leaderboard", focused = document.activeElement?.id;
  if (!PARENTS[name]) LAST[name] = location.hash || `#${name}`;
  drawn.length = 0;
  TIP.hidden = true;
  document.querySelectorAll("nav.views a").forEach((each) => {
    const tab = each.dataset.tab;
    each.href = address(tab, pick(chosen, ["study", "metric", "point", "decoder", "variant", "data", "search", "whole"]));
    if (tab === (PARENTS[name] ?? name)) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  });
  const { title, parts } = DATA.scores.length ? VIEWS[name](chosen) : { title: "No study has results yet", parts: [] };
  const heading = document.getElementById("title");
  heading.textContent = title;
  document.getElementById("view").dataset.view = name;
  document.getElementById("content").replaceChildren(...parts.filter(isKnown));
  document.title = `${title} – ${TITLE}`;
  drawAll();
  const same = focused && document.getElementById(focused);
  if (same) {
    for (let fold = same.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    same.focus({ preventScroll: true });
    if (same.type === "search") same.setSelectionRange(same.value.length, same.value.length);
  }
  else if (!isFirst) { heading.focus({ preventScroll: true }); scrollTo(0, 0); }
  isFirst = false;
  document.body.dataset.shown = location.hash;
}

addEventListener("hashchange", show);
document.querySelector("[data-skip]").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("view").focus();
});
show();
