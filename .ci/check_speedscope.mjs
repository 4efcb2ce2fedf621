// SPDX-License-Identifier: MIT
// check_speedscope: opens a trace of the simulator's clock in speedscope, in Chromium: it must be shown without an error, with a
// profile for each wave. NODE_PATH has playwright-core and speedscope. Exits with 0 if it is.
//
//   node check_speedscope.mjs TRACE FOLDER      FOLDER is for the screenshot

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core");
const release = join(dirname(require.resolve("speedscope/package.json")), "dist", "release");

const [trace, folder] = process.argv.slice(2);
const { traceEvents } = JSON.parse(readFileSync(trace));
const threads = new Set(traceEvents.map((event) => `${event.pid} ${event.tid}`)).size;

// As its command line does: a script beside the page, which hands the file over.
const temporary = mkdtempSync(join(tmpdir(), "speedscope-"));
const script = join(temporary, "profile.js");
writeFileSync(script, `speedscope.loadFileFromBase64("trace.json", "${readFileSync(trace).toString("base64")}")`);

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const faults = [];
try {
  const page = await browser.newPage();
  page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text().slice(0, 300)}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  await page.goto(`file://${release}/index.html#localProfilePath=${script}`);
  await page.waitForFunction((text) => document.body.innerText.includes(text), `/${threads})`, { timeout: 120000 })
    .catch(() => faults.push(`it does not show ${threads} profiles`));
  await page.screenshot({ path: join(folder, "speedscope.png") });
} finally {
  await browser.close();
  rmSync(temporary, { recursive: true });
}
for (const fault of faults) console.log(`speedscope: ${fault}`);
console.log(`speedscope: ${traceEvents.length} slices in ${threads} profiles, ${faults.length} faults`);
process.exit(traceEvents.length > 0 && faults.length === 0 ? 0 : 1);
