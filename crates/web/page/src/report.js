// What the optimiser did: numbers, pictures of the flow of data before and after, notes at lines.

const element = (name, attributes = {}, ...children) => {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
};

/** The tip of all arrows. */
const TIP = `<svg width="0" height="0" aria-hidden="true"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4"
markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0L8 4L0 8Z"/></marker></defs></svg>`;

export class Report {
  #place;
  #picture = "after";
  #entry = null;

  constructor(place, go) {
    this.#place = place;
    place.addEventListener("click", (event) => {
      const line = event.target.closest("a")?.getAttribute("href")?.match(/^#line-(\d+)$/)?.[1];
      if (line === undefined) return;
      event.preventDefault();
      go(Number(line));
    });
  }

  /** Shows an answer; see `crates/web/src/lib.rs`. */
  show(answer) {
    if (answer.end !== "done") {
      const words = answer.messages || answer.message || "there is no report";
      this.#place.replaceChildren(element("pre", { className: "failed", textContent: words }));
      return;
    }
    const rows = answer.summary.map(([what, number]) => element("div", {}, element("dt", {}, what), element("dd", {}, number)));
    this.#place.replaceChildren(element("dl", { className: "summary" }, ...rows), this.#pictures(answer.entries), this.#notes(answer.notes));
  }

  /** Marks what belongs to a line. */
  mark(line) {
    for (const link of this.#place.querySelectorAll("a")) {
      link.classList.toggle("here", link.getAttribute("href") === `#line-${line}`);
    }
  }

  #pictures(entries) {
    const place = element("section", { className: "pictures" });
    if (entries.length === 0) {
      place.append(element("p", { className: "hint" }, "There is nothing to draw: the program has no entry points."));
      return place;
    }
    const menu = element("select", { ariaLabel: "Entry point" }, ...entries.map(({ name }) => new Option(name, name)));
    if (entries.some(({ name }) => name === this.#entry)) menu.value = this.#entry;
    const drawing = element("div", { className: "scroll", tabIndex: 0 });
    const buttons = ["before", "after"].map((when) => element("button", { type: "button" }, when));
    const draw = () => {
      this.#entry = menu.value;
      const entry = entries.find(({ name }) => name === menu.value);
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.textContent === this.#picture));
      drawing.innerHTML = entry[this.#picture] ? TIP + entry[this.#picture] : "<p class=\"hint\">The graph is too large to draw.</p>";
    };
    for (const button of buttons) {
      button.onclick = () => {
        this.#picture = button.textContent;
        draw();
      };
    }
    menu.onchange = draw;
    draw();
    const words = (text) => element("span", {}, text);
    place.append(element("div", { className: "bar" }, words("Flow of data in"), menu, ...buttons, words("optimisation")), drawing);
    return place;
  }

  #notes(notes) {
    const list = element("ul", { className: "notes" });
    for (const { line, kind, text } of notes) {
      const place = line > 0 ? element("a", { href: `#line-${line}` }, `line ${line}`) : element("span", {}, "elsewhere");
      list.append(element("li", { className: kind }, place, element("span", {}, text)));
    }
    return list;
  }
}
