// The inside of a worker: an instance of the compiler, called through `crates/web/src/abi.rs`.

let exports = null;

/** The text at an address. Memory may have grown, and its buffer is then another one. */
function text(address, length) {
  return new TextDecoder().decode(new Uint8Array(exports.memory.buffer, address, length));
}

function answer(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const address = exports.input(bytes.length);
  new Uint8Array(exports.memory.buffer, address, bytes.length).set(bytes);
  const length = exports.answer();
  return JSON.parse(text(exports.output(), length));
}

/** What an error of the instance means to people. */
function words(error) {
  if (error instanceof RangeError) return "this is nested too deeply for a browser";
  if (error instanceof WebAssembly.RuntimeError) return "the program needs more memory than a page may have (512 MB)";
  return String(error);
}

let ready = null;
onmessage = async ({ data }) => {
  if ("module" in data) {
    const said = (address, length) => postMessage({ event: JSON.parse(text(address, length)) });
    ready = WebAssembly.instantiate(data.module, { page: { said } });
    return;
  }
  try {
    exports ??= (await ready).exports;
    postMessage({ answer: answer(data.request) });
  } catch (error) {
    postMessage({ failed: words(error) });
  }
};
