// Colours: those of the semantic tokens of the language server, which knows the language better than a second lexer would.

import { LSPPlugin } from "@codemirror/lsp-client";
import { RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin } from "@codemirror/view";

/** The classes of the style sheet, by type of token. */
const CLASSES = {
  keyword: "kw", number: "nu", string: "st", comment: "co", type: "pt", typeParameter: "pt", interface: "pt", namespace: "ns",
  enumMember: "st", function: "fn", parameter: "pa", macro: "kw",
};

const painted = StateEffect.define();

const colours = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) if (effect.is(painted)) return effect.value;
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The marks for tokens, which come as numbers: lines and columns relative to the last token, length, type, modifiers. */
function marks(document, data, legend) {
  const builder = new RangeSetBuilder();
  let [line, column] = [0, 0];
  for (let at = 0; at + 4 < data.length; at += 5) {
    column = data[at] === 0 ? column + data[at + 1] : data[at + 1];
    line += data[at];
    const name = CLASSES[legend.tokenTypes[data[at + 3]]];
    if (name === undefined || line >= document.lines) continue;
    const from = document.line(line + 1).from + column;
    const to = from + data[at + 2];
    if (to <= document.length) builder.add(from, to, Decoration.mark({ class: name }));
  }
  return builder.finish();
}

const asker = ViewPlugin.fromClass(class {
  constructor(view) {
    this.view = view;
    this.soon(0);
  }

  update(update) {
    if (update.docChanged) this.soon(60);
  }

  destroy() {
    clearTimeout(this.timer);
  }

  soon(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), delay);
  }

  async ask() {
    const plugin = LSPPlugin.get(this.view);
    if (!plugin) return;
    const { client, uri } = plugin;
    try {
      await client.initializing;
      client.sync();
      const { doc } = this.view.state;
      const answer = await client.request("textDocument/semanticTokens/full", { textDocument: { uri } });
      const { legend } = client.serverCapabilities.semanticTokensProvider;
      if (answer && this.view.state.doc === doc) this.view.dispatch({ effects: painted.of(marks(doc, answer.data, legend)) });
    } catch {
      // The text has changed meanwhile, or the server is a new one: ask that.
      this.soon(500);
    }
  }
});

/** Paints programs; for clients of language servers. */
export const painter = {
  clientCapabilities: {
    textDocument: {
      semanticTokens: { requests: { full: true }, tokenTypes: Object.keys(CLASSES), tokenModifiers: [], formats: ["relative"] },
    },
  },
  editorExtension: [colours, asker],
};
