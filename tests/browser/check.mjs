// Opens pages in Chromium, at three widths, in light, dark and forced colours, with and without scripting, and
// fails where anything is cut, overlaps, is missing, is fetched, is reported on the console or is not accessible.
//
// usage: node check.mjs CHROMIUM PAGE..

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { geometry, inspect } from "./geometry.mjs";

const [executablePath, ...pages] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const WIDTHS = [360, 768, 1600];
const COLOURS = [
  { name: "light", colorScheme: "light", forcedColors: "none" },
  { name: "dark", colorScheme: "dark", forcedColors: "none" },
  { name: "forced", colorScheme: "dark", forcedColors: "active" },
];

const faults = [];
let looks = 0;

const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
for (const file of pages) {
  const url = pathToFileURL(resolve(file)).href;
  const texts = new Map();
  for (const scripting of [true, false]) {
    for (const colours of COLOURS) {
      for (const width of WIDTHS) {
        const where = `${basename(file)}, ${width} px, ${colours.name}, scripting ${scripting ? "on" : "off"}`;
        const text = await look(url, { scripting, colours, width, where });
        texts.set(scripting, text);
      }
    }
  }
  if (texts.get(true) !== texts.get(false)) {
    faults.push(`${basename(file)}: with and without scripting the page does not say the same`);
  }
}
await browser.close();

console.log(`${pages.length} pages, ${looks} looks, ${faults.length} faults`);
for (const fault of faults) console.log(`- ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);

async function look(url, { scripting, colours, width, where }) {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: colours.colorScheme,
    forcedColors: colours.forcedColors,
    javaScriptEnabled: scripting,
  });
  const page = await context.newPage();
  const fault = (what) => faults.push(`${where}: ${what}`);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) fault(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => fault(`error: ${error}`));
  page.on("request", (request) => {
    const wanted = request.url();
    if (wanted !== url && !wanted.startsWith("data:")) fault(`fetches ${wanted}`);
  });
  await page.goto(url);
  looks += 1;

  const seen = await page.evaluate(inspect);
  if (seen.pageWidth > width) fault(`scrolls sideways: ${seen.pageWidth} px`);
  for (const name of seen.hidden) fault(`hidden without scripting to show it: ${name}`);
  for (const problem of await page.evaluate(geometry, { lines: width === 1600 })) fault(problem);
  // What stands behind a heading that opens is looked at open, too.
  const opened = await page.evaluate(() => {
    const closed = [...document.querySelectorAll("details:not([open])")];
    for (const details of closed) details.open = true;
    return closed.length;
  });
  if (opened > 0) {
    for (const problem of await page.evaluate(geometry, { lines: false })) fault(`opened: ${problem}`);
    const after = await page.evaluate(() => document.documentElement.scrollWidth);
    if (after > width) fault(`opened: scrolls sideways: ${after} px`);
  }
  if (scripting) {
    await accessible(page, fault);
    await pointed(page, fault);
  }
  await context.close();
  return seen.text;
}

async function accessible(page, fault) {
  // The pages forbid to load scripts; the checker's own is run beside the page, not by it.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  for (const { id, help, nodes } of violations) {
    fault(`axe ${id}: ${help}: ${nodes.length} times, first ${nodes[0]?.html.slice(0, 160)} ${nodes[0]?.any[0]?.message ?? ""}`);
  }
}

/** Pointing at a line and focusing it show its ledger row, and following it leads there. */
async function pointed(page, fault) {
  const count = await page.locator("a.edge").count();
  if (count === 0) return;
  const link = page.locator("a.edge").first();
  const expected = await page.evaluate(() => {
    const link = document.querySelector("a.edge");
    return document.querySelector(link.getAttribute("href")).querySelector("dl").textContent;
  });
  const shown = async () => (await page.locator(".peek").first().textContent()) ?? "";
  await link.focus();
  const hides = await page.evaluate(() => {
    const area = document.activeElement.getBoundingClientRect();
    const peek = document.querySelector(".peek").getBoundingClientRect();
    const wide = Math.min(area.right, peek.right) - Math.max(area.left, peek.left);
    const high = Math.min(area.bottom, peek.bottom) - Math.max(area.top, peek.top);
    return wide > 0 && high > 0;
  });
  if (hides) fault("the ledger row hides the line that has the focus");
  if (!(await shown()).includes(expected)) fault("focusing a line does not show its ledger row");
  await page.evaluate(() => document.querySelector(".peek").replaceChildren());
  await link.locator(".reach").hover({ force: true });
  if (!(await shown()).includes(expected)) fault("pointing at a line does not show its ledger row");
  await page.keyboard.press("Enter");
  const target = await page.evaluate(() => document.querySelector(":target")?.getBoundingClientRect().height ?? 0);
  if (target === 0) fault("following a line does not lead to its ledger row");
}
