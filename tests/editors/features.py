"""Drives every feature of `fehu lsp` by a client that is not ours: that of pytest-lsp, which has the capabilities of real editors
and refuses answers that are not as the protocol has them. Arguments: the executable, and a folder to write files to."""

import asyncio
import pathlib
import sys

import pytest_lsp
from lsprotocol import types as lsp

FEHU, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
LIBRARY = "-- | Twice as much.\ndef twice (x: i32) : i32 = x * 2\n"
PROGRAM = """import "library"

-- | A point.
type point = {x: i32, y: i32}

def move (p: point) (by: i32) : point =
  {x = p.x + twice by, y = p.y}

entry main [n] (xs: [n]i32) =
  let ys = map (\\x -> x + 1) xs
  let zs = map (* 2) ys
  in reduce (+) 0 zs
"""


def place(text, before, offset=0):
    """The position of a text, which occurs in the program."""
    at = text.index(before) + offset
    line = text.count("\n", 0, at)
    return lsp.Position(line, at - (text.rfind("\n", 0, at) + 1))


class Session:
    """One editor."""

    def __init__(self, profile):
        self.client = pytest_lsp.make_test_lsp_client()
        self.profile = profile
        self.uri = (FOLDER / "main.fut").as_uri()
        self.document = lsp.TextDocumentIdentifier(self.uri)
        self.text = PROGRAM
        self.version, self.seen = 1, None

    async def start(self):
        await self.client.start_io(FEHU, "lsp")
        capabilities = pytest_lsp.client_capabilities(self.profile)
        folder = lsp.WorkspaceFolder(FOLDER.as_uri(), "test")
        params = lsp.InitializeParams(capabilities, workspace_folders=[folder])
        self.server = await self.client.initialize_session(params)
        item = lsp.TextDocumentItem(self.uri, "futhark", self.version, self.text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    async def end(self):
        await self.client.shutdown_session()
        await self.client.stop()

    def at(self, before, offset=0):
        return {"text_document": self.document, "position": place(self.text, before, offset)}

    def change(self, text):
        """Gives the document another text."""
        self.text, self.version = text, self.version + 1
        document = lsp.VersionedTextDocumentIdentifier(self.version, self.uri)
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))

    async def diagnostics(self):
        """The messages about the present text, when they have come."""
        while self.seen != self.version:
            await asyncio.sleep(0.01)
        return list(self.client.diagnostics.get(self.uri, []))

    def watch(self):
        """Notes which version the messages are about; the client itself does not."""
        features = self.client.protocol.fm.features
        note = features[lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS]

        def noted(params):
            self.seen = params.version if params.uri == self.uri else self.seen
            note(params)

        features[lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = noted


async def features(profile):
    session = Session(profile)
    session.watch()
    await session.start()
    client, whole = session.client, lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))
    found = await session.diagnostics()
    assert found == [], found

    hover = await client.text_document_hover_async(lsp.HoverParams(**session.at("ys = map", 0)))
    assert "ys : [n]i32" in hover.contents.value, hover
    hover = await client.text_document_hover_async(lsp.HoverParams(**session.at("twice by")))
    assert "Twice as much." in hover.contents.value, hover

    found = await client.text_document_definition_async(lsp.DefinitionParams(**session.at("twice by")))
    assert found.uri == (FOLDER / "library.fut").as_uri() and found.range.start.line == 1, found
    found = await client.text_document_definition_async(lsp.DefinitionParams(**session.at("reduce")))
    assert "prelude/soacs.fut" in found.uri, found

    params = lsp.ReferenceParams(lsp.ReferenceContext(True), **session.at("twice by"))
    found = await client.text_document_references_async(params)
    assert len(found) == 2 and len({use.uri for use in found}) == 2, found
    params = lsp.DocumentHighlightParams(**session.at("zs = "))
    assert len(await client.text_document_document_highlight_async(params)) == 2

    params = lsp.InlayHintParams(session.document, whole)
    labels = [hint.label for hint in await client.text_document_inlay_hint_async(params)]
    assert ": [n]i32" in labels and ": i32" in labels, labels

    params = lsp.SignatureHelpParams(**session.at("0 zs", 2))
    help = await client.text_document_signature_help_async(params)
    assert help.active_parameter == 2 and help.signatures[0].label.startswith("reduce "), help

    params = lsp.DocumentSymbolParams(session.document)
    names = [symbol.name for symbol in await client.text_document_document_symbol_async(params)]
    assert names == ["point", "move", "main"], names
    found = await client.workspace_symbol_async(lsp.WorkspaceSymbolParams("twi"))
    assert [symbol.name for symbol in found] == ["twice"], found

    tokens = await client.text_document_semantic_tokens_full_async(
        lsp.SemanticTokensParams(session.document))
    assert len(tokens.data) > 200 and len(tokens.data) % 5 == 0
    folds = await client.text_document_folding_range_async(lsp.FoldingRangeParams(session.document))
    assert (5, 6) in [(fold.start_line, fold.end_line) for fold in folds], folds
    params = lsp.SelectionRangeParams(session.document, [place(PROGRAM, "x + 1")])
    selection = (await client.text_document_selection_range_async(params))[0]
    assert selection.range.end.character - selection.range.start.character == 1
    assert selection.parent.range.end.character - selection.parent.range.start.character == 5
    params = lsp.DocumentLinkParams(session.document)
    links = await client.text_document_document_link_async(params)
    assert [link.target for link in links] == [(FOLDER / "library.fut").as_uri()], links

    params = lsp.PrepareRenameParams(**session.at("twice by"))
    prepared = await client.text_document_prepare_rename_async(params)
    assert prepared.placeholder == "twice", prepared
    params = lsp.RenameParams(new_name="double", **session.at("twice by"))
    edit = await client.text_document_rename_async(params)
    assert len(edit.changes) == 2, edit
    try:
        params = lsp.RenameParams(new_name="main", **session.at("move (p"))
        await client.text_document_rename_async(params)
        raise RuntimeError("the name is taken")
    except Exception as error:
        assert "would" in str(error), error

    # What is not written yet.
    session.change(PROGRAM.replace("{x = p.x +", "{x = p. +"))
    params = lsp.CompletionParams(**session.at("p. +", 2))
    found = await client.text_document_completion_async(params)
    assert sorted(item.label for item in found.items) == ["x", "y"], found
    assert len(await session.diagnostics()) == 1
    session.change(PROGRAM.replace("reduce (+)", "red (+)"))
    params = lsp.CompletionParams(**session.at("red (+)", 3))
    found = await client.text_document_completion_async(params)
    item = next(item for item in found.items if item.label == "reduce")
    item = await client.completion_item_resolve_async(item)
    assert "reduce" in item.detail and item.documentation is not None, item
    session.change(PROGRAM.replace('"library"', '"lib"'))
    params = lsp.CompletionParams(**session.at('"lib"', 4))
    found = await client.text_document_completion_async(params)
    assert [item.label for item in found.items] == ["library"], found

    # Messages and fixes.
    session.change(PROGRAM.replace("reduce (+)", "reduec (+)"))
    found = await session.diagnostics()
    assert [message.code for message in found] == ["unknown-name"], found
    params = lsp.CodeActionParams(session.document, found[0].range, lsp.CodeActionContext(found))
    actions = await client.text_document_code_action_async(params)
    fix = next(action for action in actions if action.kind == "quickfix")
    assert fix.edit.changes[session.uri][0].new_text == "reduce", fix

    # Formatting.
    session.change(PROGRAM.replace("let ys = map", "let ys  =   map"))
    options = lsp.FormattingOptions(2, True)
    params = lsp.DocumentFormattingParams(session.document, options)
    edits = await client.text_document_formatting_async(params)
    assert len(edits) == 1 and "let ys = map" in edits[0].new_text, edits

    # What the optimiser did.
    session.change(PROGRAM)
    client.text_document_did_save(lsp.DidSaveTextDocumentParams(session.document))
    for _ in range(1000):
        params = lsp.InlayHintParams(session.document, whole)
        hints = await client.text_document_inlay_hint_async(params)
        notes = [hint.label for hint in hints if hint.tooltip is not None]
        if notes:
            break
        await asyncio.sleep(0.02)
    assert any("fuse" in note for note in notes), notes
    await session.end()


async def main():
    (FOLDER / "library.fut").write_text(LIBRARY)
    (FOLDER / "main.fut").write_text(PROGRAM)
    # The last is an old one, which has no inlay hints and counts in UTF-16.
    for profile in ["neovim@v0.11", "emacs@v29.1", "visual-studio-code"]:
        await asyncio.wait_for(features(profile), 120)
    print("all is well")


asyncio.run(main())
