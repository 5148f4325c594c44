"use strict";
// Adds zoom, and shows an edge's ledger entry while its line is pointed at or focused. Everything is on the page
// without it.
for (const figure of document.querySelectorAll("figure.picture")) {
  const frame = figure.querySelector(".frame");
  const svg = frame.querySelector("svg");
  const tools = figure.querySelector(".tools");
  const peek = figure.querySelector(".peek");
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  let scale = 1;
  const show = (wanted) => {
    const least = Math.min(1, (frame.clientWidth - 2) / width);
    const [x, y] = [frame.scrollLeft + frame.clientWidth / 2, frame.scrollTop + frame.clientHeight / 2];
    const before = scale;
    scale = Math.min(4, Math.max(Math.min(0.1, least), wanted));
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
    frame.scrollLeft = (x * scale) / before - frame.clientWidth / 2;
    frame.scrollTop = (y * scale) / before - frame.clientHeight / 2;
  };
  if (tools) tools.hidden = false;
  for (const button of tools?.querySelectorAll("button") ?? []) {
    button.addEventListener("click", () => {
      const zoom = button.dataset.zoom;
      if (zoom === "fit") show((frame.clientWidth - 2) / width);
      else if (zoom === "1") show(1);
      else show(scale * Number(zoom));
    });
  }
  if (!peek) continue;
  const wide = matchMedia("(min-width: 64rem)");
  frame.parentElement.classList.add("split");
  peek.hidden = !wide.matches;
  peek.tabIndex = 0;
  const look = (event) => {
    const link = event.target.closest("a.edge");
    const entry = link && document.getElementById(link.getAttribute("href").slice(1));
    if (!entry) return;
    const copy = entry.cloneNode(true);
    copy.removeAttribute("id");
    const heading = entry.closest("details")?.querySelector("summary");
    peek.replaceChildren();
    if (heading) {
      const line = document.createElement("p");
      line.append(...[...heading.childNodes].map((node) => node.cloneNode(true)));
      peek.append(line);
    }
    peek.append(...copy.childNodes);
    peek.hidden = false;
  };
  svg.addEventListener("pointerover", look);
  svg.addEventListener("focusin", look);
  figure.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !wide.matches) peek.hidden = true;
  });
}
// A list that can be searched.
for (const box of document.querySelectorAll("input[data-filter]")) {
  const items = [...document.querySelectorAll(box.dataset.filter)];
  box.closest("[hidden]")?.removeAttribute("hidden");
  box.addEventListener("input", () => {
    const wanted = box.value.trim().toLowerCase();
    for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(wanted);
  });
}
