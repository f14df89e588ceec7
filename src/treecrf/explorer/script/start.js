// Shows the view that the address names, whenever it changes, and draws again when colours do.
"use strict";

const VIEWS = { leaderboard: showLeaderboard, pairs: showPairs, cost: showCost, cell: showCell, claims: showClaims, claim: showClaim };
const PARENTS = { cell: "leaderboard", claim: "claims" };
const TITLE = document.title;
let first = true;

function show() {
  const { view, chosen } = readAddress();
  const section = document.getElementById(`view-${view}`) ?? document.getElementById("view-overview");
  const name = section.dataset.view;
  const focused = document.activeElement?.id;
  drawn.length = 0;
  document.querySelectorAll("[data-view]").forEach((each) => { each.hidden = each !== section; });
  document.querySelectorAll("nav.views a").forEach((each) => {
    const isHere = each.getAttribute("href").split("?")[0] === `#${PARENTS[name] ?? name}`;
    if (isHere) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  });
  const heading = section.querySelector("h2");
  if (VIEWS[name]) {
    const { title, parts } = DATA.scores.length || name.startsWith("claim") ? VIEWS[name](chosen)
      : { title: "No study has results yet", parts: [] };
    heading.textContent = title;
    section.querySelector(".content").replaceChildren(...parts.filter((part) => part));
  } else {
    showOverview();
  }
  document.title = `${heading.textContent} – ${TITLE}`;
  document.getElementById("announcement").textContent = heading.textContent;
  drawAll();
  const same = focused && document.getElementById(focused);
  if (same && section.contains(same)) same.focus({ preventScroll: true });
  else if (!first) { heading.focus({ preventScroll: true }); scrollTo(0, 0); }
  first = false;
  document.body.dataset.shown = location.hash;
}

addEventListener("hashchange", show);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
document.querySelector("[data-skip]").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});
show();
