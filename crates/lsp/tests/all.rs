//! Tests of the language server and of the analysis behind it.

mod analysis;
mod client;
mod completion;
mod edits;
mod grammar;
mod protocol;
mod updates;
