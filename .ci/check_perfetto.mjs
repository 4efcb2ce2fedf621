// SPDX-License-Identifier: MIT
// check_perfetto: loads a trace of the simulator's clock into Perfetto's trace processor, and asks it by SQL for the slices of each
// wave: their number, their clocks and their names must be those of the file, and none may be lost. Exits with 0 if that is so.
//
//   node check_perfetto.mjs TRACE PROCESSOR      PROCESSOR: the folder of trace_processor.wasm, engine_bundle.node.js, engine.mjs

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { runInThisContext } from "node:vm";

const [trace, folder] = process.argv.slice(2);
const file = (name) => join(resolve(folder), name);
const bytes = readFileSync(trace);

/** The trace processor. Its script runs in a web worker: it is given what it uses of one. */
async function openProcessor() {
  globalThis.self = globalThis;
  globalThis.WorkerGlobalScope = class {};
  console.warn = () => {}; // it notes what its WebAssembly does not have; errors are thrown
  globalThis.location = { href: "file:///" };
  globalThis.XMLHttpRequest = class {
    open() {}
    send() {
      this.response = readFileSync(file("trace_processor.wasm"));
    }
  };
  const { Module } = WebAssembly;
  WebAssembly.Module = function (program) {
    const kMemory = 5; // the first section: only a probe for 64-bit memory, whose trace processor the package does not have, begins so
    if (program[8] === kMemory) throw new Error("no 64-bit memory");
    return new Module(program);
  };
  runInThisContext(readFileSync(file("engine_bundle.node.js"), "utf8"));
  const { EngineBase } = await import(file("engine.mjs"));
  const { port1, port2 } = new MessageChannel();
  class Processor extends EngineBase {
    rpcSendRequestBytes(request) {
      port2.postMessage(request);
    }
    close() {
      port2.close();
    }
  }
  const processor = new Processor();
  port2.onmessage = ({ data }) => processor.onRpcResponseBytes(data);
  globalThis.onmessage({ data: port1 });
  await turn();
  return processor;
}

async function rowsOf(processor, sql, types) {
  const rows = [];
  for (const row = (await processor.query(sql)).iter(types); row.valid(); row.next()) {
    rows.push(Object.keys(types).map((name) => row[name]).join(" "));
  }
  return rows;
}

const expected = new Map();
const names = new Set();
for (const { pid, tid, dur, name } of JSON.parse(bytes).traceEvents) {
  const wave = `${pid} ${tid}`;
  const sum = expected.get(wave) ?? { slices: 0, clocks: 0 };
  expected.set(wave, { slices: sum.slices + 1, clocks: sum.clocks + dur });
  names.add(name);
}

const processor = await openProcessor();
await processor.parse(new Uint8Array(bytes));
await processor.notifyEof();
// A clock is shown as a microsecond, and the processor counts nanoseconds.
const waves = await rowsOf(
  processor,
  `select pid, tid, count(*) as slices, cast(sum(dur) / 1000 as int) as clocks from slice
   join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid) group by pid, tid`,
  { pid: 0, tid: 0, slices: 0, clocks: 0 },
);
const shown = new Set(await rowsOf(processor, "select distinct name from slice", { name: "str" }));
const lost = await rowsOf(processor, "select name, value from stats where value > 0 and severity in ('error', 'data_loss')", { name: "str", value: 0 });
processor.close();

const wanted = [...expected].map(([wave, { slices, clocks }]) => `${wave} ${slices} ${clocks}`);
const faults = lost.map((what) => `the trace processor says: ${what}`);
for (const wave of wanted.filter((each) => !waves.includes(each))) faults.push(`not there: process, thread, slices, clocks ${wave}`);
for (const wave of waves.filter((each) => !wanted.includes(each))) faults.push(`too many: process, thread, slices, clocks ${wave}`);
for (const name of names) if (!shown.has(name)) faults.push(`no slice is called ${name}`);
for (const name of shown) if (!names.has(name)) faults.push(`the file has no slice called ${name}`);
for (const fault of faults) console.log(`perfetto: ${fault}`);
const total = [...expected.values()].reduce((sum, { slices }) => sum + slices, 0);
console.log(`perfetto: ${total} slices of ${expected.size} waves, ${faults.length} faults`);
process.exit(total > 0 && faults.length === 0 ? 0 : 1);
