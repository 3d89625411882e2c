// Messages about the program, at their places, each with a button for every fix that the compiler knows.

import { setDiagnostics } from "@codemirror/lint";
import { LSPPlugin } from "@codemirror/lsp-client";

const SEVERITIES = { 1: "error", 2: "warning", 3: "info", 4: "hint" };

/** The fixes of all messages: pairs of a message and what to do. */
async function fixes(client, uri, lines) {
  const range = { start: { line: 0, character: 0 }, end: { line: lines, character: 0 } };
  const params = { textDocument: { uri }, range, context: { diagnostics: [], only: ["quickfix"] } };
  return (await client.request("textDocument/codeAction", params)) ?? [];
}

async function show(client, { uri, version, diagnostics }) {
  const file = client.workspace.getFile(uri);
  const view = file?.getView();
  const plugin = view && LSPPlugin.get(view);
  // Newer messages are on the way.
  if (!plugin || (version !== undefined && version !== file.version)) return;
  const { doc } = view.state;
  const place = (position) => plugin.fromPosition(position, doc);
  const apply = (action) => (view) => {
    if (!view.state.doc.eq(doc)) return;
    const changes = action.edit.changes[uri].map(({ range, newText }) => ({ from: place(range.start), to: place(range.end), insert: newText }));
    view.dispatch({ changes });
  };
  const shown = (known) => diagnostics.map((found) => {
    const own = known.filter(({ diagnostics: [of] }) => of.code === found.code && JSON.stringify(of.range) === JSON.stringify(found.range));
    return {
      from: place(found.range.start), to: place(found.range.end), severity: SEVERITIES[found.severity ?? 1], message: found.message,
      actions: own.map((action) => ({ name: action.title, apply: apply(action) })),
    };
  });
  if (plugin.syncedDoc !== doc) return;
  view.dispatch(setDiagnostics(view.state, shown([])));
  if (diagnostics.length === 0) return;
  try {
    const known = await fixes(client, uri, doc.lines);
    if (known.length > 0 && view.state.doc === doc) view.dispatch(setDiagnostics(view.state, shown(known)));
  } catch {
    // An edit has overtaken the question.
  }
}

/** Shows messages; for clients of language servers. */
export const messages = {
  clientCapabilities: {
    textDocument: {
      publishDiagnostics: { versionSupport: true },
      codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } },
    },
  },
  notificationHandlers: {
    "textDocument/publishDiagnostics": (client, params) => {
      show(client, params);
      return true;
    },
  },
};
