// SPDX-License-Identifier: MIT
// Two choices on the problems of a set: `gridwise compare`.

/** The ratio of the times for each problem, the most different ones at the ends. */
function ratios(data, rows) {
  const sorted = d3.sort(rows, (row) => row.ratio);
  const most = Math.max(1.1, d3.max(rows, (row) => Math.max(row.ratio, 1 / row.ratio))) * 1.1;
  return chart("ratio of the times for each problem", (width) => ({
    height: rows.length * 18 + 60, marginLeft: Math.min(200, width * 0.4), marginRight: 20,
    x: { type: "log", domain: [1 / most, most], label: "time of a / time of b", grid: true, tickFormat: "~r",
      ticks: (most > 2 ? [0.01, 0.1, 0.25, 0.5, 1, 2, 4, 10, 100] : [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 2]).filter((tick) => tick > 1 / most && tick < most) },
    y: { domain: sorted.map((row) => row.key), label: null, tickFormat: (key) => rows[key].name },
    color: { type: "ordinal", legend: true, domain: ["a is faster", "b is faster", "equal"], range: ["#4269d0", "#ff725c", "#9498a0"] },
    marks: [
      Plot.ruleX([1]),
      Plot.barX(sorted, {
        x1: 1, x2: "ratio", y: "key", fill: "who", tip: true,
        title: (row) => `${row.name}, ${row.direction}\n${row.sizes}\na ${microseconds(row.a.us)}: ${row.a.instance}\nb ${microseconds(row.b.us)}: ${row.b.instance}`,
      }),
      data.published ? Plot.tickX(sorted.filter((row) => row.published?.ratio), { x: (row) => row.published.ratio, y: "key", strokeWidth: 2 }) : null,
    ],
  }));
}

pages.comparison = (data) => {
  const rows = data.rows.map((row, key) => ({ ...row, key, who: { a: "a is faster", b: "b is faster", "=": "equal" }[row.winner] }));
  const both = rows.filter((row) => row.ratio != null);
  const wins = d3.rollup(both, (group) => group.length, (row) => row.winner);
  const mean = both.length ? Math.exp(d3.mean(both, (row) => Math.log(row.ratio))) : null;
  const side = (name) => [
    { title: `${name}: µs`, value: (row) => row[name].us ?? null, show: (row) => (row[name].us == null ? "" : digits(row[name].us)) },
    { title: `kernel of ${name}`, value: (row) => row[name].instance ?? row[name].reason,
      show: (row) => (row[name].instance ? element("span", { class: "code" }, row[name].instance, row[name].reason ? `: ${row[name].reason}` : "") : element("div", { class: "reason" }, row[name].reason)) },
  ];
  const columns = [
    { title: "problem", value: (row) => row.name, className: "wide" },
    { title: "sizes", value: (row) => row.sizes },
    { title: "a/b", value: (row) => row.ratio ?? null, show: (row) => (row.ratio == null ? "" : d3.format(".3f")(row.ratio)) },
    { title: "faster", value: (row) => row.winner },
    ...side("a"), ...side("b"),
  ];
  for (const name of ["a", "b"]) {
    if (!rows.some((row) => row[name].valu_per_mma != null)) continue;
    columns.push({ title: `vector per matrix instruction, ${name}`, value: (row) => row[name].valu_per_mma ?? null,
      show: (row) => (row[name].valu_per_mma == null ? "" : d3.format(".2f")(row[name].valu_per_mma)) });
  }
  if (data.published) {
    columns.push({ title: "published a/b", value: (row) => row.published?.ratio ?? null, show: (row) => (row.published?.ratio == null ? "" : d3.format(".3f")(row.published.ratio)) },
      { title: "published faster", value: (row) => row.published?.winner ?? "" });
  }
  return [
    element("h1", {}, `${data.a} against ${data.b} on ${data.device}`),
    element("p", {}, `a is ${data.a}, b is ${data.b}.`),
    mean == null ? null : facts(
      ["a takes", `${d3.format(".2f")(mean)} times as long as b`, `geometric mean of ${plural(both.length, "problem")}`],
      ["a is faster on", d3.format(",")(wins.get("a") ?? 0)],
      ["b is faster on", d3.format(",")(wins.get("b") ?? 0)],
      ["equal on", d3.format(",")(wins.get("=") ?? 0), "less than half a percent apart"],
      rows.length > both.length ? ["not computed by both", d3.format(",")(rows.length - both.length)] : null),
    ...data.summary.map((line) => element("p", {}, line)),
    both.length === 0 ? null : section("Ratios", `Left of 1, a is faster; right of it, b.${data.published ? " A mark is the published ratio." : ""}`, ratios(data, both)),
    section("Problems", "A click on a title, or Enter, sorts.", table("problems", columns, rows)),
  ];
};
