//! The standard library, embedded in the program.
//!
//! The files are those of the folder `prelude/`. Programs see the contents of [`ROOT`] without an
//! import; the other files are reached by it, or by `import "/prelude/name"`.

use fehu_syntax::needed::Outline;
use std::sync::LazyLock;

/// The file that is open in every program.
pub const ROOT: &str = "prelude";

/// The file with the specification of what the compiler provides.
pub const INTRINSICS: &str = "intrinsics";

/// Name without extension, and text, sorted by name.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/prelude.rs"));

/// All files: name without extension, and text, sorted by name.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().copied()
}

/// What its declarations mention.
pub fn outline() -> &'static Outline<'static> {
    static OUTLINE: LazyLock<Outline<'static>> = LazyLock::new(|| {
        let mut outline = Outline::default();
        files().for_each(|(_, text)| outline.add(text));
        outline
    });
    &OUTLINE
}

/// The text of a prelude file.
pub fn text(name: &str) -> Option<&'static str> {
    let index = FILES.binary_search_by_key(&name, |(name, _)| name).ok()?;
    Some(FILES[index].1)
}
