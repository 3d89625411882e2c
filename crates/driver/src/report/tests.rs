//! Whole reports: as text, compared with files (`BLESS=1` writes them), as HTML and as JSON.

use super::html::{html, well_formed};
use super::json::json;
use super::make;
use super::model::{NoteKind, Report};
use super::text::text;
use crate::check::Exit;
use crate::files::{Disk, Memory};
use crate::load::Root;
use crate::passes::Plan;
use crate::pipelines::{DEFAULT, GPU};
use fehu_base::render::Style;
use fehu_ir::pass::Pass;
use fehu_par::GRID_LOOPS;
use std::path::Path;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/report")
}

/// The report on a program of the folder, under a name without the folder.
fn of_file(name: &str) -> Report {
    let source = std::fs::read_to_string(folder().join(name)).expect("the program can be read");
    of_text(name, &source)
}

fn of_text(name: &str, source: &str) -> Report {
    let root = Root::Bytes(name.to_owned(), source.as_bytes().to_vec());
    let (report, outcome) = make(&Disk, &root, &Plan::of(DEFAULT.passes));
    report.unwrap_or_else(|| panic!("{name}: {:?}", outcome.diagnostics))
}

const NAMES: [&str; 6] = ["statistics", "pipeline", "loops", "reasons", "pieces", "lanes"];

#[test]
fn programs_have_these_reports() {
    for name in NAMES {
        let found = text(&of_file(&format!("{name}.fut")), Style::Plain);
        let path = folder().join(format!("{name}.txt"));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &found).expect("the report can be written");
        }
        let expected = std::fs::read_to_string(&path).expect("there is a report");
        assert_eq!(found, expected, "{name}; BLESS=1 accepts the report");
    }
}

/// Programs like those that array short-circuiting was measured with, and how many copies are left for one thread and
/// for kernels. For threads of devices, the report sees all versions of a program at once; all but those for a single
/// block, which loads what loops hand on into memory of its own, and stores what comes of it.
const IN_PLACE: [(&str, usize, usize); 10] = [
    ("needleman_wunsch", 0, 0),
    ("lu", 0, 0),
    ("hotspot", 0, 0),
    ("lattice_boltzmann", 0, 0),
    ("option_pricing", 0, 0),
    // Made transposed, the neighbours in a row would be far apart.
    ("volatility", 1, 1),
    ("nearest", 0, 0),
    // Versions inside of versions, each of which has several results.
    ("layers", 0, 0),
    // For kernels, the transposed matrices are copied, which this count does not know.
    ("strides", 0, 0),
    // A block is a part of what it was computed in, and nobody can prove that the borders that the blocks of a diagonal
    // read are none of them.
    ("blocks", 4, 4),
];

#[test]
fn arrays_are_made_where_they_belong() {
    for (name, one_thread, kernels) in IN_PLACE {
        let path = folder().join(format!("../programs/in_place/{name}.fut"));
        let source = std::fs::read_to_string(path).expect("the program can be read");
        let left = |passes: &[Pass]| {
            let root = Root::Bytes(format!("{name}.fut"), source.as_bytes().to_vec());
            let mut plan = Plan::of(passes);
            plan.passes.retain(|pass| pass.name != GRID_LOOPS.name);
            let (report, outcome) = make(&Disk, &root, &plan);
            report.unwrap_or_else(|| panic!("{name}: {:?}", outcome.diagnostics)).summary.copies
        };
        assert_eq!((left(DEFAULT.passes), left(GPU.passes)), (one_thread, kernels), "{name}");
    }
}

#[test]
fn pages_are_well_formed_and_need_nothing_else() {
    for name in NAMES {
        let report = of_file(&format!("{name}.fut"));
        let page = html(&report);
        well_formed(&page).unwrap_or_else(|error| panic!("{name}: {error}"));
        for outside in ["src=", "@import", "http:", "https:", "<link", "<script"] {
            assert!(!page.contains(outside), "{name} has {outside}");
        }
        assert_eq!(page.matches("<svg class=\"flow\"").count(), 2 * report.entries.len());
        // Links lead to lines that are there.
        for link in page.split("href=\"#").skip(1) {
            let id = link.split('"').next().unwrap_or("");
            assert!(page.contains(&format!("<tr id=\"{id}\">")), "{name}: {id}");
        }
    }
}

#[test]
fn a_report_is_always_the_same() {
    for name in NAMES {
        let file = format!("{name}.fut");
        let (first, second) = (of_file(&file), of_file(&file));
        assert_eq!(text(&first, Style::Coloured), text(&second, Style::Coloured));
        assert_eq!(html(&first), html(&second));
        assert_eq!(json(&first), json(&second));
    }
}

#[test]
fn no_note_points_into_the_prelude() {
    for name in NAMES {
        let file = format!("{name}.fut");
        let report = of_file(&file);
        assert!(report.files.iter().all(|notes| notes.name == file));
        assert!(report.elsewhere.is_empty(), "{:?}", report.elsewhere);
    }
}

#[test]
fn a_chain_of_maps_is_one_operator() {
    let mut source = "entry main (xs: []f32) =\n  xs\n".to_owned();
    for number in 0..60 {
        source.push_str(&format!("  |> map (+ {number})\n"));
    }
    let report = of_text("chain.fut", &source);
    assert_eq!((report.summary.operators, report.summary.arrays), ((60, 1), (60, 1)));
    assert_eq!(report.entries[0].before.nodes.len(), 62);
    assert_eq!(report.entries[0].after.nodes.len(), 3);
    let fused = |line: usize| {
        let notes = report.files[0].notes.iter();
        notes.filter(move |note| note.line == line && note.kind == NoteKind::Done).count()
    };
    assert!((3..63).all(|line| fused(line) > 0), "{}", text(&report, Style::Plain));
    assert_eq!(well_formed(&html(&report)), Ok(()));
}

#[test]
fn notes_about_other_files_stand_under_their_names() {
    let lib = "def norm (xs: []f64) = f64.sum (map (\\x -> x * x) xs)\n";
    let files = Memory::new([("lib.fut", lib)]);
    let source = b"import \"lib\"\nentry main (xs: []f64) = norm xs\n".to_vec();
    let root = Root::Bytes("main.fut".to_owned(), source);
    let (report, outcome) = make(&files, &root, &Plan::of(DEFAULT.passes));
    let report = report.unwrap_or_else(|| panic!("{:?}", outcome.diagnostics));
    let names: Vec<&str> = report.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["main.fut", "lib.fut"]);
    let text = text(&report, Style::Plain);
    let expected = "\nlib.fut\n\
        1 | def norm (xs: []f64) = f64.sum (map (\\x -> x * x) xs)\n  \
        + map: fused into the reduction on this line\n";
    assert!(text.ends_with(expected), "{text}");
    assert!(html(&report).contains(">lib.fut:1</text>"));
}

#[test]
fn a_wrong_program_has_no_report() {
    let root = Root::Bytes("a.fut".to_owned(), b"entry main = x".to_vec());
    let (report, outcome) = make(&Memory::default(), &root, &Plan::of(DEFAULT.passes));
    assert!(report.is_none());
    assert_eq!(outcome.exit, Exit::Rejected);
}
