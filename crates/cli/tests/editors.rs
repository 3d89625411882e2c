//! The language server with a client that is not ours: `tests/editors`.
#![cfg(unix)]

use crate::common::{self, repository, succeed};
use crate::python_packages::python;
use std::process::Command;

#[test]
fn a_client_uses_every_feature() {
    let folder = common::folder("editors");
    let mut client = Command::new(python("editors/requirements.txt"));
    client.arg(repository().join("tests/editors/features.py"));
    client.arg(env!("CARGO_BIN_EXE_fehu")).arg(&folder);
    client.env("XDG_CACHE_HOME", common::cache());
    assert_eq!(succeed(&mut client), "all is well\n");
}
