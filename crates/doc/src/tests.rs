//! Pages of small programs, and of the prelude.

use super::*;
use fehu_driver::files::Memory;

const MAIN: &str = "-- | About *vectors*.\n--\n-- See `scale` and `vec`@type.\n\nimport \"lib/point\"\n\n\
    -- | Three numbers.\ntype vec = {x: f32, y: f32, z: f32}\n\n\
    -- | All times a number.\n--\n-- >>> (scale 2 {x = 1, y = 2, z = 3}).x\n-- 2\n\
    def scale (k: f32) (v: vec) : vec = {x = k * v.x, y = k * v.y, z = k * v.z}\n\
    def double = scale 2\n\nlocal def secret = 1i32\n\n\
    -- | Things.\nmodule type thing = {\n  -- | Its type.\n  type t\n  -- | One of them.\n  val one : t\n}\n\n\
    -- | Numbers are things.\nmodule numbers : thing with t = i32 = {\n  type t = i32\n  def one = 1i32\n}\n";

fn made() -> Vec<(String, String)> {
    let files = Memory::new([
        ("src/main.fut", MAIN),
        ("src/lib/point.fut", "-- | Points.\ntype point = (f32, f32)\n"),
        ("src/secret.fut", "-- | ignore\n\ndef x = 1i32"),
    ]);
    let wanted = Wanted {
        title: "Vectors & more".to_owned(),
        programs: vec!["src/main".to_owned(), "src/secret".to_owned()],
        folder: "src".to_owned(),
        prelude: false,
    };
    let (outcome, made) = site(&files, &wanted);
    made.unwrap_or_else(|| panic!("{:?}", outcome.diagnostics))
}

fn page<'a>(made: &'a [(String, String)], name: &str) -> &'a str {
    let names: Vec<&String> = made.iter().map(|(name, _)| name).collect();
    let found = made.iter().find(|(other, _)| other == name);
    found.map(|(_, text)| text.as_str()).unwrap_or_else(|| panic!("{name} is not in {names:?}"))
}

#[track_caller]
fn contains(text: &str, expected: &[&str]) {
    for part in expected {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn declarations_have_signatures_links_and_comments() {
    let made = made();
    let main = page(&made, "main.html");
    contains(
        main,
        &[
            "<title>main</title>",
            "<p>About <em>vectors</em>.</p>",
            "<p>See <a href=\"#term:scale\"><code>scale</code></a> and <a href=\"#type:vec\"><code>vec</code></a>.</p>",
            "id=\"type:vec\"",
            "id=\"modtype:thing\"",
            "id=\"type:thing.t\"",
            // What is written, with the name in bold and types that are links.
            "<b>scale</b> (k: <span class=\"pt\">f32</span>) (v: <a class=\"nm\" href=\"#type:vec\">vec</a>) : <a class=\"nm\" href=\"#type:vec\">vec</a></code>",
            // What is inferred.
            "double : ",
            "<span class=\"prompt\">&gt; </span>(scale <span class=\"nu\">2</span>",
            "<a class=\"nm\" href=\"#modtype:thing\">thing</a>",
            "href=\"main.fut.html#L14\">source</a>",
        ],
    );
    assert!(!main.contains("secret"), "{main}");
}

#[test]
fn sources_names_and_the_index_have_links() {
    let made = made();
    contains(
        page(&made, "main.fut.html"),
        &[
            "<span class=\"line\" id=\"L15\">",
            "<a class=\"nm\" href=\"main.html#term:scale\">scale</a>",
        ],
    );
    contains(
        page(&made, "index.html"),
        &[
            "<title>Vectors &amp; more</title>",
            "<h2>Files</h2>",
            "<dt><a href=\"main.html\">main</a></dt>\n<dd>\n<p>About <em>vectors</em>.</p>",
            "<h2>Imported files</h2>",
            "<a href=\"lib/point.html\">lib/point</a>",
        ],
    );
    contains(
        page(&made, "lib/point.html"),
        &["href=\"../style.css\"", "<header data-top=\"../\">"],
    );
    contains(
        page(&made, "doc-index.html"),
        &["<a href=\"main.html#type:thing.t\"><code>thing.t</code></a>"],
    );
    contains(page(&made, "names.js"), &["[\"scale\",\"value\",\"main.html#term:scale\",\"main\"]"]);
    assert!(made.iter().all(|(name, _)| !name.contains("secret")));
}

#[test]
fn the_prelude_has_pages() {
    let wanted = Wanted {
        title: "The prelude".to_owned(),
        programs: Vec::new(),
        folder: String::new(),
        prelude: true,
    };
    let (_, made) = site(&Memory::default(), &wanted);
    let made = made.expect("it is right");
    contains(page(&made, "prelude/soacs.html"), &["id=\"term:reduce_by_index\"", "[1, 4, 9]"]);
    contains(page(&made, "prelude/math.html"), &["id=\"modtype:from_prim\"", "id=\"term:f32\""]);
}

#[test]
fn wrong_programs_have_no_pages() {
    let files = Memory::new([("a.fut", "def x : i32 = true")]);
    let wanted = Wanted {
        title: String::new(),
        programs: vec!["a".to_owned()],
        folder: String::new(),
        prelude: false,
    };
    let (outcome, made) = site(&files, &wanted);
    assert!(made.is_none());
    assert_eq!(outcome.exit.code(), 2);
}
