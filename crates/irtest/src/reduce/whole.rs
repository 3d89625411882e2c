//! Edits of functions, constants and entry points.

use super::Edited;
use fehu_base::id::Id;
use fehu_ir::subst::{Subst, subst_body, subst_type};
use fehu_ir::visit::{VisitMut, walk_exp_mut};
use fehu_ir::{Atom, ConstId, Elem, Exp, External, FunId, OpaqueType, Prog, Scalar, Type};

type WholeEdit = fn(&mut Prog, usize) -> Edited;

/// The edits that are tried, in order.
pub(super) const EDITS: &[WholeEdit] =
    &[remove_entry, remove_fun, remove_const, remove_result, remove_param, small_param];

fn remove_entry(prog: &mut Prog, at: usize) -> Edited {
    if at >= prog.entries.len() {
        return Edited::End;
    }
    prog.entries.remove(at);
    Edited::Yes
}

/// Removes a function that nobody calls, with its entry points.
fn remove_fun(prog: &mut Prog, at: usize) -> Edited {
    if at >= prog.funs.len() {
        return Edited::End;
    }
    let mut refer = Refer { fun: Some(FunId::from_index(at)), constant: None, found: false };
    let funs = std::mem::take(&mut prog.funs);
    for (id, fun) in funs.iter() {
        if id.index() != at {
            prog.funs.push(fun.clone());
        }
    }
    prog.entries.retain(|entry| entry.fun.index() != at);
    for entry in &mut prog.entries {
        if entry.fun.index() > at {
            entry.fun = FunId::from_index(entry.fun.index() - 1);
        }
    }
    refer.prog(prog);
    if refer.found { Edited::No } else { Edited::Yes }
}

/// Removes a constant that nobody uses.
fn remove_const(prog: &mut Prog, at: usize) -> Edited {
    if at >= prog.consts.len() {
        return Edited::End;
    }
    let mut refer = Refer { fun: None, constant: Some(ConstId::from_index(at)), found: false };
    let consts = std::mem::take(&mut prog.consts);
    for (id, item) in consts.iter() {
        if id.index() != at {
            prog.consts.push(item.clone());
        }
    }
    refer.prog(prog);
    if refer.found { Edited::No } else { Edited::Yes }
}

/// Looks for references to something that is gone, and renumbers those behind it.
struct Refer {
    fun: Option<FunId>,
    constant: Option<ConstId>,
    found: bool,
}

impl Refer {
    fn prog(&mut self, prog: &mut Prog) {
        prog.for_each_body(|_, _, body| self.body(body));
    }
}

impl VisitMut for Refer {
    fn exp(&mut self, exp: &mut Exp) {
        match exp {
            Exp::Call(id, _) => {
                if let Some(gone) = self.fun {
                    self.found |= *id == gone;
                    if *id > gone {
                        *id = FunId::from_index(id.index() - 1);
                    }
                }
            }
            Exp::Const(id) => {
                if let Some(gone) = self.constant {
                    self.found |= *id == gone;
                    if *id > gone {
                        *id = ConstId::from_index(id.index() - 1);
                    }
                }
            }
            _ => {}
        }
        walk_exp_mut(self, exp);
    }
}

/// The function and the place among something that its functions have some of.
fn place(prog: &Prog, at: usize, count: impl Fn(&fehu_ir::Fun) -> usize) -> Option<(FunId, usize)> {
    let mut left = at;
    for (id, fun) in prog.funs.iter() {
        if left < count(fun) {
            return Some((id, left));
        }
        left -= count(fun);
    }
    None
}

/// Removes a result of a function. Calls of it do not fit any more, and the verifier says so.
fn remove_result(prog: &mut Prog, at: usize) -> Edited {
    let Some((id, which)) = place(prog, at, |fun| fun.results.len()) else { return Edited::End };
    let fun = &mut prog.funs[id];
    if which >= fun.body.results.len() {
        return Edited::No;
    }
    let total = fun.results.len();
    fun.results.remove(which);
    fun.body.results.remove(which);
    for entry in prog.entries.iter_mut().filter(|entry| entry.fun == id) {
        let mut parts = match &entry.result {
            External::Transparent(ty, _) => vec![ty.clone()],
            External::Opaque(opaque, _) => opaque.parts.clone(),
        };
        // Sizes come first, and are not parts.
        let sizes = total.saturating_sub(parts.len());
        if which >= sizes {
            parts.remove(which - sizes);
        }
        let opaque = OpaqueType::plain("results", parts);
        entry.result = External::Opaque(opaque, false);
    }
    Edited::Yes
}

/// Removes a parameter; zero stands for a scalar.
fn remove_param(prog: &mut Prog, at: usize) -> Edited {
    replace_param(prog, at, 0)
}

/// The same with one: a size, perhaps.
fn small_param(prog: &mut Prog, at: usize) -> Edited {
    replace_param(prog, at, 1)
}

fn replace_param(prog: &mut Prog, at: usize, bits: u64) -> Edited {
    let Some((id, which)) = place(prog, at, |fun| fun.params.len()) else { return Edited::End };
    let fun = &mut prog.funs[id];
    let total = fun.params.len();
    let var = fun.params.remove(which).var;
    let mut subst = Subst::default();
    if let Type::Scalar(elem) = fun.vars[var].ty {
        let value = match elem {
            Elem::Prim(prim) => Scalar::from_bits(prim, bits),
            Elem::Unit => Scalar::Unit,
        };
        subst.insert(var, Atom::Const(value));
    }
    for info in fun.vars.values_mut() {
        subst_type(&mut info.ty, &subst);
    }
    subst_body(&mut fun.body, &mut fun.vars, &subst);
    for entry in prog.entries.iter_mut().filter(|entry| entry.fun == id) {
        let parts: usize = entry.params.iter().map(|(_, external)| count_parts(external)).sum();
        let mut left = which as isize - total.saturating_sub(parts) as isize;
        if left >= 0 {
            let mut gone = None;
            for (index, (_, external)) in entry.params.iter().enumerate() {
                if left == 0 && matches!(external, External::Transparent(..)) {
                    gone = Some(index);
                }
                left -= count_parts(external) as isize;
            }
            let Some(gone) = gone else { return Edited::No };
            entry.params.remove(gone);
        }
        let results = std::iter::once(&mut entry.result);
        for external in entry.params.iter_mut().map(|(_, external)| external).chain(results) {
            external.for_each_type_mut(&mut |ty| subst_type(ty, &subst));
        }
    }
    Edited::Yes
}

fn count_parts(external: &External) -> usize {
    match external {
        External::Transparent(..) => 1,
        External::Opaque(opaque, _) => opaque.parts.len(),
    }
}
