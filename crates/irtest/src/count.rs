//! How often each operator occurs in a program, by names that people know.

use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Atom, Exp, Lambda, LoopForm, Prog, Screma};
use std::collections::BTreeMap;

/// The number of each operator in a whole program, functions of operators included. The names are the first
/// words of the text form, `+`-like operations each under its own; a screma is counted as `screma` and as its
/// [shape](screma_shape), a loop as `loop` and as `for` or `while`. Operators that do not occur are not listed.
pub fn count(prog: &Prog) -> BTreeMap<&'static str, usize> {
    let mut counter = Counter::default();
    prog.bodies().for_each(|body| counter.body(body));
    counter.counts
}

/// What a screma is called: `map`, `reduce`, `scan`, `redomap` and `scanomap` (with a function before the
/// operator or arrays besides), or `scanred`, which scans and reduces.
pub fn screma_shape(screma: &Screma) -> &'static str {
    let bare = is_identity(&screma.map);
    let parts = |counts: usize| screma.map.ret.len() == counts;
    match (screma.scans.len(), screma.reds.len()) {
        (0, 0) => "map",
        (0, _) if bare && parts(screma.reds.iter().map(|red| red.neutral.len()).sum()) => "reduce",
        (0, _) => "redomap",
        (_, 0) if bare && parts(screma.scans.iter().map(|scan| scan.neutral.len()).sum()) => "scan",
        (_, 0) => "scanomap",
        _ => "scanred",
    }
}

/// Every name that [`count`] can list but those of scalar operations, in an order for people.
pub const NAMES: &[&str] = &[
    "screma",
    "map",
    "reduce",
    "redomap",
    "scan",
    "scanomap",
    "scanred",
    "hist",
    "scatter",
    "stream",
    "partition",
    "flatmap",
    "jvp",
    "jmp",
    "vjp",
    "mjp",
    "with_vjp",
    "seg",
    "withacc",
    "update_acc",
    "loop",
    "for",
    "while",
    "if",
    "switch",
    "call",
    "const",
    "assert",
    "fail",
    "index",
    "update",
    "flat_index",
    "flat_update",
    "array",
    "concat",
    "iota",
    "replicate",
    "scratch",
    "reshape",
    "rearrange",
    "copy",
    "manifest",
    "atom",
    "convert",
    "reinterpret",
    "trace",
    "opaque",
    "tuning",
    "threads",
];

/// Whether there can be such an operator: a name of [`NAMES`] or of a scalar operation.
pub fn is_name(name: &str) -> bool {
    NAMES.contains(&name)
        || fehu_ir::UnOp::from_name(name).is_some()
        || fehu_ir::BinOp::from_name(name).is_some()
        || fehu_ir::CmpOp::from_name(name).is_some()
        || fehu_ir::MathFn::from_name(name).is_some()
}

/// The first word of an expression's text; `atom` for a plain operand.
pub fn name(exp: &Exp) -> &'static str {
    match exp {
        Exp::Atom(_) => "atom",
        Exp::UnOp(op, _) => op.name(),
        Exp::BinOp(op, ..) => op.name(),
        Exp::CmpOp(op, ..) => op.name(),
        Exp::Math(function, _) => function.name(),
        Exp::Convert(..) => "convert",
        Exp::Reinterpret(..) => "reinterpret",
        Exp::Assert(..) => "assert",
        Exp::Array(..) => "array",
        Exp::Index(..) => "index",
        Exp::Update(..) => "update",
        Exp::FlatIndex(..) => "flat_index",
        Exp::FlatUpdate(..) => "flat_update",
        Exp::Concat(..) => "concat",
        Exp::Iota(..) => "iota",
        Exp::Replicate(..) => "replicate",
        Exp::Scratch(..) => "scratch",
        Exp::Reshape(..) => "reshape",
        Exp::Rearrange(..) => "rearrange",
        Exp::Copy(_) => "copy",
        Exp::Manifest(_) => "manifest",
        Exp::If(..) => "if",
        Exp::Switch(..) => "switch",
        Exp::Loop(..) => "loop",
        Exp::Call(..) => "call",
        Exp::Const(_) => "const",
        Exp::Screma(_) => "screma",
        Exp::Hist(_) => "hist",
        Exp::Scatter(_) => "scatter",
        Exp::Stream(_) => "stream",
        Exp::Partition(_) => "partition",
        Exp::Flatmap(_) => "flatmap",
        Exp::Diff(op) => op.form.name(),
        Exp::Seg(_) => "seg",
        Exp::WithAcc(..) => "withacc",
        Exp::UpdateAcc(..) => "update_acc",
        Exp::Trace(..) => "trace",
        Exp::Notice(..) => "notice",
        Exp::Opaque(_) => "opaque",
        Exp::Tuning(..) => "tuning",
        Exp::Threads => "threads",
        Exp::Fail(_) => "fail",
    }
}

#[derive(Default)]
struct Counter {
    counts: BTreeMap<&'static str, usize>,
}

impl Counter {
    fn add(&mut self, name: &'static str) {
        *self.counts.entry(name).or_default() += 1;
    }
}

impl Visit for Counter {
    fn exp(&mut self, exp: &Exp) {
        self.add(name(exp));
        match exp {
            Exp::Screma(screma) => self.add(screma_shape(screma)),
            Exp::Loop(_, LoopForm::For(..), _) => self.add("for"),
            Exp::Loop(_, LoopForm::While(_), _) => self.add("while"),
            _ => {}
        }
        walk_exp(self, exp);
    }
}

fn is_identity(lambda: &Lambda) -> bool {
    lambda.body.stms.is_empty()
        && lambda.body.results.iter().copied().eq(lambda.params.iter().map(|var| Atom::Var(*var)))
}
