//! Programs in memory: order, sharing, cycles, and files that cannot be read.

use super::*;
use crate::files::Memory;
use fehu_base::render::{self, Style};

fn load_files(files: &[(&str, &[u8])]) -> (Session, Loaded) {
    let memory = Memory::new(files.iter().copied());
    let mut session = Session::default();
    let loaded = load(&mut session, &memory, &Root::Path(files[0].0.to_owned()), Share::All);
    (session, loaded)
}

/// The keys of the user's files in order, and the rendered messages.
fn load_text(files: &[(&str, &str)]) -> (Vec<String>, String) {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(p, t)| (*p, t.as_bytes())).collect();
    let (session, loaded) = load_files(&files);
    let keys = loaded.files.into_iter().filter(|file| !file.in_prelude).map(|file| file.key);
    (keys.collect(), messages(&session))
}

fn messages(session: &Session) -> String {
    let draw = |d| render::text(&session.sources, d, Style::Plain);
    session.diagnostics.iter().map(draw).collect()
}

#[test]
fn a_shared_file_is_loaded_once_and_before_its_users() {
    let (keys, messages) = load_text(&[
        ("src/main.fut", "import \"a\"\nimport \"lib/b\"\n"),
        ("src/a.fut", "import \"lib/../lib/c\"\n"),
        ("src/lib/b.fut", "import \"c\"\nimport \"../a\"\n"),
        ("src/lib/c.fut", ""),
    ]);
    assert_eq!(messages, "");
    assert_eq!(keys, ["src/lib/c", "src/a", "src/lib/b", "src/main"]);
}

#[test]
fn imports_know_their_targets() {
    let (_, loaded) = load_files(&[("main.fut", b"import \"a\"\nimport \"no\"\n"), ("a.fut", b"")]);
    let root = &loaded.files[loaded.root.unwrap()];
    assert_eq!(root.imports.len(), 2);
    let target = root.target(root.imports[0].node).unwrap();
    assert_eq!(loaded.files[target].key, "a");
    assert_eq!(root.target(root.imports[1].node), None);
}

#[test]
fn a_cycle_is_shown_with_all_its_imports() {
    let (keys, messages) = load_text(&[
        ("main.fut", "import \"a\"\n"),
        ("a.fut", "\nimport \"b\"\n"),
        ("b.fut", "import \"a\"\n"),
    ]);
    assert_eq!(keys, ["b", "a", "main"]);
    let expected = "\
error[import-cycle]: the file \"a.fut\" imports itself through other files
 --> b.fut:1:8-11
  |
1 | import \"a\"
  |        ^^^ this imports \"a.fut\" again
  |
 ::: a.fut:2:8-11
  |
2 | import \"b\"
  |        --- imports \"b.fut\"
  |
  = note: \"a.fut\" -> \"b.fut\" -> \"a.fut\"
  = help: move the shared definitions to a separate file, and import that
  = help: for more, run `fehu explain import-cycle`
";
    assert_eq!(messages, expected);
}

#[test]
fn a_file_that_imports_itself() {
    for root in ["a.fut", "./x/../a.fut"] {
        let (_, messages) = load_text(&[(root, "import \"a\"\n")]);
        let expected = format!("error[import-cycle]: the file \"{root}\" imports itself\n");
        assert!(messages.starts_with(&expected), "{messages}");
    }
}

#[test]
fn a_missing_import_is_reported_where_it_is_written() {
    let (_, messages) = load_text(&[("src/main.fut", "import \"a\"\nimport \"b.fut\"\n")]);
    let expected = "\
error[file-not-found]: there is no file \"src/a.fut\"
 --> src/main.fut:1:8-11
  |
1 | import \"a\"
  |        ^^^ imported here
  |
  = note: imports are relative to the file that contains them
  = help: for more, run `fehu explain file-not-found`
";
    assert!(messages.starts_with(expected), "{messages}");
    assert!(messages.contains("imports are written without the extension `.fut`"), "{messages}");
}

#[test]
fn a_missing_file_is_reported_once() {
    let (_, messages) = load_text(&[("m.fut", "import \"a\"\nimport \"a\"\n")]);
    assert_eq!(messages.matches("error[").count(), 1, "{messages}");
}

#[test]
fn a_file_that_is_not_text() {
    let (session, loaded) = load_files(&[("main.fut", b"def x = 1\n\xff")]);
    assert_eq!(loaded.root, None);
    let expected = "\
error[not-utf8]: the file \"main.fut\" is not UTF-8 text
 |
 = note: the first invalid byte (0xff) is at offset 10, on line 2
 = help: save the file as UTF-8
 = help: for more, run `fehu explain not-utf8`
";
    assert_eq!(messages(&session), expected);
}

#[test]
fn a_folder_and_a_missing_prelude_file() {
    let (_, messages) =
        load_text(&[("main.fut", "import \"a\"\nimport \"/prelude/nothing\"\n"), ("a.fut/x", "")]);
    assert!(messages.contains("error[file-is-folder]: \"a.fut\" is a folder"), "{messages}");
    assert!(messages.contains("the prelude has no file \"/prelude/nothing.fut\""), "{messages}");
}

#[test]
fn the_disk_refuses_folders_and_missing_files() {
    use crate::files::Disk;
    let folder = env!("CARGO_MANIFEST_DIR");
    assert_eq!(Disk.read(folder), Err(ReadError::Directory));
    assert_eq!(Disk.read(&format!("{folder}/nothing")), Err(ReadError::NotFound));
    assert!(Disk.read(&format!("{folder}/Cargo.toml")).is_ok());
    assert_eq!(
        Disk.identity(&format!("{folder}/src/../Cargo.toml")),
        Disk.identity(&format!("{folder}/Cargo.toml"))
    );
}

#[test]
fn long_chains_of_imports() {
    let files: Vec<(String, String)> = (0..2000)
        .map(|i| (format!("f{i}.fut"), format!("import \"f{}\"\n", i + 1)))
        .chain([("f2000.fut".to_owned(), String::new())])
        .collect();
    let memory = Memory::new(files);
    let mut session = Session::default();
    crate::session::run(&mut session, |session| {
        let loaded = load(session, &memory, &Root::Path("f0.fut".to_owned()), Share::All);
        assert_eq!(loaded.files.iter().filter(|file| !file.in_prelude).count(), 2001);
    });
    assert!(session.diagnostics.is_empty());
}

/// Files that all fail in the same way.
struct Failing(ReadError);

impl Files for Failing {
    fn read(&self, _: &str) -> Result<Vec<u8>, ReadError> {
        Err(self.0.clone())
    }

    fn identity(&self, path: &str) -> String {
        path.to_owned()
    }
}

#[test]
fn files_that_the_system_refuses() {
    let cases = [
        (ReadError::TooLarge, "error[file-too-large]: the file \"a.fut\" is larger than 1 GiB\n"),
        (
            ReadError::Refused("permission denied".to_owned()),
            "error[file-unreadable]: cannot read the file \"a.fut\": permission denied\n",
        ),
    ];
    for (why, expected) in cases {
        let mut session = Session::default();
        load(&mut session, &Failing(why), &Root::Path("a.fut".to_owned()), Share::All);
        assert!(messages(&session).starts_with(expected), "{}", messages(&session));
    }
}
