//! Functions that cannot become part of kernels, and so are called by the host only.
//!
//! Kernels call nothing: they contain the bodies of all functions that they would call, and of those that these call. That is
//! impossible for a function that comes to call itself, and out of hand where functions call others several times at each of
//! many levels: twelve functions that call each other twice are four thousand bodies.

use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_ir as ir;
use rustc_hash::FxHashSet;

/// How many statements a call may bring into a kernel: some megabytes of C, which compilers for devices already need minutes
/// for. All benchmarks that were tried stay below. This bounds each call, and not yet what many calls bring together.
const MOST: usize = 50_000;

/// The functions that are called by the host only.
pub(in super::super) fn hosted(prog: &ir::Prog) -> FxHashSet<ir::FunId> {
    let mut whole = Whole { sizes: IdVec::default(), calls: IdVec::default(), done: Vec::new() };
    for (_, fun) in prog.funs.iter() {
        let mut calls = Vec::new();
        whole.sizes.push(size(&fun.body, &mut calls));
        whole.calls.push(calls);
    }
    whole.done = vec![Done::No; prog.funs.len()];
    let ids: Vec<ir::FunId> = prog.funs.iter().map(|(id, _)| id).collect();
    ids.into_iter().filter(|id| whole.size(*id) > MOST).collect()
}

/// The number of statements of a body; notes its calls.
fn size(body: &ir::Body, calls: &mut Vec<ir::FunId>) -> usize {
    let mut sum = body.stms.len();
    for stm in &body.stms {
        if let ir::Exp::Call(fun, _) = stm.exp {
            calls.push(fun);
        }
        stm.exp.for_each_body(&mut |inner| sum += size(inner, calls));
    }
    sum
}

/// How far the size of a function is known.
#[derive(Clone, Copy)]
enum Done {
    No,
    /// Who asks now is called by the function.
    Begun,
    Yes(usize),
}

struct Whole {
    /// The sizes of functions without what they call.
    sizes: IdVec<ir::FunId, usize>,
    /// What they call, as often as they do.
    calls: IdVec<ir::FunId, Vec<ir::FunId>>,
    done: Vec<Done>,
}

impl Whole {
    /// The number of statements of a function with everything that it calls; without end if it calls itself. Functions
    /// call earlier ones or themselves, so this goes as deep as calls do.
    fn size(&mut self, id: ir::FunId) -> usize {
        match self.done[id.index()] {
            Done::Yes(size) => return size,
            Done::Begun => return usize::MAX,
            Done::No => {}
        }
        self.done[id.index()] = Done::Begun;
        let mut sum = self.sizes[id];
        for callee in self.calls[id].clone() {
            sum = sum.saturating_add(self.size(callee));
        }
        self.done[id.index()] = Done::Yes(sum);
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let prog = ir::text::parse(text).expect("it is a program");
        let mut names: Vec<String> =
            hosted(&prog).into_iter().map(|id| prog.funs[id].name.to_string()).collect();
        names.sort();
        names
    }

    #[test]
    fn functions_that_call_themselves_and_their_callers_are_the_hosts() {
        let text = "prog arrays
            fun f (n: i64) -> (r: i64) = let (m: i64) = sub n 1i64 let (r: i64) = call f (m) in (r)
            fun g (n: i64) -> (r: i64) = let (r: i64) = call f (n) in (r)
            fun h (n: i64) -> (r: i64) = let (r: i64) = add n 1i64 in (r)
        ";
        assert_eq!(names(text), ["f", "g"]);
    }

    #[test]
    fn functions_that_double_are_the_hosts_from_some_level_on() {
        let mut text = "prog arrays
            fun f0 (n: i64) -> (r: i64) = let (r: i64) = add n 1i64 in (r)\n"
            .to_owned();
        for level in 1..20 {
            let below = level - 1;
            text += &format!(
                "fun f{level} (n: i64) -> (r: i64) = let (a: i64) = call f{below} (n)
                 let (b: i64) = call f{below} (a) in (b)\n"
            );
        }
        let names = names(&text);
        assert!(
            names.contains(&"f19".to_owned()) && !names.contains(&"f8".to_owned()),
            "{names:?}"
        );
    }
}
