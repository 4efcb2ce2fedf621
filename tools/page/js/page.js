// SPDX-License-Identifier: MIT
// What all pages share: how numbers are written, and the parts that pages consist of. Scripts of the pages add a function to
// `pages`, from the data of a page to its elements; the last of this file's functions shows them.

/** The pages by kind; see PageKind in page.h. */
const pages = {};

/** An element with attributes and children. Text is never read as HTML. */
function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value != null) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child != null));
  return node;
}

// --- numbers

/** A number with three digits, and without an exponent. */
const digits = (value) => (value >= 1000 ? d3.format(",.0f") : d3.format(".3~r"))(value);
const microseconds = (us) => (us >= 1000 ? `${digits(us / 1000)}\u00a0ms` : `${digits(us)}\u00a0µs`);
const milliseconds = (ms) => microseconds(1000 * ms);
const percent = (part) => d3.format(part < 0.0995 ? ".1%" : ".0%")(part).replace("%", "\u00a0%");
const bytes = (count) => d3.format(".3~s")(count).replace(/[a-zA-Z]?$/, (unit) => `\u00a0${unit}B`);
const plural = (count, word) => `${d3.format(",")(count)} ${word}${count === 1 ? "" : "s"}`;

// --- parts of pages

/** Figures beside each other: [what, value, note], of which the note may be missing. */
function facts(...entries) {
  const boxes = entries.filter((entry) => entry != null).map(([what, value, note]) =>
    element("div", {}, element("dt", {}, what), element("dd", {}, value, note == null ? null : element("small", {}, note))));
  return element("dl", { class: "facts" }, boxes);
}

/** A section with a title, a note below it, and what it shows. */
function section(title, note, ...children) {
  return element("section", {}, element("h2", {}, title), note == null ? null : element("p", {}, note), ...children);
}

/** Sentences in their order, or nothing. */
function advice(sentences) {
  return sentences.length === 0 ? null : element("ol", { class: "advice" }, sentences.map((text) => element("li", {}, text)));
}

/** Text on a bar that fills the part `value` of its width. */
function part(value, text) {
  return element("span", { class: "part", style: `--part: ${(100 * Math.min(1, Math.max(0, value))).toFixed(1)}%` }, text);
}

/** A chart of Observable Plot: `options` of the width that there is. It is drawn again when that changes. */
function chart(label, options) {
  const figure = element("figure");
  let drawn = 0;
  const draw = () => {
    const width = Math.floor(figure.clientWidth);
    if (width === drawn || width === 0) return;
    drawn = width;
    figure.replaceChildren(Plot.plot({ width, ariaLabel: label, ...options(width) }));
  };
  // Not within the observer's call, which must not change what it observes.
  new ResizeObserver(() => requestAnimationFrame(draw)).observe(figure);
  return figure;
}

/** Colours for the words that `values` has, the most frequent or heaviest first. */
function colours(values, weight = () => 1) {
  const sums = d3.rollups(values, (group) => d3.sum(group, weight), (value) => value.word).sort((a, b) => d3.descending(a[1], b[1]));
  return { type: "ordinal", legend: true, domain: sums.map(([word]) => word), scheme: "observable10" };
}

/**
 * A table that sorts and filters. A column has a `title` and a `value` of a row, by which it sorts. It shows that, or
 * what `show` makes of the row: text or an element. `name` is for those who do not see the table.
 */
function table(name, columns, rows, { pageLength = 100, order = [] } = {}) {
  const text = (shown) => (shown instanceof Node ? shown.textContent : String(shown ?? ""));
  const node = element("table", { class: "row-border hover", "aria-label": name });
  const data = (column) => (row, type) => {
    if (type === "sort" || type === "type") return column.value(row) ?? "";
    const shown = (column.show ?? column.value)(row);
    if (type === "filter") return text(shown);
    return shown instanceof Node ? shown : document.createTextNode(text(shown));
  };
  const box = element("div", { class: "table" }, node);
  new DataTable(node, {
    data: rows,
    columns: columns.map((column) => ({ title: column.title, className: column.className, data: data(column) })),
    order,
    autoWidth: false,
    paging: rows.length > pageLength,
    pageLength,
    lengthChange: false,
    layout: { topStart: rows.length > 5 ? "search" : null, topEnd: null, bottomStart: rows.length > pageLength ? "info" : null },
    language: { search: "Filter", zeroRecords: "no line has this text" },
  });
  return box;
}

// --- the page

/** Shows the page's data, and follows the system from light to dark. */
function show() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark", dark.matches);
  dark.addEventListener("change", follow);
  follow();
  const data = JSON.parse(document.getElementById("data").textContent);
  document.querySelector("main").replaceChildren(
    ...pages[document.body.dataset.page](data).filter((node) => node != null),
    element("footer", {}, "Gridwise. Charts by Observable Plot and D3 (ISC licence), tables by DataTables (MIT licence); their notices are in this file."));
}

addEventListener("DOMContentLoaded", show);
