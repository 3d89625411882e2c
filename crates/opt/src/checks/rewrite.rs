//! Removes what was proved.

use super::find::{Found, Proved};
use fehu_base::IdVec;
use fehu_facts::ranges::{Certs, join};
use fehu_ir::visit::{VisitMut, walk_stm_mut};
use fehu_ir::{Atom, BinOp, Body, Exp, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashMap;

/// Removes checks that were proved, and the proved parts of others; branches that are known get constant conditions.
pub(super) fn rewrite(body: &mut Body, vars: &mut IdVec<Var, VarInfo>, found: &Found) {
    if !found.proved.is_empty() || !found.taken.is_empty() {
        Rewrite { vars, found, instead: FxHashMap::default() }.body(body);
    }
}

struct Rewrite<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
    found: &'a Found,
    /// The certificates to rely on instead of those that are gone.
    instead: FxHashMap<Var, Certs>,
}

impl Rewrite<'_> {
    /// Certificates without those that are gone.
    fn certs(&self, certs: &[Var]) -> Certs {
        let mut all = Certs::new();
        for cert in certs {
            match self.instead.get(cert) {
                Some(others) => join(&mut all, others),
                None => join(&mut all, &[*cert]),
            }
        }
        all
    }
}

impl VisitMut for Rewrite<'_> {
    fn body(&mut self, body: &mut Body) {
        let mut stms = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            walk_stm_mut(self, &mut stm);
            stm.certs = self.certs(&stm.certs).to_vec();
            if let (Exp::If(cond, _), [first, ..]) = (&mut stm.exp, stm.pat.as_slice())
                && let Some((truth, certs)) = self.found.taken.get(first)
            {
                *cond = Atom::bool(*truth);
                let mut all = self.certs(certs);
                join(&mut all, &stm.certs);
                stm.certs = all.to_vec();
            }
            let proved = match (&stm.exp, stm.pat.as_slice()) {
                (Exp::Assert(..), [cert]) => self.found.proved.get(cert).map(|p| (*cert, p)),
                _ => None,
            };
            let Some((cert, Proved { rest, certs })) = proved else {
                stms.push(stm);
                continue;
            };
            let mut certs = self.certs(certs);
            join(&mut certs, &stm.certs);
            match rest.split_first() {
                None => {
                    // The variable stays, for those who name it otherwise than as a certificate.
                    self.instead.insert(cert, certs);
                    stm.exp = Exp::Atom(Atom::Const(fehu_ir::Scalar::Unit));
                    stm.certs.clear();
                }
                Some((first, others)) => {
                    let mut cond = *first;
                    for other in others {
                        let hint = "c".into();
                        let var = self.vars.push(VarInfo { hint, ty: Type::BOOL });
                        let exp = Exp::BinOp(BinOp::And, cond, *other);
                        stms.push(Stm::new(vec![var], exp));
                        cond = Atom::Var(var);
                    }
                    if let Exp::Assert(tested, _) = &mut stm.exp {
                        *tested = cond;
                    }
                    stm.certs = certs.to_vec();
                }
            }
            stms.push(stm);
        }
        body.stms = stms;
    }
}
