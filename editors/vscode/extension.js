// Starts `fehu lsp` for Futhark files. Everything else is the server's work.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function settings() {
  return { fehu: vscode.workspace.getConfiguration("fehu") };
}

async function start() {
  const command = vscode.workspace.getConfiguration("fehu").get("path", "fehu");
  const server = { command, args: ["lsp"] };
  client = new LanguageClient("fehu", "Futhark (fehu)", server, {
    documentSelector: [{ language: "futhark" }],
    initializationOptions: settings(),
    synchronize: {
      configurationSection: ["fehu"],
      fileEvents: vscode.workspace.createFileSystemWatcher("**/*.fut"),
    },
  });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `fehu: "${command} lsp" could not be started (${error.message}). Set "fehu.path" to the executable.`
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running && running.needsStop()) await running.stop();
}

exports.activate = async function (context) {
  const register = (name, run) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  register("fehu.restart", async () => {
    await stop();
    await start();
  });
  register("fehu.notes", async () => {
    const editor = vscode.window.activeTextEditor;
    if (!client || !editor) return;
    const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
    await client.sendRequest("workspace/executeCommand", { command: "fehu.report", arguments: [uri] });
  });
  await start();
};

exports.deactivate = stop;
