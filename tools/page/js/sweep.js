// SPDX-License-Identifier: MIT
// Times of many kernels on many problems: `gridwise report`.

const best = (problem) => d3.least(problem.times, (time) => time.ms);
const estimated = (problem) => d3.least(problem.times, (time) => time.estimate_us);

/** Bars with their figures. */
function bars(label, axis, entries) {
  return chart(label, (width) => ({
    height: entries.length * 24 + 50, marginLeft: Math.min(110, width * 0.35), marginRight: 40,
    x: { label: axis, grid: true, ticks: d3.ticks(0, d3.max(entries, ([, count]) => count), width / 100).filter(Number.isInteger), tickFormat: "d" }, y: { domain: entries.map(([name]) => name), label: null },
    marks: [
      Plot.barX(entries, { x: ([, count]) => count, y: ([name]) => name, fill: "var(--accent)" }),
      Plot.text(entries, { x: ([, count]) => count, y: ([name]) => name, text: ([, count]) => digits(count), textAnchor: "start", dx: 4 }),
      Plot.ruleX([0]),
    ],
  }));
}

function wins(group) {
  const counts = new Map(group.problems.flatMap((problem) => problem.times.map((time) => [time.family, 0])));
  for (const problem of group.problems) counts.set(best(problem).family, counts.get(best(problem).family) + 1);
  return bars("problems by the family of their best kernel", "problems", d3.sort(counts, ([, count]) => -count));
}

/** How near the kernel with the least estimate is to the best. */
function distribution(rows) {
  const bins = d3.range(9, -1, -1).map((bin) => [`${bin * 10} to ${bin * 10 + 10} %`, (part) => part < 1 && Math.floor(part * 10) === bin]);
  const entries = [["the best", (part) => part >= 1], ...bins].map(([name, isIn]) => [name, rows.filter((row) => isIn(row.efficiency)).length]);
  return bars("problems by the efficiency of the kernel with the least estimate", "problems", entries);
}

/** Each kernel's efficiency on each problem: a line for each problem, a column for each kernel. */
function heatMap(group) {
  const points = group.problems.flatMap((problem, line) => problem.times.map((time) => ({ ...time, line, problem, efficiency: best(problem).ms / time.ms })));
  const kernels = d3.sort(d3.rollups(points, (times) => d3.mean(times, (time) => time.efficiency), (time) => time.instance), ([, mean]) => -mean).map(([name]) => name);
  const figure = chart("efficiency of every kernel on every problem", (width) => {
    const names = Math.min(200, width * 0.35);
    const side = Math.max(9, Math.min(22, (width - names - 10) / kernels.length));
    return {
      width: names + 10 + side * kernels.length, height: group.problems.length * Math.max(12, Math.min(18, side)) + 60, marginLeft: names, marginTop: 10,
      x: { domain: kernels, axis: null, label: "kernels" }, y: { domain: d3.range(group.problems.length), tickFormat: (line) => group.problems[line].name, label: null, tickSize: 0 },
      color: { type: "linear", domain: [0, 1], scheme: "viridis", legend: true, label: "efficiency: time of the best kernel / time of this one", tickFormat: "%" },
      marks: [Plot.cell(points, {
        x: "instance", y: "line", fill: "efficiency", inset: 0.5, tip: true,
        title: (point) => `${point.problem.name}\n${point.instance}\n${percent(point.efficiency)}, ${point.at_least ? "at least " : ""}${milliseconds(point.ms)}`,
      })],
    };
  });
  return section("Efficiency of every kernel on every problem",
    `A line for each problem, a column for each of ${plural(kernels.length, "kernel")}, those first that are nearest to the best on average; empty where a kernel was not timed.`, figure);
}

