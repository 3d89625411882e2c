// A worker with an instance of the compiler in it: `crates/web/src/lib.rs` says what can be asked.
//
// Requests are answered one after the other. A request that takes too long, or makes the instance fail, ends the worker; the
// next one has a new worker.

/** Why there is no answer. */
export class Broken extends Error {}

/** Compiles the module; workers share it. */
export async function load(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  // Some servers do not know the type of such files.
  if (response.headers.get("content-type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

export class Engine {
  #module;
  #worker = null;
  #current = null;
  #waiting = [];

  constructor(module) {
    this.#module = module;
    this.#start();
  }

  get busy() {
    return this.#current !== null;
  }

  /** Asks for something. `heard` takes events; `limit` is in milliseconds. */
  ask(request, { heard = () => {}, limit = Infinity } = {}) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, heard, limit, resolve, reject });
      this.#next();
    });
  }

  /** Ends what is being done, and forgets what is waiting. */
  stop(why = "stopped") {
    const lost = [this.#current, ...this.#waiting].filter((task) => task !== null);
    this.#waiting = [];
    this.#start();
    for (const task of lost) task.reject(new Broken(why));
  }

  #start() {
    this.#worker?.terminate();
    clearTimeout(this.#current?.timer);
    this.#current = null;
    this.#worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#received(data);
    this.#worker.onerror = (event) => this.#failed(event.message || "the worker could not be started");
    this.#worker.postMessage({ module: this.#module });
  }

  #next() {
    if (this.#current !== null || this.#waiting.length === 0) return;
    const task = this.#waiting.shift();
    this.#current = task;
    const over = () => this.#failed(`stopped after ${task.limit / 1000} seconds`);
    if (task.limit !== Infinity) task.timer = setTimeout(over, task.limit);
    this.#worker.postMessage({ request: task.request });
  }

  #received(message) {
    if ("event" in message) {
      if (message.event.event === "panic") this.panic = message.event.text;
      else this.#current?.heard(message.event);
    } else if ("failed" in message) {
      this.#failed(this.panic ? `the compiler failed: ${this.panic}` : message.failed);
      this.panic = null;
    } else {
      const { resolve, timer } = this.#current;
      clearTimeout(timer);
      this.#current = null;
      resolve(message.answer);
      this.#next();
    }
  }

  #failed(why) {
    const task = this.#current;
    this.#start();
    task?.reject(new Broken(why));
    this.#next();
  }
}
