// SPDX-License-Identifier: MIT
// The layers of a network on one device, or on two: what `gridwise network --json` prints.

const TIMES = {
  estimated: "by the planner's estimates, which are not measurements",
  simulated: "by the simulator's clock, which is not a measurement",
  measured: "measured",
};

/** "g2 n8 c64 k128 56x56 3x3 s2x2": what differs from layer to layer. */
function sizes(problem) {
  if (problem.direction === "gemm") return `b${problem.batch} m${problem.m} n${problem.n} k${problem.k}`;
  const differs = (values) => values.some((value) => value !== 1);
  return [
    problem.groups === 1 ? null : `g${problem.groups}`,
    `n${problem.n} c${problem.c} k${problem.k}`,
    problem.in.join("x"),
    problem.filter.join("x"),
    differs(problem.stride) ? `s${problem.stride.join("x")}` : null,
    differs(problem.dilation) ? `d${problem.dilation.join("x")}` : null,
  ].filter(Boolean).join(" ");
}

/** The layers that a device has kernels for, with what charts and tables need of them. */
function layersOf(network) {
  return network.layers
    .map((layer, index) => ({ ...layer, index: index + 1, device: network.device }))
    .filter((layer) => layer.plan)
    .map((layer) => ({
      ...layer,
      word: layer.limiter,
      label: `${layer.name}, ${layer.problem.direction}`,
      intensity: layer.problem.flops / layer.bytes,
      tflops: layer.problem.flops / layer.us / 1e6,
      gain: layer.total_us * (1 - Math.min(1, layer.of_bound)),
    }));
}

/** What limits the layers, that with the most time first: [[word, part]]. */
function limiters(layers) {
  return d3.rollups(layers, (group) => d3.sum(group, (layer) => layer.share), (layer) => layer.limiter)
    .sort((a, b) => d3.descending(a[1], b[1]));
}

function answer(network) {
  const layers = layersOf(network), [first, ...others] = limiters(layers);
  return facts(
    ["time of all convolutions", microseconds(network.total_us), network.device],
    ["limited by", first[0], `${percent(first[1])} of the time${others.length ? `; ${others[0][0]} ${percent(others[0][1])}` : ""}`],
    ["part of the roofline", percent(network.bound_us / network.total_us), `at least ${microseconds(network.bound_us)} on this device`],
    network.pass_us > 0
      ? ["a fused function saves", microseconds(network.pass_us), "for each bias, activation or residual of the forward layers"] : null,
    ["memory of the largest layer", bytes(network.memory_bytes), `workspace at most ${bytes(network.workspace_bytes)}`]);
}

/** Sentences on what would save most time, the largest saving first. */
function networkAdvice(network) {
  const total = network.total_us;
  const gains = layersOf(network).map((layer) => ({
    us: layer.gain,
    text: `${layer.label} (layer ${layer.index}) takes ${percent(layer.share)} of the time at ${percent(layer.of_bound)} of its roofline, ` +
      `limited by ${layer.limiter}. At its roofline all would take ${percent(layer.gain / total)} less.`,
  }));
  if (network.pass_us > 0) {
    gains.push({
      us: network.pass_us,
      text: `Fuse what follows the convolutions: each function that a kernel applies itself saves a pass over its output, ` +
        `${microseconds(network.pass_us)} in all (${percent(network.pass_us / total)} of the time of the convolutions).`,
    });
  }
  return advice(gains.sort((a, b) => d3.descending(a.us, b.us)).slice(0, 3).map((gain) => gain.text));
}

/** A bar for each layer in the order of the network. */
function profile(devices) {
  const layers = devices.flatMap(layersOf);
  return chart("time of each layer", (width) => ({
    height: devices.length * (width < 600 ? 180 : 220) + 50,
    marginLeft: 50, marginBottom: 40, marginRight: devices.length > 1 ? 70 : 20,
    x: { label: "layer, in the order of the network", type: "band", tickRotate: 0, ticks: ticksOf(layers.map((layer) => layer.index), width), tickSize: 0 },
    y: { label: "µs, all occurrences", grid: true },
    fy: devices.length > 1 ? { label: null } : undefined,
    color: colours(layers, (layer) => layer.total_us),
    marks: [
      Plot.ruleY([0]),
      Plot.barY(layers, {
        x: "index", y: "total_us", fy: devices.length > 1 ? "device" : undefined, fill: "word", tip: true,
        title: (layer) => `${layer.label}\n${sizes(layer.problem)}\n${layer.count} x ${microseconds(layer.us)}, ${percent(layer.share)} of the time\n` +
          `limited by ${layer.limiter}, ${percent(layer.of_bound)} of the roofline\n${layer.plan.instance}`,
      }),
    ],
  }));
}

/** Of numbers from 1 on, as many as have room. */
function ticksOf(indices, width) {
  const last = d3.max(indices), step = d3.tickStep(1, Math.max(2, last), Math.max(2, width / 40));
  return d3.range(1, last + 1).filter((index) => index === 1 || index % Math.max(1, Math.round(step)) === 0);
}

