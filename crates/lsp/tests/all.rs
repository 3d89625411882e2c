//! Tests of the language server and of the analysis behind it.

mod analysis;
mod client;
mod completion;
mod edits;
mod protocol;
mod updates;
