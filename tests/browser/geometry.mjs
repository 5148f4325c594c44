// What is measured inside a page. Each function is sent to the browser as it stands, so it uses nothing around it.

/** The page's width, its text in order, and what is hidden for good without scripting. */
export function inspect() {
  // Only these are there for scripting.
  const tools = ".tools, .peek, [data-scripted]";
  const main = document.querySelector("main").cloneNode(true);
  for (const tool of main.querySelectorAll(tools)) tool.remove();
  const hidden = [...document.querySelectorAll("main [hidden]")].filter((element) => !element.matches(tools));
  return {
    pageWidth: document.documentElement.scrollWidth,
    text: main.textContent,
    hidden: hidden.map((element) => element.outerHTML.slice(0, 80)),
  };
}

/** Texts that are cut or overlap, and lines of a graph that run through a box. */
export function geometry({ lines }) {
  const problems = [];
  const short = (text) => JSON.stringify(text.trim().slice(0, 40));
  const texts = [];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("title, style, script") || !element.checkVisibility()) continue;
    // What has been scrolled away in one frame does not meet what stands around the frame.
    const frame = element.closest(".frame");
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      if (rect.width > 0 && rect.height > 0) texts.push({ node, element, frame, rect });
    }
  }

  const pageWidth = document.documentElement.clientWidth;
  for (const { node, element, rect } of texts) {
    let scrolls = false;
    for (let outer = element; outer && outer !== document.documentElement; outer = outer.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(outer);
      if (overflowX === "visible" && overflowY === "visible") continue;
      if (["auto", "scroll"].includes(overflowX)) {
        scrolls = true;
        if (outer.scrollWidth > outer.clientWidth && outer.tabIndex < 0) problems.push(`scrolls, but not by keyboard: ${outer.className}`);
        break;
      }
      const frame = outer.getBoundingClientRect();
      const cut = rect.left < frame.left - 1 || rect.right > frame.right + 1 || rect.top < frame.top - 1 || rect.bottom > frame.bottom + 1;
      if (cut) problems.push(`cut by ${outer.tagName} ${outer.getAttribute("class") ?? ""}: ${short(node.data)}`);
    }
    if (!scrolls && (rect.left < -1 || rect.right > pageWidth + 1)) problems.push(`beyond the page: ${short(node.data)}`);
    const box = element.closest(".node")?.querySelector(".box")?.getBoundingClientRect();
    if (box && (rect.left < box.left - 1 || rect.right > box.right + 1 || rect.top < box.top - 1 || rect.bottom > box.bottom + 1)) {
      problems.push(`beyond its box: ${short(node.data)}`);
    }
  }

  // From top to bottom, each text is compared with those that still reach down to it.
  texts.sort((left, right) => left.rect.top - right.rect.top);
  let open = [];
  for (const text of texts) {
    open = open.filter((other) => other.rect.bottom > text.rect.top + 2);
    for (const other of open) {
      if (other.node === text.node || other.frame !== text.frame) continue;
      const wide = Math.min(other.rect.right, text.rect.right) - Math.max(other.rect.left, text.rect.left);
      const high = Math.min(other.rect.bottom, text.rect.bottom) - Math.max(other.rect.top, text.rect.top);
      // Lines of text may share a little of their leading.
      if (wide > 1.5 && high > 4) problems.push(`overlap: ${short(other.node.data)} and ${short(text.node.data)}`);
    }
    open.push(text);
  }

  const boxes = [...document.querySelectorAll("svg .node .box")].map((box) => box.getBBox());
  for (const [first, a] of boxes.entries()) {
    for (const b of boxes.slice(first + 1)) {
      if (a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height) problems.push("boxes overlap");
    }
  }
  if (lines) {
    for (const line of document.querySelectorAll("svg .edge path.line")) {
      const length = line.getTotalLength();
      for (let at = 3; at < length - 3; at += 4) {
        const { x, y } = line.getPointAtLength(at);
        const hit = boxes.some((box) => x > box.x + 1 && x < box.x + box.width - 1 && y > box.y + 1 && y < box.y + box.height - 1);
        if (hit) {
          problems.push(`a line runs through a box at ${Math.round(x)}, ${Math.round(y)}`);
          break;
        }
      }
    }
  }
  return [...new Set(problems)].slice(0, 8);
}
