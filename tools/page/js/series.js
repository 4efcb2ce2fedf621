// SPDX-License-Identifier: MIT
// Figures of many nights: //benchmarks/figures.

/** What figures are of, by how their names begin; benchmarks of the simulator are called as what they execute. */
const figureGroups = { layer: "Planned layers", code: "Code objects", plan: "Planning", cache: "Finding plans in a cache", build: "Building" };
const groupOf = (name) => figureGroups[name.split(/[/,]/)[0]] ?? "Simulating";

/** Every figure with its values, oldest first; of those measured, the ones of each machine apart. */
function figuresOf(lines) {
  const points = lines.flatMap((line, night) => ["computed", "measured"].flatMap((kind) => Object.entries(line[kind]).map(([name, value]) => (
    { kind, name, value, night, date: line.date, commit: line.commit, machine: kind === "measured" ? line.machine : "" }))));
  return d3.groups(points, (point) => `${point.name}\n${point.machine}`).map(([key, values]) => {
    const { kind, name, machine } = values[0], median = d3.median(values, (point) => point.value);
    return { key, kind, name, machine, median, last: values.at(-1), before: values.at(-2), group: groupOf(name),
      values: values.map((point) => ({ ...point, ratio: point.value / median })) };
  });
}

/** A line for each figure of a group: its value relative to its median. */
function seriesChart(name, figures) {
  const points = figures.flatMap((figure) => figure.values.map((point) => ({ ...point, key: figure.key })));
  const most = Math.max(1.02, d3.max(points, (point) => Math.max(point.ratio, 1 / point.ratio)) ** 1.1);
  const dates = new Map(d3.sort(points, (point) => point.night).map((point) => [point.night, point.date])), nights = [...dates.keys()];
  return chart(`figures of ${name}`, (width) => ({
    height: 220, marginLeft: 50, marginRight: 20,
    x: { type: "point", domain: nights, tickFormat: (night) => dates.get(night), label: null,
      ticks: nights.filter((_, at) => at % Math.ceil(nights.length / Math.max(1, Math.floor(width / 100))) === 0) },
    y: { type: "log", domain: [1 / most, most], label: "value / median", grid: true, tickFormat: ".3~f", ticks: 5 },
    marks: [
      Plot.ruleY([1]),
      Plot.line(points, { x: "night", y: "ratio", z: "key", stroke: "var(--accent)", strokeOpacity: 0.5 }),
      Plot.dot(points, { x: "night", y: "ratio", r: 2, fill: "var(--accent)", tip: true,
        title: (point) => `${point.name}\n${digits(point.value)}, ${percent(point.ratio)} of the median\n${point.date}, ${point.commit.slice(0, 12)}${point.machine ? `\n${point.machine}` : ""}` }),
    ],
  }));
}

pages.series = (data) => {
  const figures = figuresOf(data.lines), last = data.lines.at(-1);
  const change = (figure) => (figure.before ? figure.last.value / figure.before.value - 1 : null);
  const signed = (value) => (value == null ? "" : d3.format("+.1%")(value).replace("%", "\u00a0%"));
  const columns = [
    { title: "figure", value: (figure) => figure.name, className: "wide" },
    { title: "measured on", value: (figure) => figure.machine },
    { title: "last change", value: change, show: (figure) => signed(change(figure)) },
    { title: "nights", value: (figure) => figure.values.length },
    { title: "median", value: (figure) => figure.median, show: (figure) => digits(figure.median) },
    { title: "last", value: (figure) => figure.last.value, show: (figure) => digits(figure.last.value) },
  ];
  return [
    element("h1", {}, "Figures of Gridwise"),
    facts(
      ["nights", d3.format(",")(data.lines.length)],
      ["last night", last.date, last.commit.slice(0, 12)],
      ["figures", d3.format(",")(Object.keys(last.computed).length + Object.keys(last.measured).length), last.machine],
      ["changed in the last night", d3.format(",")(data.changes.length)]),
    data.changes.length === 0 ? null : section("Changes", "Beyond what the nights before gave.", advice(data.changes)),
    ...d3.groups(figures, (figure) => figure.group).map(([name, group]) => section(name, `${plural(group.length, "figure")}, relative to the median.`, seriesChart(name, group))),
    section("All figures", "A click on a title, or Enter, sorts.", table("figures", columns, figures)),
  ];
};
