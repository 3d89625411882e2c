//! Whether foreign functions have an interface that other languages can have.

use super::{Owner, VerifyError};
use crate::{Atom, Elem, Foreign, Fun, Prog, Symbol, Type, Var};
use fehu_base::id::Id;
use fehu_base::platform::is_identifier;

/// Checks all functions of a program.
pub(super) fn check(prog: &Prog, errors: &mut Vec<VerifyError>) {
    for (id, fun) in prog.funs.iter() {
        let Some(foreign) = &fun.foreign else { continue };
        if let Some(message) = wrong(fun, foreign) {
            let (owner, name) = (Owner::Fun(id), fun.name.to_string());
            errors.push(VerifyError { owner, name, stm: None, text: None, message });
        }
    }
}

fn wrong(fun: &Fun, foreign: &Foreign) -> Option<String> {
    if foreign.symbols.is_empty() {
        return Some("a foreign function has no symbol".to_owned());
    }
    for list in [&foreign.symbols, &foreign.vectorised] {
        for (index, Symbol { platform, name }) in list.iter().enumerate() {
            if !is_identifier(name) {
                return Some(format!("the symbol \"{name}\" is no identifier"));
            }
            if list[..index].iter().any(|other| other.platform == *platform) {
                return Some(format!("there are two symbols for \"{}\"", platform.name()));
            }
        }
    }
    if fun.results.is_empty() {
        return Some("a foreign function has no result".to_owned());
    }
    let params: Vec<Var> = fun.params.iter().map(|param| param.var).collect();
    let all = params.iter().chain(&fun.results).copied();
    for var in all {
        let ty = fun.vars.get(var).map(|info| &info.ty);
        if !matches!(ty.and_then(Type::elem), Some(Elem::Prim(_))) {
            return Some(format!("variable {} of a foreign function has no contents", var.index()));
        }
    }
    // The caller allocates them.
    let is_known = |size: &Atom| match size {
        Atom::Const(_) => true,
        Atom::Var(size) => params.contains(size),
    };
    let mut sizes = fun.results.iter().flat_map(|result| fun.vars[*result].ty.shape());
    match sizes.all(is_known) {
        true => None,
        false => Some("the size of a result of a foreign function is no parameter".to_owned()),
    }
}
