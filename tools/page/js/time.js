// SPDX-License-Identifier: MIT
// Launches by the simulator's clock: what GRIDWISE_SIM_TIME_REPORT writes as JSON.

/** What is tried against each limit. */
const REMEDIES = {
  "matrix unit": "The kernel is near what the unit can do; only fewer or cheaper products help.",
  "vector ALU": "Fewer vector instructions in the hot loop: addresses by constant steps, packed conversions.",
  "instruction issue": "Fewer scalar instructions, branches and waits in the hot loop; larger tiles.",
  LDS: "Wider accesses, fewer bank conflicts, or larger tiles of a wave, which read each value less often.",
  "address unit and vector cache": "Wider loads (16 bytes for each lane), and lanes that share lines.",
  L2: "Another order of workgroups, or larger tiles, so that fewer lines are read twice.",
  MALL: "Fewer bytes from beyond L2: another order of workgroups, or larger tiles.",
  "device memory": "Each tensor is read once at best: fuse neighbouring operations, or use a smaller type.",
  latency: "More waves or deeper prefetch, so that loads are under way earlier.",
  barriers: "Fewer barriers for each step, or waves that need not wait for each other.",
  "instruction cache": "A shorter hot loop: less unrolling.",
};

const offset = (pc) => `+0x${pc.toString(16)}`;

/** Instructions in the order of the code, each with its waiting clocks and their part of all. */
function instructionsOf(launch) {
  const list = launch.instructions.map((op) => ({ ...op, waiting: d3.sum(Object.values(op.stalled)) })).sort((a, b) => a.pc - b.pc);
  const all = d3.sum(list, (op) => op.waiting);
  return list.map((op, index) => ({ ...op, index, share: all > 0 ? op.waiting / all : 0, reason: d3.greatest(Object.entries(op.stalled), ([, clk]) => clk)?.[0] }));
}

/** The run of instructions that waves execute most often, and if there are several, in which they wait longest. */
function hotLoop(instructions) {
  const most = d3.max(instructions, (op) => op.executions);
  const runs = [];
  for (const op of instructions) {
    if (op.executions < most / 2) continue;
    const last = runs.at(-1);
    if (last && last.at(-1).index === op.index - 1) last.push(op);
    else runs.push([op]);
  }
  return d3.greatest(runs, (run) => d3.sum(run, (op) => op.waiting) + run.length * 1e-6) ?? [];
}

/** A colour for each reason to wait, that with most clocks first. */
function reasonColours(instructions) {
  const sums = d3.rollups(instructions.flatMap((op) => Object.entries(op.stalled)), (group) => d3.sum(group, ([, clk]) => clk), ([reason]) => reason);
  const reasons = sums.sort((a, b) => d3.descending(a[1], b[1])).map(([reason]) => reason);
  return d3.scaleOrdinal(reasons, reasons.map((_, index) => d3.schemeObservable10[index % 10]));
}

/** The waits of an instruction as a strip: as long as its part of the longest, coloured by reason. */
function waits(stalled, longest, colour) {
  const sum = d3.sum(Object.values(stalled));
  const title = Object.entries(stalled).map(([reason, clk]) => `${reason}: ${percent(clk / sum)}`).join(", ");
  return element("span", { class: "strip", title, role: "img", "aria-label": title || "no waits" },
    Object.entries(stalled).sort((a, b) => d3.descending(a[1], b[1])).map(([reason, clk]) =>
      element("i", { style: `width: ${((100 * clk) / longest).toFixed(2)}%; background: ${colour(reason)}` })));
}

function legend(colour) {
  return element("div", { class: "legend" }, colour.domain().map((reason) =>
    element("span", {}, element("i", { style: `background: ${colour(reason)}` }), reason)));
}

function instructionTable(name, instructions, colour) {
  const longest = d3.max(instructions, (op) => op.waiting) || 1;
  const columns = [
    { title: "at", value: (op) => op.pc, show: (op) => element("code", {}, offset(op.pc)) },
    { title: "waits", value: (op) => op.waiting, show: (op) => waits(op.stalled, longest, colour) },
    { title: "instruction", value: (op) => op.text, show: (op) => element("code", {}, op.text), className: "line" },
    { title: "of all waiting", value: (op) => op.share, show: (op) => percent(op.share) },
    { title: "for", value: (op) => op.reason ?? "" },
    { title: "clocks each", value: (op) => op.waiting / op.executions, show: (op) => digits(op.waiting / op.executions) },
    { title: "executions", value: (op) => op.executions, show: (op) => d3.format(",")(op.executions) },
  ];
  if (instructions.some((op) => op.source)) columns.push({ title: "source", value: (op) => op.source, show: (op) => element("code", {}, op.source) });
  return table(name, columns, instructions, { pageLength: 500 });
}

