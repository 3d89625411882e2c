//! The `fehu` command.
fn main() {}
