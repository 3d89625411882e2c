// The editor: CodeMirror, whose brain is the language server in a worker.

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

/** The name of the program for the language server. */
const NAME = "file:///program.fut";

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
  #moved;
  #client = null;

  constructor(parent, text, { changed, moved }) {
    this.#moved = () => moved(this.line);
    const state = EditorState.create({ doc: text, extensions: extensions(changed, this.#moved) });
    this.view = new EditorView({ parent, state });
    this.changed = changed;
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    const { doc } = this.view.state;
    this.view.dispatch({ changes: { from: 0, to: doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  }

  /** The line of the cursor, from 1. */
  get line() {
    const { doc, selection } = this.view.state;
    return doc.lineAt(selection.main.head).number;
  }

  /** Goes to a line. */
  show(number) {
    const { doc } = this.view.state;
    const line = doc.line(Math.max(1, Math.min(number, doc.lines)));
    this.view.dispatch({
      selection: { anchor: line.from + line.text.search(/\S|$/) },
      effects: EditorView.scrollIntoView(line.from, { y: "center" }),
    });
    this.view.focus();
  }

  format() {
    if (this.#client) formatDocument(this.view);
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
    const state = EditorState.create({
      doc: this.text,
      selection: this.view.state.selection,
      extensions: [extensions(this.changed, this.#moved), this.#client.plugin(NAME, "futhark")],
    });
    this.view.setState(state);
  }
}