/** Waits by the line of the source that instructions come from. */
function sourceTable(instructions, colour) {
  const lines = d3.rollups(instructions.filter((op) => op.source), (ops) => {
    const stalled = {};
    for (const [reason, clk] of ops.flatMap((op) => Object.entries(op.stalled))) stalled[reason] = (stalled[reason] ?? 0) + clk;
    return { stalled, waiting: d3.sum(ops, (op) => op.waiting), share: d3.sum(ops, (op) => op.share), instructions: ops.length };
  }, (op) => op.source).map(([source, sums]) => ({ source, ...sums }));
  if (lines.length === 0) return null;
  const longest = d3.max(lines, (line) => line.waiting) || 1;
  return section("Waits by source line", null, table("waits by source line", [
    { title: "source", value: (line) => line.source, show: (line) => element("code", {}, line.source), className: "wide" },
    { title: "waits", value: (line) => line.waiting, show: (line) => waits(line.stalled, longest, colour) },
    { title: "of all waiting", value: (line) => line.share, show: (line) => percent(line.share) },
    { title: "instructions", value: (line) => line.instructions },
  ], lines, { pageLength: 25, order: [[1, "desc"]] }));
}

/** How busy each resource is: of the whole time, and over the time for which a unit was watched. */
function busy(launch) {
  const used = Object.entries(launch.busy).filter(([, share]) => share > 0.002).sort((a, b) => d3.descending(a[1], b[1]));
  const order = used.map(([resource]) => resource);
  const bars = chart("how busy each resource is", (width) => ({
    height: order.length * 24 + 50, marginLeft: Math.min(210, width * 0.45),
    x: { domain: [0, 1], tickFormat: "%", label: "part of the time of a unit", grid: true, ticks: 5 }, y: { domain: order, label: null },
    marks: [
      Plot.barX(used, { x: ([, share]) => share, y: ([resource]) => resource, fill: "var(--accent)" }),
      Plot.text(used, { x: ([, share]) => share, y: ([resource]) => resource, text: ([, share]) => percent(share), textAnchor: "start", dx: 4 }),
      Plot.ruleX([0]),
    ],
  }));
  const { clocks, parts } = launch.progress;
  if (clocks.length < 2) return [bars];
  const points = Object.entries(parts).flatMap(([resource, values]) => values.map((value, index) => ({ resource, clk: clocks[index], value })));
  const rows = order.filter((resource) => resource in parts);
  return [bars, element("h3", {}, "Over time"), element("p", {}, `The first ${digits(clocks.at(-1))} clocks of a unit; full height is always busy.`),
    chart("how busy each resource is over time", (width) => ({
      height: rows.length * 46 + 50, marginLeft: Math.min(210, width * 0.45), marginRight: 12,
      x: { label: "clocks", tickFormat: "~s", ticks: Math.max(3, width / 120) }, y: { domain: [0, 1], axis: null },
      fy: { domain: rows, axis: null, padding: 0.15 },
      marks: [
        Plot.axisFy({ anchor: "left", dx: -4, textAnchor: "end", label: null }),
        Plot.areaY(points, { x: "clk", y: "value", fy: "resource", curve: "step-before", fill: "var(--accent)" }),
        Plot.ruleY([0], { stroke: "var(--border)" }),
      ],
    }))];
}

/** What each level of memory allows: the peak of the matrix unit or vector ALU over the work for each byte. */
function levels(launch) {
  const { resource, clocks, of } = launch.work;
  const list = launch.levels.filter((level) => level.bytes > 0 && level.clocks > 0)
    .map((level) => ({ ...level, intensity: clocks / level.bytes, ridge: level.clocks / level.bytes, reached: clocks / of }));
  if (list.length === 0 || !(clocks > 0)) return null;
  const from = d3.min(list, (level) => Math.min(level.intensity, level.ridge)) / 8, to = d3.max(list, (level) => Math.max(level.intensity, level.ridge)) * 8;
  const bottom = Math.min(0.01, list[0].reached / 3);
  const lines = list.flatMap((level) => [
    { level: level.level, x: from, y: from / level.ridge }, { level: level.level, x: level.ridge, y: 1 }, { level: level.level, x: to, y: 1 }]);
  return section("Roofline", `Part of the peak of the ${resource} over its clocks of work for each byte that a level delivers. A line is what that level allows; a point far below its line is limited by something else.`,
    chart("roofline with a point for each level of memory", (width) => ({
      height: Math.max(260, Math.min(400, width * 0.4)), marginLeft: 50, grid: true,
      x: { type: "log", domain: [from, to], label: `clocks of the ${resource} for each byte`, ticks: width < 600 ? 3 : 6, tickFormat: "~r" },
      y: { type: "log", domain: [bottom, 1.3], label: `part of the peak of the ${resource}`, tickFormat: "~%", ticks: 4 },
      color: { type: "ordinal", legend: true, domain: list.map((level) => level.level), scheme: "observable10" },
      marks: [
        Plot.line(lines, { x: "x", y: "y", z: "level", stroke: "level", clip: true }),
        Plot.dot(list, { x: "intensity", y: "reached", fill: "level", r: 6, stroke: "var(--text)", tip: true,
          title: (level) => `${level.level}: ${digits(level.intensity)} clocks of work for each byte\nit would allow ${percent(Math.min(1, level.intensity / level.ridge))} of the peak; ${percent(level.reached)} is reached` }),
      ],
    })));
}