/** The lines of a device's roofline over the intensities [from, to]. */
function roofs(network, from, to) {
  const { matrix_tflop_per_s: peaks, memory_gb_per_s: memory, cache_gb_per_s: cache } = network.roofline;
  const highest = d3.max(Object.values(peaks));
  const slopes = [["device memory", memory], ["Infinity Cache", cache]].filter(([, rate]) => rate > 0).map(([name, rate]) => {
    const ridge = Math.min(to, (highest / rate) * 1000);
    return {
      name: `${name} ${digits(rate)} GB/s`,
      points: [from, ridge].map((x) => ({ x, y: (x * rate) / 1000 })),
    };
  });
  const flats = Object.entries(peaks).map(([type, peak]) => ({
    flat: true,
    name: `${type} ${digits(peak)} TFLOP/s`,
    points: [Math.min(to, (peak / d3.max([memory, cache])) * 1000), to].map((x) => ({ x, y: peak })),
  }));
  return [...slopes, ...flats].map((roof) => ({ ...roof, device: network.device }));
}

/** A point for each layer, as large as its part of the time. */
function roofline(devices) {
  const layers = devices.flatMap(layersOf), several = devices.length > 1;
  const [least, most] = d3.extent(layers, (layer) => layer.intensity);
  const from = Math.min(least / 2, 10), to = Math.max(most * 3, 2000);
  const lines = devices.flatMap((network) => roofs(network, from, to));
  const shift = (index) => (index ? 1.6 : 1.15);
  const named = (roof) => (several ? `${roof.device}: ${roof.name}` : roof.name);
  const bottom = d3.min(layers, (layer) => layer.tflops) / 2;
  return chart("roofline with a point for each layer", (width) => ({
    height: Math.max(320, Math.min(520, width * 0.5)),
    marginLeft: 55, marginRight: 20, marginBottom: 40, grid: true,
    x: { type: "log", domain: [from, to], label: "FLOP per byte of the tensors", tickFormat: "~s", ticks: width < 600 ? 3 : 8 },
    y: { type: "log", label: "TFLOP/s", tickFormat: "~r", ticks: 5, domain: [bottom, d3.max(lines, (roof) => roof.points[1].y) * 1.6] },
    r: { range: [2.5, 16], domain: [0, d3.max(layers, (layer) => layer.share)] },
    color: several ? { type: "ordinal", legend: true, domain: devices.map((network) => network.device), scheme: "observable10" }
      : colours(layers, (layer) => layer.total_us),
    marks: [
      ...lines.map((roof) => Plot.line(roof.points, { x: "x", y: "y", clip: true, stroke: several ? () => roof.device : "var(--muted)", strokeWidth: 1.5 })),
      // Of the first device above its line, of the second below.
      ...devices.map((network, index) => Plot.text(lines.filter((roof) => roof.flat && roof.device === network.device), {
        x: (roof) => roof.points[1].x, y: (roof) => roof.points[1].y, text: named, textAnchor: "end", dx: -2, dy: index ? 9 : -7, fill: "var(--muted)",
      })),
      // Below the line, a little to the right of where it enters the chart.
      ...devices.map((network, index) => Plot.text(lines.filter((roof) => !roof.flat && roof.device === network.device), {
        x: (roof) => shift(index) * Math.max(from, (bottom * roof.points[1].x) / roof.points[1].y),
        y: (roof) => shift(index) * Math.max(roof.points[0].y, bottom), text: named, textAnchor: "start", dx: 8, dy: 6, fill: "var(--muted)",
      })),
      Plot.dot(layers, {
        x: "intensity", y: "tflops", r: "share", fill: several ? "device" : "word", fillOpacity: 0.6, stroke: "var(--text)", strokeOpacity: 0.5, tip: true,
        title: (layer) => `${layer.label} on ${layer.device}\n${sizes(layer.problem)}\n${digits(layer.tflops)} TFLOP/s at ${digits(layer.intensity)} FLOP per byte\n` +
          `${percent(layer.of_bound)} of its roofline, limited by ${layer.limiter}\n${layer.plan.instance}`,
      }),
    ],
  }));
}

// What is narrow and matters most comes first, for windows that show only some columns.
const NAME = [
  { title: "#", value: (layer) => layer.index },
  { title: "layer", value: (layer) => layer.name, className: "wide" },
];
const PROBLEM = [
  { title: "count", value: (layer) => layer.count },
  { title: "direction", value: (layer) => layer.problem.direction },
  { title: "sizes", value: (layer) => sizes(layer.problem) },
];

/** The name of a layer's kernel. */
const kernel = (layer) => element("span", { class: "code" }, layer.plan.instance);

