//! The command line of `fehu pkg`.

use clap::{Args, Subcommand};

pub(crate) const PKG_HELP: &str = "\
Examples:
  fehu pkg add github.com/diku-dk/sorts         Require the newest version of a package, and install it.
  fehu pkg add github.com/diku-dk/sorts 0.4.2   Require this version, or a later one.
  fehu pkg sync                                 Make lib/ what futhark.pkg says.
  fehu pkg upgrade                              Require the newest versions.
  fehu pkg tree                                 Show which package requires which.

A package is a folder below lib/, and its files are imported by their paths:
  import \"lib/github.com/diku-dk/sorts/radix_sort\"

futhark.pkg has the oldest version that will do of each package. Of all that are named for a package, by the project and by
other packages, the newest is used, so that the result does not depend on what is published. fehu.pkg.lock says which commits
and files these versions were; keep both files together. With them, lib/ is restored without a network from the cache.

fehu.pkg.local, which is not for publishing, says what takes the place of packages on this machine:
  replace {
    github.com/diku-dk/sorts => ../sorts
  }

The environment variable FEHU_PKG_MIRROR names a folder or an address that is put before the path of every package,
instead of https://. Repositories are read with git, so its own settings for credentials and proxies count, too.";

#[derive(Args, Debug)]
pub(crate) struct PkgArgs {
    #[command(subcommand)]
    pub(crate) command: PkgCommand,
    /// Use no network: only what is in lib/ or in the cache.
    #[arg(long, global = true)]
    pub(crate) offline: bool,
    /// Accepted for compatibility; what is done is told anyway.
    #[arg(short, long, global = true, hide = true)]
    pub(crate) verbose: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum PkgCommand {
    /// Make a new package in this folder: a manifest, and a folder for its files.
    #[command(
        visible_alias = "create",
        after_help = "Example:\n  fehu pkg init github.com/me/rotate"
    )]
    Init {
        /// The path of the package: where its repository will be, without https://.
        path: String,
    },
    /// Require a package, and install it.
    #[command(after_help = ADD_EXAMPLES)]
    Add {
        /// The path of the package, such as github.com/diku-dk/sorts, or the address of its repository.
        path: String,
        /// The oldest version that will do; by default the newest that there is.
        version: Option<String>,
        #[command(flatten)]
        sync: AfterArgs,
    },
    /// Require a package no longer.
    #[command(after_help = "Example:\n  fehu pkg remove github.com/diku-dk/sorts")]
    Remove {
        /// The path of the package.
        path: String,
        #[command(flatten)]
        sync: AfterArgs,
    },
    /// Make lib/ what futhark.pkg says.
    #[command(after_help = SYNC_EXAMPLES)]
    Sync(SyncArgs),
    /// Require the newest version of every package, within its major version.
    #[command(after_help = "Example:\n  fehu pkg upgrade")]
    Upgrade {
        #[command(flatten)]
        sync: AfterArgs,
    },
    /// Check that futhark.pkg can be satisfied, and that programs import only what it requires.
    #[command(after_help = "Example:\n  fehu pkg check")]
    Check,
    /// List the versions of a package.
    #[command(after_help = "Example:\n  fehu pkg versions github.com/diku-dk/sorts")]
    Versions {
        /// The path of the package, or the address of its repository.
        path: String,
    },
    /// Format futhark.pkg.
    #[command(after_help = "Example:\n  fehu pkg fmt")]
    Fmt,
    /// Show by which ways a package is required.
    #[command(after_help = "Example:\n  fehu pkg why github.com/diku-dk/segmented")]
    Why {
        /// The path of the package.
        path: String,
    },
    /// List the packages of which there are newer versions.
    #[command(after_help = "Example:\n  fehu pkg outdated")]
    Outdated,
    /// Show which package requires which.
    #[command(after_help = "Example:\n  fehu pkg tree")]
    Tree,
}

const ADD_EXAMPLES: &str = "\
Examples:
  fehu pkg add github.com/diku-dk/sorts
  fehu pkg add github.com/diku-dk/sorts 0.4.2
  fehu pkg add --no-sync github.com/diku-dk/sorts
  fehu pkg add ssh://git@example.com/team/secret 1.0.0

An address, which has a scheme, is noted in fehu.pkg.local; futhark.pkg has the path.";

const SYNC_EXAMPLES: &str = "\
Examples:
  fehu pkg sync
  fehu pkg sync --offline
  fehu pkg sync --force      Replace what has been changed in lib/.";

/// What a command that changes the manifest does afterwards.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct AfterArgs {
    /// Change futhark.pkg only, and not lib/.
    #[arg(long)]
    pub(crate) no_sync: bool,
    #[command(flatten)]
    pub(crate) sync: SyncArgs,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct SyncArgs {
    /// Replace files in lib/ that have been changed or added.
    #[arg(long)]
    pub(crate) force: bool,
    /// Forget what fehu.pkg.lock says, and write it anew.
    #[arg(long)]
    pub(crate) relock: bool,
}
