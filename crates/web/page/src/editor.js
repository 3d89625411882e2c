// The editor: CodeMirror, whose brain is the language server in a worker. Each file of the program has a view of its own, of which one is seen;
// so the server knows all of them, and each has its own history. The first file is the program, and cannot be removed.

import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import {
  findReferencesKeymap, formatDocument, formatKeymap, hoverTooltips, jumpToDefinitionKeymap, LSPClient, renameKeymap,
  serverCompletion, signatureHelp,
} from "@codemirror/lsp-client";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import {
  drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from "@codemirror/view";
import { Broken } from "./engine.js";
import { messages } from "./messages.js";
import { painter } from "./paint.js";

/** The name of the program. */
const NAME = "program.fut";

/** The name of a file for the language server. */
const address = (name) => `file:///${encodeURI(name)}`;

/** The language server as a transport of messages. What comes while it is busy goes to it together, so that only the last edit is checked. */
class Server {
  #engine;
  #handlers = new Set();
  #waiting = [];
  #busy = false;

  constructor(engine, lost) {
    this.#engine = engine;
    this.lost = lost;
  }

  send(message) {
    this.#waiting.push(JSON.parse(message));
    queueMicrotask(() => this.#flush());
  }

  subscribe(handler) {
    this.#handlers.add(handler);
  }

  unsubscribe(handler) {
    this.#handlers.delete(handler);
  }

  async #flush() {
    if (this.#busy || this.#waiting.length === 0) return;
    this.#busy = true;
    const messages = this.#waiting.splice(0);
    try {
      const answer = await this.#engine.ask({ do: "lsp", messages }, { limit: 20000 });
      for (const message of answer.messages) for (const handler of this.#handlers) handler(JSON.stringify(message));
      this.#busy = false;
      this.#flush();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      // The worker is a new one, which knows nothing: so is the connection.
      this.lost(error);
    }
  }
}

/** What keys do, and the looks. */
function extensions(changed, moved) {
  return [
    lineNumbers(), highlightActiveLineGutter(), lintGutter(), history(), drawSelection(), bracketMatching(), closeBrackets(),
    highlightActiveLine(), highlightSelectionMatches(), indentUnit.of("  "),
    EditorState.tabSize.of(2), matchMedia("(max-width: 800px)").matches ? EditorView.lineWrapping : [],
    EditorState.languageData.of(() => [{ commentTokens: { line: "--" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } }]),
    EditorView.contentAttributes.of({ "aria-label": "Program", spellcheck: "false", autocapitalize: "off" }),
    keymap.of([
      ...closeBracketsKeymap, ...formatKeymap, ...renameKeymap, ...jumpToDefinitionKeymap, ...findReferencesKeymap, ...defaultKeymap,
      ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap, indentWithTab,
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) changed();
      if (update.selectionSet || update.docChanged) moved();
    }),
  ];
}

// What the server was asked about a text that has changed since has no answer, and nobody waits for one: these are the protocol's numbers for
// "content modified" and "request cancelled".
addEventListener("unhandledrejection", (event) => {
  if ([-32801, -32800].includes(event.reason?.code)) event.preventDefault();
});

export class Editor {
  #parent;
  #bar;
  #told;
  #files = [];
  #current = null;
  #client = null;

  /** `bar` has a tab for each file; `changed` and `moved` are told what somebody does. */
  constructor(parent, bar, program, told) {
    [this.#parent, this.#bar, this.#told] = [parent, bar, told];
    this.program = program;
  }

  /** The text of the program, and those of the other files by their names. */
  get program() {
    const [[, text], ...others] = this.#files.map(({ name, view }) => [name, view.state.doc.toString()]);
    return { text, files: Object.fromEntries(others) };
  }

  set program({ text, files }) {
    const wanted = new Map([[NAME, text], ...Object.entries(files)]);
    for (const { name } of this.#files.filter(({ name }) => !wanted.has(name))) this.#remove(name);
    for (const [name, text] of wanted) this.#put(name, text);
    this.choose(NAME);
  }

  /** The line of the cursor in the program, from 1; 0 if another file is seen. */
  get line() {
    if (this.#current.name !== NAME) return 0;
    const { doc, selection } = this.#current.view.state;
    return doc.lineAt(selection.main.head).number;
  }

  /** Whether there is a file of this name. */
  has(name) {
    return this.#files.some((file) => file.name === name);
  }

  /** Shows a file. */
  choose(name) {
    this.#current = this.#files.find((file) => file.name === name) ?? this.#files[0];
    for (const { holder, tab, ...file } of this.#files) {
      const selected = file.name === this.#current.name;
      holder.hidden = !selected;
      tab.setAttribute("aria-selected", String(selected));
    }
    this.#current.view.requestMeasure();
  }

  /** Adds an empty file, and shows it. */
  add(name) {
    this.#put(name, "");
    this.choose(name);
    this.#current.view.focus();
    this.#told.changed();
  }

  /** Removes the file that is seen, unless it is the program. */
  removeCurrent() {
    if (this.#current.name === NAME) return;
    this.#remove(this.#current.name);
    this.choose(NAME);
    this.#told.changed();
  }

  get current() {
    return this.#current.name;
  }

  /** Goes to a line of the program. */
  show(number) {
    this.choose(NAME);
    const { view } = this.#current;
    const { doc } = view.state;
    const line = doc.line(Math.max(1, Math.min(number, doc.lines)));
    view.dispatch({
      selection: { anchor: line.from + line.text.search(/\S|$/) },
      effects: EditorView.scrollIntoView(line.from, { y: "center" }),
    });
    view.focus();
  }

  format() {
    if (this.#client) formatDocument(this.#current.view);
  }

  /** Connects the editor with a language server. */
  connect(engine) {
    const lost = () => {
      this.#client.disconnect();
      this.#client.connect(new Server(engine, lost));
    };
    this.#client = new LSPClient({
      timeout: 20000,
      extensions: [
        messages, serverCompletion({ override: true }), hoverTooltips(), signatureHelp(), painter,
      ],
    });
    this.#client.connect(new Server(engine, lost));
    for (const { name, view } of this.#files) view.setState(this.#state(name, view.state.doc.toString(), view.state.selection));
  }

  #state(name, doc, selection) {
    const moved = () => {
      // Whoever goes to a definition in another file wants to see it.
      if (this.#current.name !== name && this.has(name)) this.choose(name);
      this.#told.moved(this.line);
    };
    const plugin = this.#client ? this.#client.plugin(address(name), "futhark") : [];
    return EditorState.create({ doc, selection, extensions: [extensions(() => this.#told.changed(), moved), plugin] });
  }

  /** Gives a file a text; adds it if there is none of this name. */
  #put(name, text) {
    const file = this.#files.find((file) => file.name === name);
    if (file) {
      const { doc } = file.view.state;
      // It is not seen for that.
      this.#current = file;
      file.view.dispatch({ changes: { from: 0, to: doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
      return;
    }
    const holder = document.createElement("div");
    holder.className = "file";
    this.#parent.append(holder);
    const tab = Object.assign(document.createElement("button"), { type: "button", textContent: name });
    tab.setAttribute("role", "tab");
    tab.onclick = () => this.choose(name);
    this.#bar.append(tab);
    this.#files.push({ name, holder, tab, view: new EditorView({ parent: holder, state: this.#state(name, text) }) });
  }

  #remove(name) {
    const index = this.#files.findIndex((file) => file.name === name);
    const [{ view, holder, tab }] = this.#files.splice(index, 1);
    view.destroy();
    holder.remove();
    tab.remove();
  }
}
