//! Packages: `fehu pkg`.
//!
//! The compiler knows nothing of packages. A package is a folder below `lib/`, such as `lib/github.com/diku-dk/sorts`, whose
//! files are imported by their paths. This crate puts the right files there. What a project requires is in its manifest,
//! `futhark.pkg` ([`manifest`]); the same file in each version of a package says what that requires.
//!
//! | what | where |
//! |---|---|
//! | names, versions | [`path`], [`version`] |
//! | the three files | [`manifest`], [`lock`], [`local`]; their words: `scan` |
//! | which version of each package is used | [`resolve`]: a function of the manifests alone |
//! | where versions come from | `sources`: a local folder, the lock file, or a repository, in [`store`], through [`git`] |
//! | `lib/`, replaced as a whole or not at all | `folder` |
//! | what can be done with a project | [`project`], [`sync`], [`review`] |
//!
//! Packages are text: nothing of them is executed when they are installed. Names from manifests and repositories are not
//! trusted: none leads out of `lib/`.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

mod error;
mod folder;
pub mod git;
pub mod local;
pub mod lock;
pub mod manifest;
pub mod path;
pub mod project;
pub mod resolve;
pub mod review;
mod scan;
mod sources;
pub mod store;
pub mod sync;
pub mod version;

pub use error::{Error, Result};
pub use git::Network;
pub use path::PackagePath;
pub use project::{Project, Settings};
pub use version::Version;
