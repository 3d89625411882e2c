//! The expressions that sizes as code refer to ([`crate::ty::Code`]), for whoever evaluates them.

use crate::walk::{Visitor, walk_exp, walk_val};
use fehu_syntax::ast::{Dec, DecKind, Exp, ExpKind, File, ModExp, ModExpKind, NodeId};
use rustc_hash::FxHashMap;

/// The expressions of a file that can be code: those that bind names.
pub fn of_file(file: &File) -> FxHashMap<NodeId, &Exp> {
    let mut codes = Codes(FxHashMap::default());
    file.decs.iter().for_each(|dec| codes.dec(dec));
    codes.0
}

struct Codes<'a>(FxHashMap<NodeId, &'a Exp>);

impl<'a> Codes<'a> {
    fn dec(&mut self, dec: &'a Dec) {
        match &dec.kind {
            DecKind::Val(bind) => walk_val(self, bind),
            DecKind::Local(inner) => self.dec(inner),
            DecKind::Module(bind) => self.module(&bind.body),
            DecKind::Open(module) => self.module(module),
            DecKind::Type(_) | DecKind::ModuleType(_) | DecKind::Import(..) | DecKind::Error => {}
        }
    }

    fn module(&mut self, module: &'a ModExp) {
        match &module.kind {
            ModExpKind::Decs(decs) => decs.iter().for_each(|dec| self.dec(dec)),
            ModExpKind::Paren(inner)
            | ModExpKind::Ascribe(inner, _)
            | ModExpKind::Lambda(_, _, inner) => self.module(inner),
            ModExpKind::Apply(function, arg) => {
                self.module(function);
                self.module(arg);
            }
            ModExpKind::Name(_) | ModExpKind::Import(..) | ModExpKind::Error => {}
        }
    }
}

impl<'a> Visitor<'a> for Codes<'a> {
    fn exp(&mut self, exp: &'a Exp) {
        if let ExpKind::Let(..) | ExpKind::Lambda(_) | ExpKind::Loop(_) | ExpKind::Match(..) =
            &exp.kind
        {
            self.0.insert(exp.id, exp);
        }
        walk_exp(self, exp);
    }
}
