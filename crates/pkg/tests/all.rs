//! Packages from repositories on this machine: what is installed, what is refused, and what survives.

mod world;

use fehu_pkg::Network;
use fehu_pkg::resolve::Rules;
use fehu_pkg::sync::{Locking, Options, Synced};
use std::fs;
use world::{SYNC, World, path, version};

#[test]
fn a_project_from_its_first_day_on() {
    let world = World::new("life");
    let first = world.publish("h.org/a", "0.1.0", "");
    world.publish("h.org/a", "0.2.0", "");
    world.publish("h.org/a", "2.0.0", "");
    world.publish("h.org/b", "1.0.0", &format!("h.org/a 0.1.0 #{first}"));
    // The newest that the path allows, with its commit.
    let added = world.project().add("h.org/a", None).expect("it is there");
    assert_eq!((added.new.version, added.old), (version("0.2.0"), None));
    world.add("h.org/a", "0.1.0");
    assert!(world.read("futhark.pkg").contains(&format!("h.org/a 0.1.0 #{first}\n")));
    assert!(matches!(world.sync(), Synced::Replaced(_)));
    assert_eq!(world.lib(), "h.org/a/a.fut=0.1.0");
    assert_eq!(world.sync(), Synced::UpToDate);
    world.add("h.org/b", "1.0.0");
    world.sync();
    assert_eq!(world.lib(), "h.org/a/a.fut=0.1.0 h.org/b/a.fut=1.0.0");
    let outdated = world.project().outdated().expect("they are there");
    let [a] = &outdated[..] else { panic!("{outdated:?}") };
    assert_eq!(
        (a.newest.as_ref(), a.beyond.as_ref()),
        (Some(&version("0.2.0")), Some(&version("2.0.0")))
    );
    // Not across major versions.
    let changes = world.project().upgrade().expect("they are there");
    assert_eq!(changes.len(), 1);
    world.sync();
    assert_eq!(world.lib(), "h.org/a/a.fut=0.2.0 h.org/b/a.fut=1.0.0");
    assert_eq!(world.project().upgrade(), Ok(Vec::new()));
    world.project().remove(&path("h.org/a")).expect("it is required");
    world.sync();
    assert_eq!(world.lib(), "h.org/a/a.fut=0.1.0 h.org/b/a.fut=1.0.0");
    world.project().remove(&path("h.org/b")).expect("it is required");
    world.add("h.org/a@2", "2.0.0");
    world.sync();
    assert_eq!(world.lib(), "h.org/a@2/a.fut=2.0.0");
    let versions = world.project().versions("h.org/a").expect("it is there");
    assert_eq!(versions, ["0.1.0", "0.2.0", "2.0.0"].map(version));
}

#[test]
fn commits_without_versions_and_renamed_repositories() {
    let world = World::new("commits");
    let commit = world.publish("h.org/a", "", "");
    let added = world.project().add("h.org/a", None).expect("it is there").new;
    assert_eq!(added.version, version(&format!("0.0.0-20240131235959+{commit}")));
    world.publish_as("h.org/new", "h.org/old", "1.0.0", "");
    world.add("h.org/new", "1.0.0");
    world.sync();
    assert_eq!(world.lib(), "h.org/a/a.fut=-- h.org/new/a.fut=1.0.0");
}

#[test]
fn what_was_there_before_needs_no_network() {
    let world = World::new("offline");
    world.publish("h.org/a", "1.0.0", "");
    world.publish("h.org/b", "1.0.0", "h.org/a 1.0.0");
    world.add("h.org/b", "1.0.0");
    world.sync();
    world.cut_off();
    // `lib/` is there: neither the cache nor git is asked.
    fs::rename(world.cache(), world.cache().with_extension("away")).expect("it can be renamed");
    assert_eq!(world.sync(), Synced::UpToDate);
    fs::rename(world.cache().with_extension("away"), world.cache()).expect("it can be renamed");
    // The cache has it.
    for lock in [true, false] {
        fs::remove_dir_all(world.file("lib")).expect("it can be removed");
        if !lock {
            fs::remove_file(world.file("fehu.pkg.lock")).expect("it can be removed");
        }
        let mut project = world.project_with(Network::Offline, Rules::Ours);
        project.sync(SYNC).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(world.lib(), "h.org/a/a.fut=1.0.0 h.org/b/a.fut=1.0.0");
    }
    // Neither has it.
    fs::remove_dir_all(world.file("lib")).expect("it can be removed");
    fs::remove_dir_all(world.cache()).expect("it can be removed");
    let mut project = world.project_with(Network::Offline, Rules::Ours);
    let error = project.sync(SYNC).expect_err("there is nothing").to_string();
    assert!(error.contains("no network may be used"), "{error}");
    let error = world.refused();
    assert!(error.contains("cannot be read") && error.contains("git "), "{error}");
}

