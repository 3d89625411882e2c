// The page: an editor, and beside it what the program shows, what the optimiser did with it, and what became of it.

import { Editor } from "./editor.js";
import { Broken, Engine, load } from "./engine.js";
import { Output } from "./output.js";
import { Report } from "./report.js";
import { carried, link } from "./share.js";
import { divider, tabs, theme } from "./surface.js";

/** How long a run may take, in milliseconds; `?limit=30` allows more. */
const parameters = new URLSearchParams(location.search);
const LIMIT = 1000 * (Number(parameters.get("limit")) || 10);
const DRAFT = "fehu-playground-files";

const element = (id) => document.getElementById(id);
const say = (text) => (element("status").textContent = text);

/** The draft that this browser remembers; some forbid it. */
const draft = {
  read() {
    try {
      const { text, files } = JSON.parse(localStorage.getItem(DRAFT));
      return { text, files };
    } catch {
      return null;
    }
  },
  write(program) {
    try {
      localStorage.setItem(DRAFT, JSON.stringify(program));
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
    editor.program = { text, files: {} };
    history.replaceState(null, "", location.pathname + location.search);
    if (engines) run();
  };
  const first = await examples(choose);
  let program = null;
  try {
    program = await carried();
  } catch {
    say("this link is damaged");
  }
  program ??= (embedded ? null : draft.read()) ?? { text: await first(), files: {} };

  const report = new Report(element("report"), (line) => editor.show(line));
  const output = new Output(element("shown"));
  let later = 0;
  let looking = null;
  const looks = { "tab-report": showReport, "tab-code": showCode };
  const shown = tabs(element("side"), (tab) => looks[tab]?.());
  const changed = () => {
    if (!embedded) draft.write(editor.program);
    clearTimeout(later);
    later = setTimeout(() => looks[shown()]?.(), 400);
  };
  const moved = (line) => report.mark(line);
  editor = new Editor(element("editor"), element("files"), program, { changed: () => editor && changed(), moved: (line) => editor && moved(line) });
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
    await working({ do: "run", ...editor.program });
  }

  /** Asks for what a tab shows; whoever asks later is answered. */
  async function look(request) {
    // The optimiser and the back ends are loaded when somebody wants to see what they do.
    looking ??= load("look.wasm");
    let module;
    try {
      module = await looking;
    } catch (error) {
      looking = null;
      throw new Broken(`the optimiser could not be loaded: ${error.message}`);
    }
    engines.looker ??= new Engine(module);
    // Nobody waits for what was asked before.
    if (engines.looker.busy) engines.looker.stop();
    let messages = "";
    const heard = (event) => (messages += event.text ?? "");
    const answer = await engines.looker.ask(request, { limit: 20000, heard });
    return { messages, ...answer };
  }

  async function showReport() {
    if (!engines) return;
    try {
      report.show(await look({ do: "report", ...editor.program }));
      report.mark(editor.line);
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      if (error.message !== "stopped") report.show({ end: "failed", messages: error.message });
    }
  }

  async function showCode() {
    if (!engines) return;
    try {
      const { text, message, messages } = await look({ do: "code", ...editor.program, view: element("view").value });
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
    working({ do: "evaluate", ...editor.program, expression: value });
  };
  element("share").onclick = async () => {
    const address = new URL(location.href);
    address.search = "";
    address.hash = await link(editor.program);
    history.replaceState(null, "", address.hash);
    try {
      await navigator.clipboard.writeText(address.href);
      say("the link has been copied");
    } catch {
      say("the link is in the address bar");
    }
  };
  element("save").onclick = () => {
    const { text, files } = editor.program;
    const anchor = document.createElement("a");
    anchor.href = URL.createObjectURL(new Blob([files[editor.current] ?? text], { type: "text/plain" }));
    anchor.download = editor.current;
    anchor.click();
    URL.revokeObjectURL(anchor.href);
  };
  element("add").onclick = () => {
    const asked = prompt("The name of the new file, which `import` has without its ending:", "lib.fut")?.trim();
    if (!asked) return;
    const name = asked.endsWith(".fut") ? asked : `${asked}.fut`;
    if (!/^[\w.-]+$/.test(name)) return say("names consist of letters, digits, _, - and .");
    if (editor.has(name)) return editor.choose(name);
    editor.add(name);
  };
  element("remove").onclick = () => {
    if (editor.current === "program.fut") return say("the program itself cannot be removed");
    if (confirm(`Remove ${editor.current}?`)) editor.removeCurrent();
  };
  element("open").onclick = async (event) => {
    event.preventDefault();
    open(`./${await link(editor.program)}`, "_blank", "noopener");
  };
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  }, true);
  addEventListener("hashchange", async () => {
    const program = await carried().catch(() => null);
    if (program !== null && JSON.stringify(program) !== JSON.stringify(editor.program)) editor.program = program;
  });
  if (parameters.has("run") || !embedded) run();
  if ("serviceWorker" in navigator && !embedded) navigator.serviceWorker.register("offline.js").catch(() => {});
}

start();