/** A line for each layer of one device. */
function layerTable(network) {
  return table("layers", [
    ...NAME,
    { title: "µs", value: (layer) => layer.total_us, show: (layer) => digits(layer.total_us) },
    { title: "share", value: (layer) => layer.share, show: (layer) => part(layer.share / d3.max(network.layers, (one) => one.share), percent(layer.share)) },
    { title: "limited by", value: (layer) => layer.limiter },
    { title: "of roofline", value: (layer) => layer.of_bound, show: (layer) => part(layer.of_bound, percent(layer.of_bound)) },
    ...PROBLEM,
    { title: "µs each", value: (layer) => layer.us, show: (layer) => digits(layer.us) },
    { title: "TFLOP/s", value: (layer) => layer.tflops, show: (layer) => digits(layer.tflops) },
    { title: "a fused function saves, µs", value: (layer) => layer.pass_us ?? null, show: (layer) => (layer.pass_us == null ? "" : digits(layer.pass_us)) },
    { title: "workspace", value: (layer) => layer.plan.workspace_bytes, show: (layer) => bytes(layer.plan.workspace_bytes) },
    { title: "kernel", value: (layer) => layer.plan.instance, show: kernel },
  ], layersOf(network));
}

/** The layers that both devices have kernels for: those of the first, each with that of the second. */
function pairsOf([a, b]) {
  const others = new Map(layersOf(b).map((layer) => [layer.index, layer]));
  return layersOf(a).filter((layer) => others.has(layer.index)).map((layer) => ({ ...layer, other: others.get(layer.index) }));
}

/** How many times as long the second device takes for what both compute. */
function ratioOf(devices) {
  const pairs = pairsOf(devices);
  return d3.sum(pairs, (pair) => pair.other.total_us) / d3.sum(pairs, (pair) => pair.total_us);
}

/** A line for each layer that both devices have kernels for. */
function layerTableOfTwo([a, b]) {
  const columns = (network, of) => [
    { title: `${network.device}: µs`, value: (pair) => of(pair).total_us, show: (pair) => digits(of(pair).total_us) },
    { title: "share", value: (pair) => of(pair).share, show: (pair) => part(of(pair).share / d3.max(network.layers, (layer) => layer.share), percent(of(pair).share)) },
    { title: "limited by", value: (pair) => of(pair).limiter },
    { title: "kernel", value: (pair) => of(pair).plan.instance, show: (pair) => kernel(of(pair)) },
  ];
  return table("layers on two devices", [
    ...NAME,
    { title: `${b.device} / ${a.device}`, value: (pair) => pair.other.us / pair.us, show: (pair) => d3.format(".2f")(pair.other.us / pair.us) },
    ...columns(a, (pair) => pair),
    ...columns(b, (pair) => pair.other),
    ...PROBLEM,
  ], pairsOf([a, b]));
}

/** The layers without a kernel, by device. */
function missing(devices) {
  const rows = devices.flatMap((network) => network.layers.filter((layer) => !layer.plan).map((layer) => ({ ...layer, device: network.device })));
  if (rows.length === 0) return null;
  return section("Layers without a kernel", "Their time is not in the total.", table("layers without a kernel", [
    { title: "device", value: (layer) => layer.device },
    { title: "layer", value: (layer) => layer.name, className: "wide" },
    { title: "reason", value: (layer) => layer.reason, className: "wide" },
  ], rows));
}

pages.network = (data) => {
  const devices = [data, data.compared_with].filter(Boolean), several = devices.length > 1;
  const names = devices.map((network) => network.device);
  const notes = [`Times are ${TIMES[data.times]}`, ...devices.map((network) => network.note).filter(Boolean)];
  const count = d3.sum(data.layers, (layer) => layer.count);
  const types = [...new Set(data.layers.map((layer) => layer.problem.type))].join(", ");
  const batches = [...new Set(data.layers.map((layer) => layer.problem.n))];
  return [
    element("h1", {}, `${data.network.split("/").at(-1)} on ${names.join(" and ")}`),
    element("p", {}, `${plural(count, "convolution")}, ${d3.format(",")(data.layers.length)} of them different, in ${types}${batches.length === 1 ? `, ${plural(batches[0], "image")}` : ""}. ${notes.join("; ")}.`),
    several ? element("p", {}, `${names[1]} takes ${d3.format(".2f")(ratioOf(devices))} times as long as ${names[0]}.`) : null,
    ...devices.flatMap((network) => [several ? element("h2", {}, network.device) : null, answer(network)]),
    section("What would help most", several ? `On ${names[0]}:` : null, networkAdvice(data)),
    section("Where the time goes", "Each bar is a layer with all of its occurrences, coloured by what limits it.", profile(devices)),
    section("Layers", "In the order of the network. A click on a title, or Enter, sorts.", several ? layerTableOfTwo(devices) : layerTable(data)),
    section("Roofline", "A point is a layer, as large as its part of the time. Lines are what the matrix units and memory allow; tensors that fit into the Infinity Cache may lie above the line of memory.",
      roofline(devices)),
    missing(devices),
  ];
};
