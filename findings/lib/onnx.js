// An ONNX model of a few nodes, written as protobuf by hand, so that the findings need no Python; and its run by ONNX Runtime on the CPU.
const ort = require('onnxruntime-node');

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}
const integer = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
const bytes = (field, ...parts) => {
  const body = Buffer.concat(parts.flat().map(part => Buffer.from(part)));
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body]);
};

// Attributes are integers, strings or lists of integers. The tags are those of onnx.proto.
function attribute([name, value]) {
  const kind = typeof value === 'string' ? [bytes(4, value), integer(20, 3)]
    : Array.isArray(value) ? [...value.map(v => integer(8, v)), integer(20, 7)]
    : [integer(3, value), integer(20, 2)];
  return bytes(5, bytes(1, name), kind);
}
const node = (operator, inputs, output, attributes = {}) =>
  bytes(1, inputs.map(name => bytes(1, name)), bytes(2, output), bytes(4, operator), Object.entries(attributes).map(attribute));

const codes = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, float64: 11 };
const value = (field, name, type, shape) =>
  bytes(field, bytes(1, name), bytes(2, bytes(1, integer(1, codes[type]), shape ? bytes(2, shape.map(size => bytes(1, integer(1, size)))) : [])));

// The session of a model that computes y of the given type from tensors by name; run gives y's elements.
function load(nodes, inputs, type = 'float32', opset = 19) {
  const graph = [...nodes, bytes(2, 'finding'), ...Object.entries(inputs).map(([name, x]) => value(11, name, x.type, x.dims)), value(12, 'y', type)];
  const model = Buffer.concat([integer(1, 8), bytes(7, graph), bytes(8, bytes(1, ''), integer(2, opset))]);
  return ort.InferenceSession.create(model, { logSeverityLevel: 4 });
}
const run = async (nodes, inputs, type) => Array.from((await (await load(nodes, inputs, type)).run(inputs)).y.data);

// A tensor of a list of elements, or of one number everywhere.
function tensor(shape, data, type = 'float32') {
  const elements = typeof data === 'number' ? Array(shape.reduce((a, b) => a * b)).fill(data) : data;
  return new ort.Tensor(type, (type === 'float64' ? Float64Array : Float32Array).from(elements), shape);
}

module.exports = { node, load, run, tensor };
