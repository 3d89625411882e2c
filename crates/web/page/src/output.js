// What a program shows. HTML comes from the compiler, which escapes what programs say; everything else is text.

/** The most lines of traces that are kept. */
const MOST_TRACES = 1000;

export class Output {
  #place;
  #traces = null;
  #count = 0;

  constructor(place) {
    this.#place = place;
  }

  clear() {
    this.#place.replaceChildren();
    [this.#traces, this.#count] = [null, 0];
  }

  /** Shows an event; see `crates/web/src/lib.rs`. */
  add(event) {
    if (event.event === "trace") return this.#trace(event.text);
    this.#traces = null;
    if (event.event === "html") this.#place.insertAdjacentHTML("beforeend", event.html);
    else this.#text(event.event === "value" ? "result" : "failed", event.text, event.type).scrollIntoView();
  }

  /** What somebody asked. */
  asked(text) {
    this.#traces = null;
    this.#text("echo", text);
  }

  failed(text) {
    this.#traces = null;
    this.#text("failed", text).scrollIntoView();
  }

  #text(name, text, type) {
    const block = document.createElement("pre");
    block.className = name;
    block.textContent = text;
    if (type) {
      const note = document.createElement("span");
      note.className = "type";
      note.textContent = type;
      block.append(note);
    }
    this.#place.append(block);
    return block;
  }

  #trace(line) {
    this.#count += 1;
    if (this.#count > MOST_TRACES) return;
    this.#traces ??= this.#text("trace", "");
    this.#traces.append(`${line}\n`);
    if (this.#count === MOST_TRACES) this.#traces.append("... and more\n");
  }
}
