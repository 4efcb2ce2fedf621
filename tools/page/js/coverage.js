// SPDX-License-Identifier: MIT
// What runs have executed of kernels: //tools/sim:coverage.

const partOf = (some, all) => (all > 0 ? some / all : null);
const ofAll = (some, all) => (all > 0 ? `${percent(some / all)} (${d3.format(",")(some)} of ${d3.format(",")(all)})` : "none");

/** Every instruction of a function. Those that never ran are marked, and branches that went one way only. */
function listing(target) {
  const state = (op) => (op.executions === 0 ? "never" : op.taken === 0 || op.taken === op.executions ? "half" : null);
  const code = (op, text) => element("code", { class: state(op) }, text);
  return table(`instructions of ${target.name}`, [
    { title: "at", value: (op) => op.pc, show: (op) => code(op, `+0x${op.pc.toString(16)}`) },
    { title: "instruction", value: (op) => op.text, show: (op) => code(op, op.text), className: "line" },
    { title: "executions", value: (op) => op.executions, show: (op) => d3.format(",")(op.executions) },
    { title: "branch", value: (op) => op.taken ?? -1, show: (op) => (op.taken == null ? "" : `jumps ${op.taken}, goes on ${op.executions - op.taken}`) },
    { title: "source", value: (op) => op.source, show: (op) => element("code", {}, op.source) },
  ], target.instructions, { pageLength: 500 });
}

/** The part of each function that was executed. */
function executedBars(functions) {
  const rows = functions.map((one, key) => ({ ...one, key, part: partOf(one.totals.executed, one.totals.instructions) }));
  return chart("part of the instructions of each function that was executed", (width) => ({
    height: rows.length * 20 + 50, marginLeft: Math.min(260, width * 0.45), marginRight: 40,
    x: { domain: [0, 1], label: "part of the instructions that was executed", tickFormat: "%", grid: true, ticks: 5 },
    y: { domain: rows.map((row) => row.key), tickFormat: (key) => rows[key].name.slice(0, width < 600 ? 20 : 36), label: null },
    marks: [
      Plot.barX(rows, { x: "part", y: "key", fill: "var(--accent)", tip: true, title: (row) => `${row.target} ${row.name}\n${ofAll(row.totals.executed, row.totals.instructions)}` }),
      Plot.ruleX([0]),
    ],
  }));
}

pages.coverage = (data) => {
  const { all, functions } = data;
  const shown = element("div");
  const choose = (index) => shown.replaceChildren(listing(functions[index]));
  const select = element("select", { id: "function" }, functions.map((one, index) => element("option", { value: index }, `${one.target} ${one.name}`)));
  select.addEventListener("change", () => choose(Number(select.value)));
  if (functions.length > 0) choose(0);
  return [
    element("h1", {}, `Coverage of ${plural(data.runs, "run")}`),
    facts(
      ["instructions executed", all.instructions ? percent(all.executed / all.instructions) : "none", `${d3.format(",")(all.executed)} of ${d3.format(",")(all.instructions)}`],
      ["branches that went both ways", all.branches ? percent(all.both_ways / all.branches) : "none", `${d3.format(",")(all.both_ways)} of ${d3.format(",")(all.branches)}`],
      all.lines > 0 ? ["source lines executed", percent(all.executed_lines / all.lines), `${d3.format(",")(all.executed_lines)} of ${d3.format(",")(all.lines)}`] : null,
      ["kernels never launched", d3.format(",")(data.never_launched.length)]),
    functions.length === 0 ? null : section("Functions", "Those that were entered.", table("functions", [
      { title: "target", value: (one) => one.target },
      { title: "function", value: (one) => one.name, className: "wide" },
      { title: "instructions", value: ({ totals }) => partOf(totals.executed, totals.instructions), show: ({ totals }) => part(partOf(totals.executed, totals.instructions) ?? 0, ofAll(totals.executed, totals.instructions)) },
      { title: "branches, both ways", value: ({ totals }) => partOf(totals.both_ways, totals.branches), show: ({ totals }) => part(partOf(totals.both_ways, totals.branches) ?? 0, ofAll(totals.both_ways, totals.branches)) },
      { title: "source lines", value: ({ totals }) => partOf(totals.executed_lines, totals.lines), show: ({ totals }) => part(partOf(totals.executed_lines, totals.lines) ?? 0, ofAll(totals.executed_lines, totals.lines)) },
    ], functions), executedBars(functions)),
    functions.length === 0 ? null : section("Instructions", "Red was never executed; a yellow branch went one way only.",
      element("p", {}, element("label", { for: "function" }, "Function "), select), shown),
    data.never_launched.length === 0 ? null : section("Never launched", null, table("kernels that were never launched", [{ title: "kernel", value: (name) => name, className: "wide" }], data.never_launched)),
  ];
};
