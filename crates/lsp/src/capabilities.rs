//! What we say we can do, and what the client says of itself.

use fehu_analysis::position::Encoding;
use serde_json::{Value, json};

/// The kinds of semantic tokens; see [`crate::show`] for what they mean here.
pub(crate) const TOKEN_TYPES: [&str; 15] = [
    "namespace",
    "type",
    "typeParameter",
    "interface",
    "parameter",
    "variable",
    "property",
    "enumMember",
    "function",
    "keyword",
    "number",
    "string",
    "operator",
    "comment",
    "macro",
];
/// What else is said about them.
pub(crate) const TOKEN_MODIFIERS: [&str; 3] = ["definition", "defaultLibrary", "size"];

/// The command that makes the notes of the optimiser.
pub(crate) const REPORT: &str = "fehu.report";

/// What the client can do, and what the user wants.
#[derive(Default)]
pub(crate) struct Client {
    pub(crate) encoding: Encoding,
    pub(crate) settings: Settings,
    /// Whether it can be asked to ask for hints again.
    pub(crate) refreshes_hints: bool,
    /// Whether it shows Markdown when it completes names, and otherwise.
    pub(crate) markdown: [bool; 2],
}

/// The user's settings.
pub(crate) struct Settings {
    pub(crate) types: bool,
    pub(crate) sizes: bool,
    pub(crate) parameters: bool,
    pub(crate) performance: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { types: true, sizes: true, parameters: false, performance: true }
    }
}

impl Settings {
    /// Takes over what is set in the section `fehu` or `futhark`, or in the value itself.
    pub(crate) fn update(&mut self, settings: &Value) {
        for section in [settings, &settings["futhark"], &settings["fehu"]] {
            let hints = &section["inlayHints"];
            let set = |wanted: &mut bool, key: &str| {
                *wanted = hints[key].as_bool().unwrap_or(*wanted);
            };
            set(&mut self.types, "types");
            set(&mut self.sizes, "sizes");
            set(&mut self.parameters, "parameters");
            set(&mut self.performance, "performance");
        }
    }
}

impl Client {
    pub(crate) fn new(params: &Value) -> Client {
        let capabilities = &params["capabilities"];
        let encodings = capabilities["general"]["positionEncodings"].as_array();
        let has = |name: &str| encodings.is_some_and(|all| all.iter().any(|e| e == name));
        let encoding = if has("utf-8") { Encoding::Utf8 } else { Encoding::Utf16 };
        let mut settings = Settings::default();
        settings.update(&params["initializationOptions"]);
        let refresh = &capabilities["workspace"]["inlayHint"]["refreshSupport"];
        let text = &capabilities["textDocument"];
        let knows = |formats: &Value| {
            formats.as_array().is_some_and(|all| all.iter().any(|format| format == "markdown"))
        };
        let completion = &text["completion"]["completionItem"]["documentationFormat"];
        let markdown = [completion, &text["hover"]["contentFormat"]].map(knows);
        Client { encoding, settings, refreshes_hints: refresh == true, markdown }
    }

    /// A text of ours, which is Markdown, as the client wants it.
    pub(crate) fn markup(&self, text: &str, completes: bool) -> Value {
        let [completion, other] = self.markdown;
        match if completes { completion } else { other } {
            true => json!({"kind": "markdown", "value": text}),
            false => {
                let plain = text.replace("```futhark\n", "").replace("\n```", "");
                json!({"kind": "plaintext", "value": plain})
            }
        }
    }

    /// The answer to `initialize`.
    pub(crate) fn answer(&self) -> Value {
        let encoding = match self.encoding {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16 => "utf-16",
            Encoding::Utf32 => "utf-32",
        };
        json!({
            "capabilities": {
                "positionEncoding": encoding,
                "textDocumentSync": {"openClose": true, "change": 2, "save": true},
                "hoverProvider": true,
                "completionProvider": {
                    "triggerCharacters": [".", "#", "\"", "/"],
                    "resolveProvider": true,
                },
                "signatureHelpProvider": {"triggerCharacters": [" ", "("]},
                "definitionProvider": true,
                "referencesProvider": true,
                "documentHighlightProvider": true,
                "documentSymbolProvider": true,
                "workspaceSymbolProvider": true,
                "codeActionProvider": {
                    "codeActionKinds": ["quickfix", "refactor.rewrite", "source.fixAll"],
                },
                "documentFormattingProvider": true,
                "renameProvider": {"prepareProvider": true},
                "foldingRangeProvider": true,
                "selectionRangeProvider": true,
                "documentLinkProvider": {},
                "inlayHintProvider": true,
                "semanticTokensProvider": {
                    "legend": {"tokenTypes": TOKEN_TYPES, "tokenModifiers": TOKEN_MODIFIERS},
                    "full": true,
                },
                "executeCommandProvider": {"commands": [REPORT]},
            },
            "serverInfo": {"name": "fehu", "version": env!("CARGO_PKG_VERSION")},
        })
    }
}
