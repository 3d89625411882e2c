//! What `zip` copies.
//!
//! The type of `zip` promises a new array: it can be changed while the zipped arrays are still used, and they
//! while it is. But an array of pairs is two arrays here, so mostly there is nothing to do, and a copy that nobody
//! needs stands in the way of fusion. So `zip` makes copies that are marked, and when all is built, [`settle`] removes
//! those without which the program keeps the rules of consumption.

use fehu_ir::subst::{Subst, subst_body};
use fehu_ir::verify::consumes_correctly;
use fehu_ir::visit::{Visit, VisitMut, walk_body_mut, walk_stm, walk_stm_mut};
use fehu_ir::{Atom, Attr, Body, Exp, Prog, Stm};
use std::ops::Range;

/// The attribute of a copy that may be removed. No attribute of the source has such a name.
const MARK: &str = "copy of zip";

/// The mark of a copy that may be removed.
pub(crate) fn mark() -> Attr {
    Attr::named(MARK)
}

/// Removes the marked copies that are not needed, and the marks of the others.
pub(crate) fn settle(prog: &mut Prog) {
    let mut count = Count(0);
    prog.bodies().for_each(|body| count.body(body));
    let mut copied = vec![false; count.0];
    if !copied.is_empty() && !is_right(prog, &copied) {
        copied.fill(true);
        // If that is not the reason why the program is wrong, the verifier can tell better.
        if is_right(prog, &copied) {
            remove(prog, &mut copied, 0..count.0);
        }
    }
    write_down(prog, &copied);
    finish(prog);
}

/// Removes as many copies of a range as possible, in halves: few are needed.
fn remove(prog: &mut Prog, copied: &mut [bool], range: Range<usize>) {
    if range.len() > 1 {
        let middle = range.start + range.len() / 2;
        for half in [range.start..middle, middle..range.end] {
            copied[half.clone()].fill(false);
            if !is_right(prog, copied) {
                copied[half.clone()].fill(true);
                remove(prog, copied, half);
            }
        }
    }
}

/// Whether the program keeps the rules of consumption with these copies.
fn is_right(prog: &mut Prog, copied: &[bool]) -> bool {
    write_down(prog, copied);
    consumes_correctly(prog)
}

/// Makes each marked statement a copy or another name of the array.
fn write_down(prog: &mut Prog, copied: &[bool]) {
    let mut write = Write { copied: copied.iter() };
    prog.for_each_body(|_, _, body| write.body(body));
}

/// Removes the other names, and all marks.
fn finish(prog: &mut Prog) {
    prog.for_each_body(|_, vars, body| {
        let mut names = Names(Subst::default());
        names.body(body);
        subst_body(body, vars, &names.0);
    });
}

fn is_marked(stm: &Stm) -> bool {
    stm.attrs.iter().any(|attr| attr.name == MARK)
}

/// The number of marked statements.
struct Count(usize);

impl Visit for Count {
    fn stm(&mut self, stm: &Stm) {
        self.0 += usize::from(is_marked(stm));
        walk_stm(self, stm);
    }
}

struct Write<'c> {
    copied: std::slice::Iter<'c, bool>,
}

impl VisitMut for Write<'_> {
    fn stm(&mut self, stm: &mut Stm) {
        if is_marked(stm)
            && let Some(copied) = self.copied.next()
            && let Exp::Copy(array) | Exp::Atom(Atom::Var(array)) = stm.exp
        {
            stm.exp = if *copied { Exp::Copy(array) } else { Exp::Atom(array.into()) };
        }
        walk_stm_mut(self, stm);
    }
}

/// What the removed names stand for.
struct Names(Subst);

impl VisitMut for Names {
    fn body(&mut self, body: &mut Body) {
        body.stms.retain(|stm| match (&stm.exp, &stm.pat[..]) {
            (Exp::Atom(Atom::Var(array)), [name]) if is_marked(stm) => {
                let array = self.0.get(array).copied().unwrap_or((*array).into());
                self.0.insert(*name, array);
                false
            }
            _ => true,
        });
        walk_body_mut(self, body);
    }

    fn stm(&mut self, stm: &mut Stm) {
        stm.attrs.retain(|attr| attr.name != MARK);
        walk_stm_mut(self, stm);
    }
}