#[test]
fn changes_in_lib_are_not_lost() {
    let world = World::new("changes");
    world.publish("h.org/a", "1.0.0", "");
    world.publish("h.org/a", "1.1.0", "");
    world.add("h.org/a", "1.0.0");
    world.sync();
    world.write("lib/h.org/a/b.fut", "added");
    world.write("lib/h.org/a/a.fut", "changed");
    world.write("lib/notes.txt", "mine");
    world.add("h.org/a", "1.1.0");
    let error = world.refused();
    for name in ["lib/h.org/a/a.fut\n", "lib/h.org/a/b.fut\n", "lib/notes.txt\n", "--force"] {
        assert!(error.contains(name), "{error}");
    }
    assert_eq!(world.lib(), "h.org/a/a.fut=changed h.org/a/b.fut=added notes.txt=mine");
    world.project().sync(Options { force: true, ..SYNC }).expect("it is asked for");
    assert_eq!(world.lib(), "h.org/a/a.fut=1.1.0");
    // A folder that another tool has made is good if nothing of it would be lost.
    fs::remove_file(world.file("fehu.pkg.lock")).expect("it can be removed");
    assert_eq!(world.sync(), Synced::UpToDate);
    fs::remove_file(world.file("fehu.pkg.lock")).expect("it can be removed");
    world.add("h.org/a", "1.0.0");
    assert!(world.refused().contains("there is no fehu.pkg.lock"));
    let peer = Options { force: true, lock: Locking::IfPresent };
    world.project().sync(peer).expect("it asks nobody");
    assert!(!world.file("fehu.pkg.lock").exists());
    assert_eq!(world.lib(), "h.org/a/a.fut=1.0.0");
}

/// Whenever a run is killed, the next one finds everything: the packages, and the files of the package that is developed here.
#[test]
fn interrupted_runs_are_repaired() {
    let world = World::new("interrupted");
    world.publish("h.org/a", "1.0.0", "");
    world.write("futhark.pkg", "package h.org/own\nrequire {\n  h.org/a 1.0.0\n}\n");
    world.write("lib/h.org/own/own.fut", "own");
    world.sync();
    let whole = "h.org/a/a.fut=1.0.0 h.org/own/own.fut=own";
    assert_eq!(world.lib(), whole);
    let rename = |from: &str, to: &str| {
        fs::rename(world.file(from), world.file(to)).expect("it can be renamed");
    };
    let repaired = |when: &str| {
        world.sync();
        assert_eq!(world.lib(), whole, "killed {when}");
        assert!(!world.file("lib~new").exists() && !world.file("lib~old").exists(), "{when}");
    };
    world.write("lib~new/h.org/a/a.fut", "-- ha");
    repaired("while the new folder was filled");
    world.write("lib~new/h.org/a/a.fut", "-- 2.0.0");
    rename("lib", "lib~old");
    repaired("between the renames");
    world.write("lib~old/h.org/b/a.fut", "-- 1.0.0");
    repaired("before the old folder was removed");
    // The reference compiler has not moved them back yet.
    fs::create_dir_all(world.file("lib~old/h.org")).expect("it can be made");
    rename("lib/h.org/own", "lib~old/h.org/own");
    repaired("before our files were moved back");
}

#[test]
fn tags_that_are_missing_or_were_moved() {
    let world = World::new("tags");
    let first = world.publish("h.org/a", "1.0.0", "");
    let error =
        world.project().add("h.org/a", Some(version("1.2.0"))).expect_err("it is not there");
    let error = error.to_string();
    assert!(error.starts_with("h.org/a has no version 1.2.0"), "{error}");
    assert!(error.contains("no tag v1.2.0") && error.contains("1.0.0"), "{error}");
    assert!(!world.file("futhark.pkg").exists());
    world.add("h.org/a", "1.0.0");
    let second = world.publish("h.org/a", "", "");
    world.git("h.org/a", &["tag", "--force", "v1.0.0"]);
    // What the cache knows is what is required.
    world.sync();
    fs::remove_dir_all(world.cache()).expect("it can be removed");
    fs::remove_file(world.file("fehu.pkg.lock")).expect("it can be removed");
    let error = world.refused();
    for part in ["not the commit that is required", &first, &second] {
        assert!(error.contains(part), "{error}");
    }
    // Who requires it afresh gets what the tag is now.
    world.write("futhark.pkg", "require {\n  h.org/a 1.0.0\n}\n");
    world.project().sync(Options { force: true, ..SYNC }).expect("it is there");
    assert!(world.read("fehu.pkg.lock").contains(&second));
    let error = world.project().add("h.org/none", None).expect_err("it is not there").to_string();
    assert!(error.contains("h.org/none cannot be read"), "{error}");
}

