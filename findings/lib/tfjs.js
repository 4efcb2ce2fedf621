// TensorFlow.js and its two backends that need no GPU.
const tf = require('@tensorflow/tfjs-core');
tf.enableProdMode(); // no advertisement on stderr
require('@tensorflow/tfjs-backend-cpu');
require('@tensorflow/tfjs-backend-wasm');

async function onEach(check) {
  for (const backend of ['cpu', 'wasm']) {
    await tf.setBackend(backend);
    await tf.ready();
    check(tf.getBackend());
  }
}
module.exports = { tf, onEach };
