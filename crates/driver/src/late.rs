//! Warnings that only a compiled program can give: they depend on what the optimiser has found out.
//!
//! - `#[unroll]` at a loop whose number of iterations nobody knows has no effect.
//! - `#[stream]` at a parameter that is needed as a whole has no effect.
//! - `#[warn(safety_checks)] e` asks which checks are left in `e`, and in what is called there. A check knows the places that
//!   lead to it, innermost first; where a function is still called, its checks are those of the call.

use crate::errors;
use fehu_base::{Diagnostic, SourceMap, Span};
use fehu_check::program::Program;
use fehu_ir::pass::{RemarkKind, Remarks};
use fehu_ir::visit::{Visit, walk_exp, walk_stm};
use fehu_ir::{Check, Exp, FunId, Loc, Prog, Stm};
use rustc_hash::FxHashSet;

/// The warnings about an optimised program.
pub(crate) fn warnings(
    sources: &SourceMap,
    program: &Program,
    prog: &Prog,
    remarks: &Remarks,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for remark in &remarks.list {
        let missed = remark.pass == fehu_opt::UNROLL.name && remark.kind == RemarkKind::Missed;
        let loc = remark.loc.as_ref().filter(|loc| missed && !loc.in_prelude());
        if let Some(place) = loc.and_then(|loc| span(sources, loc)) {
            found.push(errors::unroll_without_effect(place, &remark.text));
        }
        let missed = remark.pass == fehu_opt::STREAMED.name && remark.kind == RemarkKind::Missed;
        if let Some(place) =
            remark.loc.as_ref().filter(|_| missed).and_then(|loc| span(sources, loc))
        {
            let other = remark.other.as_ref().and_then(|loc| span(sources, loc));
            let shown = |_: Option<&Loc>| {
                other
                    .map_or("before it".to_owned(), |span| format!("at {}", sources.describe(span)))
            };
            found.push(errors::not_streamed(place, &remark.sentence(shown)));
        }
    }
    let watched: Vec<Span> =
        program.files.values().flat_map(|tables| tables.watched.iter().copied()).collect();
    if !watched.is_empty() {
        let mut left = Left {
            sources,
            watched,
            prog,
            inside: false,
            funs: FxHashSet::default(),
            found: Vec::new(),
        };
        for entry in &prog.entries {
            left.fun(entry.fun);
        }
        found.extend(left.found);
    }
    found
}

/// Looks for checks.
struct Left<'a> {
    sources: &'a SourceMap,
    watched: Vec<Span>,
    prog: &'a Prog,
    /// Whether what is looked at belongs to a watched expression.
    inside: bool,
    funs: FxHashSet<(FunId, bool)>,
    found: Vec<Diagnostic>,
}

impl Left<'_> {
    fn fun(&mut self, id: FunId) {
        if self.funs.insert((id, self.inside)) {
            let prog = self.prog;
            self.body(&prog.funs[id].body);
        }
    }

    fn is_watched(&self, loc: &Loc) -> bool {
        let within = |span: Span, outer: &Span| {
            span.file == outer.file && outer.start <= span.start && span.end <= outer.end
        };
        span(self.sources, loc)
            .is_some_and(|span| self.watched.iter().any(|outer| within(span, outer)))
    }

    fn check(&mut self, check: &Check) {
        if !self.inside && !check.trace.iter().any(|loc| self.is_watched(loc)) {
            return;
        }
        let own = check.trace.iter().filter(|loc| !loc.in_prelude());
        let mut own = own.filter_map(|loc| span(self.sources, loc));
        let Some(place) = own.next() else { return };
        let callers: Vec<String> = own.map(|span| self.sources.describe(span)).collect();
        self.found.push(errors::safety_check_required(place, &callers));
    }
}

impl Visit for Left<'_> {
    fn stm(&mut self, stm: &Stm) {
        let outer = self.inside;
        self.inside |= stm.loc.as_ref().is_some_and(|loc| self.is_watched(loc));
        walk_stm(self, stm);
        self.inside = outer;
    }

    fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Assert(_, check) => self.check(check),
            Exp::Call(fun, _) => self.fun(*fun),
            _ => {}
        }
        walk_exp(self, exp);
    }
}

/// The place in the sources that the IR describes in words.
pub(crate) fn span(sources: &SourceMap, loc: &Loc) -> Option<Span> {
    let place = loc.place()?;
    let (id, file) = sources.iter().find(|(_, file)| file.name == place.file)?;
    let offset = |line: usize, column: usize| -> Option<u32> {
        let range = file.line_range(line.checked_sub(1)?);
        let text = file.text.get(range.clone())?;
        let skipped = text.chars().take(column.checked_sub(1)?).map(char::len_utf8);
        u32::try_from(range.start + skipped.sum::<usize>()).ok()
    };
    let start = offset(place.line, place.column)?;
    let end = match loc.0.strip_prefix(&format!("{}:{}:{}-", place.file, place.line, place.column))
    {
        None => Some(start),
        Some(end) => match end.split_once(':') {
            None => offset(place.line, end.parse().ok()?),
            Some((line, column)) => offset(line.parse().ok()?, column.parse().ok()?),
        },
    };
    Some(Span::new(id, start, end?))
}