#[test]
fn a_damaged_clone_is_made_again() {
    let world = World::new("damaged");
    world.publish("h.org/a", "1.0.0", "");
    world.add("h.org/a", "1.0.0");
    world.sync();
    let clone =
        fs::read_dir(world.cache()).expect("it is there").flatten().map(|entry| entry.path());
    let clone = clone.into_iter().find(|path| path.extension().is_some_and(|end| end == "git"));
    let clone = clone.expect("there is one");
    for damage in ["objects", "HEAD", "packed-refs"] {
        let damaged = clone.join(damage);
        let _ = fs::remove_dir_all(&damaged);
        fs::write(&damaged, "x").expect("it can be written");
        fs::remove_dir_all(world.file("lib")).expect("it can be removed");
        world.sync();
        assert_eq!(world.lib(), "h.org/a/a.fut=1.0.0", "{damage}");
    }
    // Nothing helps if the source itself is damaged.
    let objects = world.repository("h.org/a").join(".git/objects");
    fs::remove_dir_all(&objects)
        .and_then(|()| fs::create_dir(&objects))
        .expect("it can be removed");
    fs::remove_dir_all(world.file("lib"))
        .and_then(|()| fs::remove_dir_all(world.cache()))
        .expect("it can");
    let error = world.refused();
    assert!(error.contains("h.org/a cannot be read"), "{error}");
    assert!(!world.file("lib").exists());
}

#[test]
fn local_folders_and_addresses_take_the_place_of_packages() {
    let world = World::new("local");
    world.publish("h.org/a", "1.0.0", "");
    world.publish("h.org/b", "1.0.0", "");
    world.write("../mine/futhark.pkg", "package h.org/a\nrequire {\n  h.org/b 1.0.0\n}\n");
    world.write("../mine/lib/h.org/a/a.fut", "-- mine");
    world.add("h.org/a", "1.0.0");
    world.write("fehu.pkg.local", "replace {\n  h.org/a => ../mine\n}\n");
    world.sync();
    assert_eq!(world.lib(), "h.org/a/a.fut=mine h.org/b/a.fut=1.0.0");
    world.write("../mine/lib/h.org/a/a.fut", "-- more");
    assert_eq!(world.lib(), "h.org/a/a.fut=more h.org/b/a.fut=1.0.0");
    assert!(!world.read("fehu.pkg.lock").contains("h.org/a "));
    fs::remove_file(world.file("fehu.pkg.local")).expect("it can be removed");
    world.sync();
    assert_eq!(world.lib(), "h.org/a/a.fut=1.0.0");
    // The package knows its own name.
    let address = format!("file://{}", world.repository("h.org/b").display());
    world.project().add(&address, None).expect("it is there");
    assert!(world.read("fehu.pkg.local").contains(&format!("h.org/b => {address}")));
    assert!(world.read("futhark.pkg").contains("h.org/b 1.0.0 #"));
}

#[test]
fn what_programs_import_is_required() {
    let world = World::new("imports");
    world.publish("h.org/a", "1.0.0", "");
    world.publish("h.org/b", "1.0.0", "h.org/a 1.0.0");
    world.add("h.org/b", "1.0.0");
    world.write(
        "x/main.fut",
        "import \"../lib/h.org/a/a\"\nmodule b = import \"../lib/h.org/b/a\"\n",
    );
    let review = world.project().check().expect("it can be resolved");
    let [warning] = &review.warnings[..] else { panic!("{:?}", review.warnings) };
    assert!(warning.starts_with("x/main.fut imports \"../lib/h.org/a/a\""), "{warning}");
    assert!(warning.contains("fehu pkg add h.org/a 1.0.0"), "{warning}");
    assert_eq!(review.problem, None);
}

/// Nothing that a repository contains gets out of `lib/`.
#[cfg(unix)]
#[test]
fn links_are_not_installed() {
    let world = World::new("links");
    world.publish("h.org/a", "1.0.0", "");
    let link = world.repository("h.org/a").join("lib/h.org/a/out");
    std::os::unix::fs::symlink("/etc", link).expect("a link can be made");
    world.publish("h.org/a", "1.1.0", "");
    world.add("h.org/a", "1.1.0");
    let error = world.refused();
    assert!(error.contains("\"lib/h.org/a/out\" is a link"), "{error}");
    assert!(!world.file("lib").exists());
}