/** The time of each problem beside its bound, where there is one kernel for each. */
function times(rows) {
  return chart("time of each problem", (width) => ({
    height: rows.length * 18 + 60, marginLeft: Math.min(200, width * 0.4), marginRight: 30,
    x: { type: "log", label: "µs", grid: true, tickFormat: "~s", ticks: width < 600 ? 3 : 6 }, y: { domain: rows.map((row) => row.key), tickFormat: (key) => rows[key].name, label: null },
    marks: [
      Plot.ruleY(rows.filter((row) => row.bound_ms > 0), { x1: (row) => 1000 * row.bound_ms, x2: (row) => 1000 * row.best.ms, y: "key", stroke: "var(--border)", strokeWidth: 3 }),
      Plot.tickX(rows.filter((row) => row.bound_ms > 0), { x: (row) => 1000 * row.bound_ms, y: "key", stroke: "var(--muted)", strokeWidth: 2 }),
      Plot.dot(rows, { x: (row) => 1000 * row.best.ms, y: "key", fill: "var(--accent)", r: 4, tip: true,
        title: (row) => `${row.name}\n${row.sizes}\n${milliseconds(row.best.ms)}, ${digits(row.best.tflop_per_s)} TFLOP/s\n${row.best.instance}` }),
    ],
  }));
}

function groupParts(group, single) {
  const rows = group.problems.map((problem, key) => ({ ...problem, key, best: best(problem), estimated: estimated(problem) }))
    .map((row) => ({ ...row, efficiency: row.best.ms / row.estimated.ms, of_bound: row.bound_ms > 0 ? row.bound_ms / row.best.ms : null }));
  const several = rows.some((row) => row.times.length > 1), bounded = rows.filter((row) => row.of_bound != null);
  const count = d3.sum(rows, (row) => row.times.length);
  const geometric = (values) => Math.exp(d3.mean(values, Math.log));
  const columns = [
    { title: "problem", value: (row) => row.name, className: "wide" },
    { title: "sizes", value: (row) => row.sizes },
    { title: "ms", value: (row) => row.best.ms, show: (row) => d3.format(".4~g")(row.best.ms) },
    { title: "TFLOP/s", value: (row) => row.best.tflop_per_s, show: (row) => digits(row.best.tflop_per_s) },
    { title: "of the bound", value: (row) => row.of_bound, show: (row) => (row.of_bound == null ? "" : part(row.of_bound, percent(row.of_bound))) },
    { title: "limited by", value: (row) => row.best.limiter },
    { title: several ? "best kernel" : "kernel", value: (row) => row.best.instance, show: (row) => element("span", { class: "code" }, row.best.instance) },
  ];
  if (several) {
    columns.push({ title: "efficiency of the least estimate", value: (row) => row.efficiency, show: (row) => part(row.efficiency, percent(row.efficiency)) },
      { title: "kernel of the least estimate", value: (row) => (row.best.instance === row.estimated.instance ? "" : row.estimated.instance),
        show: (row) => (row.best.instance === row.estimated.instance ? "the same" : element("span", { class: "code" }, row.estimated.instance)) });
  }
  return [
    element(single ? "h1" : "h2", {}, `${group.device}, ${group.direction}, ${group.type}`),
    facts(
      ["problems", d3.format(",")(rows.length), plural(count, "time")],
      bounded.length ? ["best kernels reach", percent(geometric(bounded.map((row) => row.of_bound))), "of the bound, geometric mean"] : null,
      several ? ["least estimates reach", percent(d3.mean(rows, (row) => row.efficiency)), "of the best kernel's speed on average"] : null,
      several ? ["least estimate is the best", percent(rows.filter((row) => row.efficiency >= 1).length / rows.length), "of the problems"] : null,
      ["time of all problems", milliseconds(d3.sum(rows, (row) => row.best.ms)), several ? "by the best kernels" : null]),
    section(several ? "The best kernel of each problem" : "Problems", "A click on a title, or Enter, sorts.", table("problems", columns, rows)),
    several ? heatMap(group) : section("Times", bounded.length ? "A dot is the time of a problem; the mark to its left is its bound." : null, times(rows)),
    several ? section("Best kernels by family", null, wins(group)) : null,
    several ? section("Choices by estimate", "Problems by the efficiency of the kernel with the least estimate: the time of the best kernel, by its own.", distribution(rows)) : null,
  ];
}

pages.sweep = (data) => [
  data.groups.length > 1 ? element("h1", {}, "Times of kernels") : null,
  ...data.groups.flatMap((group) => groupParts(group, data.groups.length === 1)),
];
