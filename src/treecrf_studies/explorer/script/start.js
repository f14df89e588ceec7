// Shows the view that the address names, whenever it changes.
"use strict";

const VIEWS = { leaderboard: showLeaderboard, pairs: showPairs, cost: showCost, method: showMethod, pair: showPair, cell: showCell };
const PARENTS = { method: "leaderboard", cell: "leaderboard", pair: "pairs" };
const TITLE = document.title;
let isFirst = true;

function show() {
  const { view, chosen } = readAddress(), name = VIEWS[view] ? view : "leaderboard", focused = document.activeElement?.id;
  drawn.length = 0;
  TIP.hidden = true;
  document.querySelectorAll("nav.views a").forEach((each) => {
    if (each.hash === `#${PARENTS[name] ?? name}`) each.setAttribute("aria-current", "page");
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
  if (same) same.focus({ preventScroll: true });
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
