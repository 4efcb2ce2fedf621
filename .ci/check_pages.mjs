// SPDX-License-Identifier: MIT
// check_pages: opens the pages of a folder in Chromium, light and dark, 1280 and 400 pixels wide, takes screenshots, and says what
// is wrong. NODE_PATH has playwright-core. Exits with 0 if nothing is.

import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const { chromium } = createRequire(import.meta.url)("playwright-core");

const folder = process.argv[2];
const files = readdirSync(folder).filter((name) => name.endsWith(".html"));
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
let checks = 0;
const faults = [];

/** The numbers of a table's column, from top to bottom. */
const column = (table, index) =>
  table.locator("tbody tr").evaluateAll((rows, at) => rows.map((row) => Number(row.children[at].textContent.replaceAll(/[^0-9.+-]/g, ""))), index);

/** Sorts the longest table by its last column of plain numbers with Enter, and filters it. */
async function tableFaults(page) {
  const longest = await page.locator("table.dataTable").evaluateAll((tables) => {
    const lengths = tables.map((one) => one.tBodies[0].rows.length);
    return lengths.indexOf(Math.max(...lengths));
  });
  const table = page.locator("table.dataTable").nth(longest), found = [];
  const numeric = await table.evaluate((one) => [...one.tHead.rows[0].children].map((head, at) => head.className.includes("dt-type-numeric") &&
    [...one.tBodies[0].rows].every((row) => /^[0-9.,]+(\s%)?$/.test(row.children[at].textContent))).lastIndexOf(true));
  if (numeric < 0) return ["the longest table has no column of numbers"];
  await table.locator("thead th").nth(numeric).locator("[role=button]").focus();
  await page.keyboard.press("Enter");
  await page.waitForTimeout(200);
  const values = await column(table, numeric), sorted = values.toSorted((a, b) => a - b);
  if (values.length < 2 || values.join() !== sorted.join()) found.push(`Enter does not sort column ${numeric}: ${values.slice(0, 5)}`);
  const filter = table.locator("xpath=ancestor::div[contains(@class, 'dt-container')]").locator("input[type=search]");
  await filter.fill("no line of a table has this text");
  if ((await table.locator("tbody tr").count()) !== 1) found.push("the filter leaves lines");
  await filter.fill("");
  return found;
}

for (const file of files) {
  for (const [scheme, width] of [["light", 1280], ["dark", 1280], ["light", 400], ["dark", 400]]) {
    const said = [];
    const page = await browser.newPage({ viewport: { width, height: width === 400 ? 800 : 900 }, colorScheme: scheme });
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && said.push(`console: ${message.text().slice(0, 300)}`));
    page.on("pageerror", (error) => said.push(`error: ${error.message}`));
    page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || said.push(`request: ${request.url()}`));
    await page.goto(`file://${join(folder, file)}`);
    await page.waitForTimeout(500); // charts are drawn when their width is known
    const seen = await page.evaluate(() => ({
      title: document.querySelector("h1")?.textContent ?? "",
      wide: document.documentElement.scrollWidth - innerWidth,
      charts: document.querySelectorAll("figure svg").length,
      lines: document.querySelectorAll("table.dataTable tbody tr").length,
      background: getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).map(Number),
      wrong: document.body.innerText.match(/\b(NaN|undefined|null|Infinity(?! Cache))\b/)?.[0],
    }));
    if (!seen.title) said.push("there is no title");
    if (seen.wide > 0) said.push(`the page is ${seen.wide} pixels wider than the window`);
    if (seen.charts === 0) said.push("there is no chart");
    if (seen.lines === 0) said.push("there is no line of a table");
    if (seen.wrong) said.push(`the page says ${seen.wrong}`);
    if ((Math.max(...seen.background) < 100) !== (scheme === "dark")) said.push(`the background is rgb(${seen.background})`);
    await page.screenshot({ path: join(folder, `${file}.${scheme}.${width}.png`) });
    await page.screenshot({ path: join(folder, `${file}.${scheme}.${width}.full.png`), fullPage: true });
    said.push(...(await tableFaults(page)));
    faults.push(...said.map((fault) => `${file}, ${scheme}, ${width} pixels: ${fault}`));
    checks += 1;
    await page.close();
  }
}
await browser.close();
for (const fault of faults) console.log(fault);
console.log(`${files.length} pages, ${checks} looked at: ${faults.length} faults`);
process.exit(faults.length > 0 || checks === 0 ? 1 : 0);
