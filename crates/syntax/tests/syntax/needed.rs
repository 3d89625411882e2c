//! What a program needs of a library.

use fehu_base::FileId;
use fehu_syntax::needed::{Names, Outline};
use fehu_syntax::{dump, parse_needed};

const LIBRARY: &str = "
module type number = { type t val one : t val twice : t -> t val (+++) : t -> t -> t val rest : t }
local def helper (x: i32) : i32 = x intrinsics.+. 1
def record (x: i32) : {a: i32} = {a = helper x}
def x <+> y = x k.--> y
module m : number = {
  type t = i32
  def one : t = 1
  local def doubled (x: t) = {it = x, last = hidden}.it + x
  def twice (x: t) = doubled x
  def (+++) (x: t) (y: t) = x + y
  #[inline] def rest = 7
}
module other : number = { def one = 1 def twice (x: i32) = m.twice x }
module n = m
";

fn needed(program: &str) -> Names {
    let mut outline = Outline::default();
    outline.add(LIBRARY);
    let mut names = Names::default();
    names.mention(program);
    names.close(&outline);
    names
}

fn has(names: &Names, wanted: &str) -> bool {
    wanted.split(' ').all(|word| names.contains(word))
}

#[test]
fn words_lead_to_those_of_definitions() {
    let names = needed("def main = record 1");
    assert!(has(&names, "main record helper intrinsics +. a") && !names.contains("twice"));
    // A definition in a module that nobody names is not needed, whatever its name.
    assert!(!needed("twice").contains("doubled"));
    assert!(has(&needed("m.twice"), "doubled hidden it last"));
    assert!(has(&needed("n.twice"), "m doubled hidden"));
    assert!(has(&needed("other.twice"), "m doubled"));
    assert!(has(&needed("k.m.<*>"), "k m <*>"));
}

#[test]
fn what_has_no_name_of_its_own_is_always_needed() {
    // The function in infix form.
    assert!(has(&needed(""), "k -->"));
}

/// What is left of a module of the library.
fn left<'a>(module: &str, library: &'a str) -> &'a str {
    let at = library.find(&format!("(module {module}")).unwrap_or_else(|| panic!("{library}"));
    library[at..].lines().next().unwrap_or_default()
}

#[test]
fn other_definitions_are_left_out_of_modules_that_have_a_type() {
    let (file, errors) = parse_needed(FileId(0), LIBRARY, &needed("m.twice"));
    assert!(errors.is_empty(), "{errors:?}");
    let library = dump::file(&file);
    let doubled = "(def doubled (paren (: x t)) (+ (project (record (it x) (last hidden)) it) x))";
    let twice = "(def twice (paren (: x t)) (apply doubled x))";
    let expected = format!(
        "(module m (ret number) (decs (type t i32) (local {doubled}) {twice} (attr inline) (def rest 7)))"
    );
    assert_eq!(left("m", &library), expected);
    assert_eq!(left("other", &library), "(module other (ret number) (decs))");
    // Elsewhere everything is there, and can be believed or not.
    assert!(library.contains("(def record "));
}