function timeFacts(launch) {
  const { sustained, burst, gains } = launch;
  const limit = gains[0];
  return facts(
    ["time in long runs", milliseconds(sustained.ms), `${sustained.low_ms > 0 ? `${milliseconds(sustained.low_ms)} to ${milliseconds(sustained.high_ms)}, ` : ""}at ${digits(sustained.mhz)} MHz`],
    ["limited by", limit ? limit.resource : "nothing that stands out", limit ? `${percent(limit.part)} less without it` : "occupancy, or the length of one workgroup"],
    ["no order takes less than", milliseconds(sustained.bound_ms), `${launch.bound.resource}; reached to ${percent(sustained.bound_ms / sustained.ms)}`],
    ["matrix units busy", percent(launch.matrix_busy), "of the whole device"],
    ["a unit holds", plural(launch.workgroups_per_unit, "workgroup"), `bounded by ${launch.occupancy_bound}; ${launch.waves_per_workgroup} waves each`],
    ["one run alone", milliseconds(burst.ms), `at ${digits(burst.mhz)} MHz, with its launch`]);
}

function launchParts(launch) {
  const instructions = instructionsOf(launch), colour = reasonColours(instructions), loop = hotLoop(instructions);
  const [first, last] = [loop[0], loop.at(-1)];
  const rest = element("details", {}, element("summary", {}, `All ${d3.format(",")(instructions.length)} instructions that were executed`));
  rest.addEventListener("toggle", () => {
    if (rest.childElementCount === 1) rest.append(instructionTable("all instructions", instructions, colour));
  });
  // "PROBLEM by INSTANCE", of Gridwise's own launches.
  const [problem, instance] = launch.what.split(" by ");
  return [
    element("h1", {}, problem || `Kernel ${launch.kernel}`),
    instance ? element("p", { class: "code" }, instance) : null,
    element("p", {}, `On ${launch.machine}${launch.calibrated ? "" : " (not calibrated)"}, by the simulator's clock, which is not a measurement. ` +
      `Kernel ${launch.kernel}: ${plural(launch.workgroups, "workgroup")}, ${d3.format(",")(launch.executed)} of them executed; ${launch.registers} registers, ` +
      `${bytes(launch.lds_bytes)} of LDS${launch.spills || launch.scratch_bytes ? `, ${launch.spills} spills, ${bytes(launch.scratch_bytes)} of scratch` : ""}. ` +
      `Launched ${launch.launches === 1 ? "once" : `${launch.launches} times`}.`),
    timeFacts(launch),
    launch.gains.length === 0 ? null : section("What would help most", null, advice(launch.gains.slice(0, 3).map((gain) =>
      `Without ${gain.resource}: ${percent(gain.part)} less time. ${REMEDIES[gain.resource] ?? ""}`))),
    loop.length === 0 ? null : section("Hot loop",
      `${offset(first.pc)} to ${offset(last.pc)}: ${plural(loop.length, "instruction")}, ${percent(d3.sum(loop, (op) => op.share))} of all waiting. A strip shows how long waves wait in front of an instruction, and for what.`,
      legend(colour), instructionTable("hot loop", loop, colour)),
    sourceTable(instructions, colour),
    section("Busy", null, ...busy(launch)),
    levels(launch),
    instructions.length > loop.length ? rest : null,
  ];
}

pages.time = (launches) => {
  const shown = element("div");
  const choose = (index) => shown.replaceChildren(...launchParts(launches[index]).filter((node) => node != null));
  const longest = d3.greatestIndex(launches, (launch) => launch.sustained.ms * launch.launches);
  choose(longest);
  if (launches.length === 1) return [shown];
  const select = element("select", { id: "launch" }, launches.map((launch, index) =>
    element("option", { value: index, selected: index === longest ? "" : null }, `${index + 1}: ${launch.kernel}, ${launch.what.split(" by ")[0] || "not named"}, ${milliseconds(launch.sustained.ms)}`)));
  select.addEventListener("change", () => choose(Number(select.value)));
  return [
    element("p", {}, element("label", { for: "launch" }, "Launch "), select),
    shown,
    section("All launches", "Those that differ, in the order of their first.", table("launches", [
      { title: "#", value: (row) => row.index },
      { title: "kernel", value: (row) => row.launch.kernel, className: "wide" },
      { title: "of", value: (row) => row.launch.what, className: "wide" },
      { title: "launches", value: (row) => row.launch.launches },
      { title: "µs each", value: (row) => 1000 * row.launch.sustained.ms, show: (row) => digits(1000 * row.launch.sustained.ms) },
      { title: "µs", value: (row) => 1000 * row.launch.sustained.ms * row.launch.launches, show: (row) => digits(1000 * row.launch.sustained.ms * row.launch.launches) },
      { title: "limited by", value: (row) => row.launch.gains[0]?.resource ?? "" },
    ], launches.map((launch, index) => ({ launch, index: index + 1 })))),
  ];
};
