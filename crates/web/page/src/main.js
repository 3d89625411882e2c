// The page: an editor, and beside it what the program shows, what the optimiser did with it, and what became of it.

import { Editor } from "./editor.js";
import { Broken, Engine, load } from "./engine.js";
import { Output } from "./output.js";
import { Report } from "./report.js";
import { carried, pack } from "./share.js";
import { divider, tabs, theme } from "./surface.js";

/** How long a run may take, in milliseconds; `?limit=30` allows more. */
const parameters = new URLSearchParams(location.search);
const LIMIT = 1000 * (Number(parameters.get("limit")) || 10);
const DRAFT = "fehu-playground";

const element = (id) => document.getElementById(id);
const say = (text) => (element("status").textContent = text);

/** The draft that this browser remembers; some forbid it. */
const draft = {
  read() {
    try {
      return localStorage.getItem(DRAFT);
    } catch {
      return null;
    }
  },
  write(text) {
    try {
      localStorage.setItem(DRAFT, text);
    } catch {
      // Then it is not remembered.
    }
  },
};

/** Fills the menu, and gives the text of the first example. */
async function examples(choose) {
  const list = await (await fetch("examples.json")).json();
  const read = async (file) => (await fetch(file)).text();
  const menu = element("examples");
  menu.append(new Option("Examples", "", true, true));
  for (const { title, file } of list) menu.append(new Option(title, file));
  menu.onchange = async () => {
    if (menu.value !== "") choose(await read(menu.value));
    menu.selectedIndex = 0;
  };
  return () => read(list[0].file);
}

async function start() {
  const embedded = parameters.has("embed");
  document.body.classList.toggle("embed", embedded);
  theme(element("theme"));
  let engines = null;
  let editor = null;
  const choose = (text) => {
    editor.text = text;
    history.replaceState(null, "", location.pathname + location.search);
    if (engines) run();
  };
  const first = await examples(choose);
  let text = null;
  try {
    text = await carried();
  } catch {
    say("this link is damaged");
  }
  text ??= (embedded ? null : draft.read()) ?? (await first());

  const report = new Report(element("report"), (line) => editor.show(line));
  const output = new Output(element("shown"));
  let later = 0;
  const looks = { "tab-report": showReport, "tab-code": showCode };
  const shown = tabs(element("side"), (tab) => looks[tab]?.());
  const changed = () => {
    if (!embedded) draft.write(editor.text);
    clearTimeout(later);
    later = setTimeout(() => looks[shown()]?.(), 400);
  };
  editor = new Editor(element("editor"), text, { changed, moved: (line) => report.mark(line) });
  divider(element("divider"), document.querySelector("main"));

  say("loading the compiler");
  let module;
  try {
    module = await load("fehu.wasm");
  } catch (error) {
    say(`the compiler could not be loaded: ${error.message}`);
    return;
  }
  engines = { editor: new Engine(module), runner: new Engine(module), looker: null };
  editor.connect(engines.editor);
  element("run").disabled = false;
  say("ready");

  /** Asks the runner, and shows that it is busy. */
  async function working(request) {
    if (engines.runner.busy) engines.runner.stop();
    const began = performance.now();
    [element("run").hidden, element("stop").hidden] = [true, false];
    say("running");
    try {
      const answer = await engines.runner.ask(request, { limit: LIMIT, heard: (event) => output.add(event) });
      if (answer.message) output.failed(answer.message);
      const words = answer.end === "done" ? "done" : "failed";
      say(`${words} after ${((performance.now() - began) / 1000).toFixed(2)} s`);
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      output.failed(error.message);
      say(error.message.startsWith("stopped") ? "stopped" : "failed");
    } finally {
      [element("run").hidden, element("stop").hidden] = [engines.runner.busy, !engines.runner.busy];
    }
  }

  async function run() {
    shown("tab-output");
    output.clear();
    await working({ do: "run", text: editor.text });
  }

  /** Asks for what a tab shows; whoever asks later is answered. */
  async function look(request) {
    // Nobody waits for what was asked before.
    if (engines.looker?.busy) engines.looker.stop();
    engines.looker ??= new Engine(module);
    let messages = "";
    const heard = (event) => (messages += event.text ?? "");
    const answer = await engines.looker.ask(request, { limit: 20000, heard });
    return { messages, ...answer };
  }

  async function showReport() {
    if (!engines) return;
    try {
      report.show(await look({ do: "report", text: editor.text }));
      report.mark(editor.line);
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      if (error.message !== "stopped") report.show({ end: "failed", messages: error.message });
    }
  }

  async function showCode() {
    if (!engines) return;
    try {
      const { text, message, messages } = await look({ do: "code", text: editor.text, view: element("view").value });
      element("made").textContent = text ?? message ?? messages;
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      if (error.message !== "stopped") element("made").textContent = error.message;
    }
  }

  element("view").onchange = showCode;
  element("run").onclick = run;
  element("stop").onclick = () => engines.runner.stop();
  element("format").onclick = () => editor.format();
  element("ask").onsubmit = (event) => {
    event.preventDefault();
    const { value } = element("expression");
    if (value.trim() === "") return;
    output.asked(value);
    element("expression").value = "";
    working({ do: "evaluate", text: editor.text, expression: value });
  };
  element("share").onclick = async () => {
    const address = new URL(location.href);
    address.search = "";
    address.hash = `code=${await pack(editor.text)}`;
    history.replaceState(null, "", address.hash);
    try {
      await navigator.clipboard.writeText(address.href);
      say("the link has been copied");
    } catch {
      say("the link is in the address bar");
    }
  };
  element("save").onclick = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([editor.text], { type: "text/plain" }));
    link.download = "program.fut";
    link.click();
    URL.revokeObjectURL(link.href);
  };
  element("open").onclick = async (event) => {
    event.preventDefault();
    open(`./#code=${await pack(editor.text)}`, "_blank", "noopener");
  };
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  }, true);
  addEventListener("hashchange", async () => {
    const text = await carried().catch(() => null);
    if (text !== null && text !== editor.text) editor.text = text;
  });
  if (parameters.has("run") || !embedded) run();
  if ("serviceWorker" in navigator && !embedded) navigator.serviceWorker.register("offline.js").catch(() => {});
}

start();
