// Sorting and filtering of tables, enlarging of figures, the page in the list of pages, the address to cite; without it,
// pages show the same.
(() => {
  const numberOf = (text) => {
    const found = text.replace(/−/g, "-").replace(/,/g, "").match(/-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i);
    return found ? Number(found[0]) : -Infinity;
  };

  const sortBy = (table, heading) => {
    const place = heading.cellIndex;
    const isNumber = heading.classList.contains("number");
    const sign = heading.ariaSort === "ascending" ? -1 : 1;
    for (const other of heading.parentNode.cells) other.ariaSort = null;
    heading.ariaSort = sign > 0 ? "ascending" : "descending";
    const textOf = (row) => row.cells[place].textContent;
    const rows = [...table.tBodies[0].rows].sort((one, two) => sign * (isNumber
      ? numberOf(textOf(one)) - numberOf(textOf(two))
      : textOf(one).localeCompare(textOf(two))));
    table.classList.add("sorted");
    table.tBodies[0].append(...rows);
  };

  for (const table of document.querySelectorAll("table.results")) {
    for (const heading of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sortBy(table, heading));
    }
    const rows = [...table.tBodies[0].rows];
    if (rows.length < 12) continue;
    const input = document.createElement("input");
    input.type = "search";
    input.placeholder = "Show rows with …";
    input.setAttribute("aria-label", "Show rows with");
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
      table.classList.toggle("sorted", words.length > 0);
    });
    const label = document.createElement("p");
    label.className = "filter";
    label.append(input);
    table.parentNode.before(label);
  }

  for (const image of document.querySelectorAll("article img[src$='.svg']")) {
    image.tabIndex = 0;
    image.setAttribute("role", "button");
    const enlarge = () => {
      const dialog = document.createElement("dialog");
      dialog.className = "enlarged";
      const large = new Image();
      [large.src, large.alt] = [image.src, image.alt];
      const close = document.createElement("button");
      [close.type, close.textContent] = ["button", "Close"];
      close.addEventListener("click", () => dialog.close());
      const file = document.createElement("a");
      [file.href, file.download, file.textContent] = [image.src, "", "Save as SVG"];
      const bar = document.createElement("p");
      bar.append(close, file);
      dialog.append(bar, large);
      dialog.tabIndex = -1;
      large.addEventListener("click", () => large.classList.toggle("full"));
      dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
      dialog.addEventListener("keydown", (event) => event.key === "Escape" && dialog.close());
      dialog.addEventListener("close", () => dialog.remove());
      document.body.append(dialog);
      dialog.showModal();
      dialog.focus();
    };
    image.addEventListener("click", enlarge);
    image.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        enlarge();
      }
    });
  }

  const contents = document.querySelector(".sidebar-scroll");
  const here = contents?.querySelector(".current-page");
  if (here) contents.scrollTop += here.getBoundingClientRect().top - contents.clientHeight / 2;

  for (const part of document.querySelectorAll(".highlight-bibtex span")) {
    if (part.textContent === "{address of this page}" && location.protocol.startsWith("http"))
      part.textContent = `{${location.href.split("#")[0]}}`;
  }

  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details.figure")) details.open = true;
  });

  const openTarget = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const details = target?.closest("section")?.querySelector("details.table");
    if (details) details.open = true;
  };
  window.addEventListener("hashchange", openTarget);
  openTarget();
})();
