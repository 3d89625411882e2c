//! Resolution, on manifests in memory.

use super::*;

/// Lines `PATH VERSION: PATH VERSION, …`.
struct Table(BTreeMap<(PackagePath, String), Vec<Requirement>>);

impl Registry for Table {
    fn release(&mut self, wanted: &Requirement) -> Result<Release> {
        let key = (wanted.path.clone(), wanted.version.to_string());
        let found = self.0.get(&key).cloned();
        let requirements = found.ok_or_else(|| Error::new(format!("{wanted} does not exist")))?;
        Ok(Release { commit: Some("c0ffee".to_owned()), requirements })
    }
}

fn requirement(text: &str) -> Requirement {
    let (path, version) = text.trim().split_once(' ').expect(text);
    let path = PackagePath::parse(path).expect(text);
    Requirement { path, version: Version::parse(version).expect(text), commit: None }
}

fn requirements(text: &str) -> Vec<Requirement> {
    text.split(',').filter(|text| !text.trim().is_empty()).map(requirement).collect()
}

fn run(root: &str, own: Option<&str>, rules: Rules, table: &[&str]) -> Result<Graph> {
    let table = table.iter().map(|line| {
        let (one, others) = line.split_once(':').expect("a colon");
        let one = requirement(one);
        ((one.path, one.version.to_string()), requirements(others))
    });
    let own = own.map(|own| PackagePath::parse(own).expect(own));
    resolve(&requirements(root), own.as_ref(), &mut Table(table.collect()), rules)
}

fn chosen(root: &str, table: &[&str]) -> String {
    let graph = run(root, None, Rules::Ours, table).expect("it can be resolved");
    let all: Vec<String> =
        graph.chosen.iter().map(|(path, one)| format!("{path} {}", one.version)).collect();
    all.join(", ")
}

fn refused(root: &str, own: Option<&str>, table: &[&str]) -> String {
    run(root, own, Rules::Ours, table).expect_err("it is refused").to_string()
}

#[test]
fn the_newest_of_the_oldest_is_chosen() {
    let diamond = ["a 1.0.0: c 1.1.0", "b 1.0.0: c 1.3.0", "c 1.1.0:", "c 1.3.0:", "c 1.9.0:"];
    assert_eq!(chosen("a 1.0.0, b 1.0.0", &diamond), "a 1.0.0, b 1.0.0, c 1.3.0");
    assert_eq!(chosen("b 1.0.0, a 1.0.0", &diamond), "a 1.0.0, b 1.0.0, c 1.3.0");
    // The older version of `c` required `d`, the newer does not.
    let dropped = [
        "a 1.0.0: c 1.0.0",
        "b 1.0.0: c 1.1.0",
        "c 1.0.0: d 1.0.0",
        "c 1.1.0:",
        "d 1.0.0: e 1.0.0",
        "e 1.0.0:",
    ];
    assert_eq!(chosen("a 1.0.0, b 1.0.0", &dropped), "a 1.0.0, b 1.0.0, c 1.1.0");
    assert_eq!(chosen("", &[]), "");
}

#[test]
fn a_cycle_of_old_versions_is_none() {
    let table = ["a 1.0.0: b 1.0.0", "b 1.0.0: a 1.1.0", "a 1.1.0:"];
    assert_eq!(chosen("a 1.0.0", &table), "a 1.1.0");
}

#[test]
fn cycles_are_told() {
    let table = ["a 1.0.0: b 1.0.0", "b 1.0.0: c 1.0.0", "c 1.0.0: a 1.0.0"];
    let error = refused("a 1.0.0", None, &table);
    assert!(error.contains("a 1.0.0 -> b 1.0.0 -> c 1.0.0 -> a\n"), "{error}");
    run("a 1.0.0", None, Rules::Peer, &table).expect("the peer does not mind");
    let error = refused("a 1.0.0", Some("c"), &table);
    assert!(error.contains("a 1.0.0 -> b 1.0.0 -> c 1.0.0"), "{error}");
    run("a 1.0.0", Some("c"), Rules::Peer, &table).expect_err("the files would be lost");
}

#[test]
fn majors_are_packages_of_their_own() {
    let table = ["a 1.0.0: c@2 2.0.0", "b 1.0.0: c 1.0.0", "c@2 2.0.0:", "c 1.0.0:", "c 2.0.0:"];
    let error = refused("a 1.0.0, b 1.0.0", None, &table);
    assert!(
        error.contains("a 1.0.0 -> c@2 2.0.0") && error.contains("b 1.0.0 -> c 1.0.0"),
        "{error}"
    );
    let both = "a 1.0.0, b 1.0.0, c 1.0.0, c@2 2.0.0";
    assert_eq!(chosen(both, &table), "a 1.0.0, b 1.0.0, c 1.0.0, c@2 2.0.0");
    let error = refused("c 2.0.0", None, &table);
    assert!(
        error.ends_with("each further major version is a package of its own: c@2 2.0.0"),
        "{error}"
    );
}

#[test]
fn errors_say_who_asked() {
    let error = refused("a 1.0.0", None, &["a 1.0.0: b 1.0.0", "b 1.0.0: c 3.0.0"]);
    assert!(error.contains("required by a 1.0.0 -> b 1.0.0"), "{error}");
    let error = refused("a 1.0.0", None, &["a 1.0.0: b 1.0.0"]);
    assert_eq!(error, "b 1.0.0 does not exist\n  note: required by a 1.0.0");
    let error = refused("a 1.0.0, a/b 1.0.0", None, &["a 1.0.0:", "a/b 1.0.0:"]);
    assert!(error.starts_with("the folder of a/b is inside the folder of a"), "{error}");
}

#[test]
fn the_ways_to_a_package() {
    let table = ["a 1.0.0: b 1.0.0, c 1.0.0", "b 1.0.0: c 1.0.0", "c 1.0.0:"];
    let graph = run("a 1.0.0", None, Rules::Ours, &table).expect("it can be resolved");
    let ways = graph.why(&PackagePath::parse("c").expect("a path"));
    let ways: Vec<String> = ways
        .iter()
        .map(|way| way.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(ways, ["a c", "a b c"]);
}
