//! Literate programs as pages, in the interpreter.

use fehu_harness::prepare::How;
use fehu_literate::builtins::Folder;
use fehu_literate::store::Store;
use fehu_literate::{Event, Part, html, markdown, render};
use std::fs;
use std::path::{Path, PathBuf};

const PROGRAM: &str = r#"-- # A page
-- About *everything*.

def square (x: i32) = x * x

-- > square 3

-- > :img [[0xff0000u32, 0x00ff00u32], [0x0000ffu32, 0xffffffu32]];
-- file: colours.png

def wave (n: i64) = (map f64.i64 (iota n), map (\i -> f64.sin (f64.i64 i / 5)) (iota n))

-- > :brief :plot {wave = wave 20, half = wave 10};
-- title: Waves

def next (x: i64) = (tabulate_2d 2 3 (\i j -> u8.i64 (x + i + j)), x + 50)

-- > :covert :video (next, 0i64, 3);
-- format: gif

-- > :audio (wave 100).1

-- > :table {x = (wave 2).0, y = [1, 2]}

-- > :text "a < b"

-- > let xs = $loaddata "numbers.in" in xs[1]

-- > square true
"#;

/// A folder with the program, and what is to be done with it.
struct Case {
    folder: PathBuf,
    program: String,
}

impl Case {
    fn new(name: &str) -> Case {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the folder can be made");
        fs::write(folder.join("numbers.in"), "[7i32, 8i32]").expect("it can be written");
        Case { folder, program: PROGRAM.to_owned() }
    }

    /// The parts of the page, and the lines of the directives that were evaluated.
    fn render(&self) -> (Vec<Part>, Vec<usize>) {
        let path = self.folder.join("page.fut");
        fs::write(&path, &self.program).expect("it can be written");
        let mut store = Store::new(self.folder.join("page-img"));
        let files = Folder { path: self.folder.clone(), writes: false };
        let mut evaluated = Vec::new();
        let mut observer = |event: Event<'_>| {
            if let Event::Evaluates(directive) = event {
                evaluated.push(directive.line);
            }
        };
        let path = path.display().to_string();
        let rendered = render(&path, &How::Interpreted, &files, &mut store, &mut observer);
        store.clean().expect("it can be cleaned");
        let parts = rendered.parts.unwrap_or_else(|| panic!("{:?}", rendered.outcome.diagnostics));
        (parts, evaluated)
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.join("page-img")).expect("it is there");
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry.expect("it is a file").file_name().to_string_lossy().into_owned()
        };
        entries.map(name).collect()
    }
}

#[test]
fn everything_is_shown() {
    let (parts, _) = Case::new("everything").render();
    let text = markdown::markdown(&parts, "page-img");
    for expected in [
        "# A page\nAbout *everything*.\n\n```futhark\ndef square (x: i32) = x * x\n```\n\n```\n> square 3\n```\n\n```\n9i32\n```\n",
        "file: colours.png\n```\n\n![](page-img/colours.png)\n",
        "```\n> :plot {wave = wave 20, half = wave 10}\n```\n\n![](page-img/",
        "-plot.svg)",
        "-video.gif)",
        "-output.wav)",
        "| x | y |\n| --: | --: |\n| 0.0 | 1 |\n| 1.0 | 2 |\n",
        "```\na < b\n```",
        "```\n8i32\n```",
        "**FAILED**\n```\nthe parameter \"x\" of \"square\" has type i32, but got bool\n```\n",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
    assert!(!text.contains(":video"), "{text}");
    let page = html::html(&parts, "page");
    for expected in [
        "<title>A page</title>",
        "<em>everything</em>",
        "<span class=\"kw\">def</span> square",
        "data:image/png;base64,",
        ">Waves</text>",
        "data:image/gif;base64,",
        "<audio src=\"data:audio/wav;base64,",
        "<td style=\"text-align: right\">1.0</td>",
        "a &lt; b",
        "<strong>Line 29 failed.</strong>",
    ] {
        assert!(page.contains(expected), "{expected:?} is not in\n{page}");
    }
}

#[test]
fn only_what_has_changed_is_evaluated() {
    let mut case = Case::new("changes");
    let failing = 29;
    let (before, evaluated) = case.render();
    assert_eq!(evaluated.len(), 9);
    let (again, evaluated) = case.render();
    assert_eq!(evaluated, [failing]);
    assert_eq!(markdown::markdown(&before, "x"), markdown::markdown(&again, "x"));
    // A comment matters to nothing, and a function to what uses it.
    case.program = PROGRAM.replace("x * x", "x * x + 1 -- more").replace("About", "On");
    assert_eq!(case.render().1, [6, failing]);
    let count = case.files().len();
    // A file that is read.
    fs::write(case.folder.join("numbers.in"), "[7i32, 9i32]").expect("it can be written");
    assert_eq!(case.render().1, [27, failing]);
    assert_eq!(case.files().len(), count, "what is not needed any more is deleted");
    // A picture with a name of its own is made again if its directive changes.
    case.program = case.program.replace("0xff0000u32", "0xffff00u32");
    assert_eq!(case.render().1, [8, failing]);
}

#[test]
fn a_wrong_program_has_no_page() {
    let mut case = Case::new("wrong");
    case.program = "def x : i32 = true\n\n-- > x\n".to_owned();
    let path = case.folder.join("page.fut");
    fs::write(&path, &case.program).expect("it can be written");
    let mut store = Store::new(case.folder.join("page-img"));
    let files = Folder { path: case.folder.clone(), writes: false };
    let path = path.display().to_string();
    let rendered = render(&path, &How::Interpreted, &files, &mut store, &mut |_| {});
    assert!(rendered.parts.is_none());
    assert_eq!(rendered.outcome.diagnostics.len(), 1);
}
