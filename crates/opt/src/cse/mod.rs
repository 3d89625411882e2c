//! Equal expressions are computed once.
//!
//! ```text
//! let (a: i32) = add x y                 let (a: i32) = add x y
//! let (b: i32) = add y x            =>   let (c: i32) = mul a a
//! let (c: i32) = mul a b
//! ```
//!
//! A statement is removed if an earlier one, of the same body or one around it, has an equal key (`key`):
//! operations on scalars and arrays, branches, loops and array operators alike. What used its results uses those of
//! the earlier one. One traversal, with a table of what is in scope. Bodies are done before the statement that
//! they are part of, and a statement with more than [`LARGEST`] statements inside has no key, so that every
//! statement is looked at a bounded number of times.
//!
//! * **Values.** Variables do not change, so an equal expression has an equal value, wherever it stands.
//! * **Errors.** An expression that can fail fails the first time. An equal check is merged: the earlier
//!   certificate stands for both, and its message is the one shown. Certificates of merged statements need no
//!   care: those of the earlier one have been checked.
//! * **Memory.** Arrays that an expression makes are merged only if [`Share`] says that neither is ever
//!   updated or returned: of `let a = iota 10` and `let b = iota 10` one may be updated later. Views of an array, and
//!   references to a constant, share memory anyway.
//! * **As often as written.** Nothing that prints or is opaque is merged ([`Prints`]), nothing that consumes or
//!   involves an accumulator, and no uninitialised array.
//! * **Attributes.** A statement with attributes is merged only into one with the same attributes.

mod key;

use fehu_base::IdVec;
use fehu_facts::{Prints, Share};
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::subst::{Subst, subst_atom};
use fehu_ir::visit::{VisitMut, walk_exp_mut, walk_stm_mut, walk_type_mut};
use fehu_ir::{Atom, Attr, Body, Exp, Prog, Scalar, Seg, Stm, Type, Var, VarInfo};
use key::{Key, Numbers};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Merges equal expressions.
pub const CSE: Pass = Pass { name: "cse", about: "eliminates common subexpressions", run };

/// The most statements inside one that is compared with others.
const LARGEST: usize = 200;

fn run(prog: &mut Prog, _: &mut Remarks) {
    let prints = Prints::of(prog);
    prog.for_each_body(|prog, vars, body| {
        let share = Share::of(prog, body, vars);
        Cse::new(&prints, vars, share).body(body);
    });
}

/// A statement that later ones are compared with.
struct Entry {
    key: Key,
    pat: Vec<Var>,
    attrs: Vec<Attr>,
}

struct Cse<'a> {
    prints: &'a Prints,
    vars: &'a mut IdVec<Var, VarInfo>,
    share: Share,
    /// What stands for the variables of removed statements.
    merged: Subst,
    /// What copies are copies of; for keys only.
    copies: Subst,
    numbers: Numbers,
    entries: Vec<Entry>,
    /// The entries by the hash of their keys.
    table: FxHashMap<u64, SmallVec<[u32; 2]>>,
    /// The hashes of the entries, in order.
    trail: Vec<u64>,
    /// Of the statement that is being looked at: the statements inside it, and whether one of them must be
    /// evaluated as often as it is written.
    inside: usize,
    prints_inside: bool,
    /// The operators at the end of the body that comes next: a Seg keeps its own.
    operators: usize,
}

impl<'a> Cse<'a> {
    fn new(prints: &'a Prints, vars: &'a mut IdVec<Var, VarInfo>, share: Share) -> Cse<'a> {
        Cse {
            prints,
            vars,
            share,
            merged: Subst::default(),
            copies: Subst::default(),
            numbers: Numbers::default(),
            entries: Vec::new(),
            table: FxHashMap::default(),
            trail: Vec::new(),
            inside: 0,
            prints_inside: false,
            operators: 0,
        }
    }

    /// Whether the statement stays, which it must do as the operator of a Seg.
    fn look(&mut self, stm: &mut Stm, is_operator: bool) -> bool {
        let (inside, prints) = (self.inside, self.prints_inside);
        (self.inside, self.prints_inside) = (0, false);
        self.stm(stm);
        self.prints_inside |= self.prints.shallow(&stm.exp);
        let known = self.inside <= LARGEST && !self.prints_inside && self.mergeable(stm);
        self.inside += inside + 1;
        self.prints_inside |= prints;
        if let (Exp::Atom(atom), [var]) = (&stm.exp, stm.pat.as_slice()) {
            let original = subst_atom(*atom, &self.copies);
            self.copies.insert(*var, original);
        }
        is_operator || !(known && self.merge(stm))
    }

    /// Whether an expression may be evaluated once instead of twice.
    fn mergeable(&self, stm: &Stm) -> bool {
        let fresh = match &stm.exp {
            Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Tuning(..)
            | Exp::Threads => return true,
            Exp::Assert(cond, _) => return matches!(cond, Atom::Var(_)),
            Exp::Index(..)
            | Exp::FlatIndex(..)
            | Exp::Reshape(..)
            | Exp::Rearrange(..)
            | Exp::Const(_) => false,
            Exp::Array(..)
            | Exp::Concat(..)
            | Exp::Iota(..)
            | Exp::Replicate(..)
            | Exp::Copy(_)
            | Exp::Manifest(_)
            | Exp::If(..)
            | Exp::Switch(..)
            | Exp::Loop(..)
            | Exp::Call(..)
            | Exp::Screma(_)
            | Exp::Stream(_)
            | Exp::Partition(_)
            | Exp::Flatmap(_)
            | Exp::Diff(_) => true,
            Exp::Atom(_)
            | Exp::Update(..)
            | Exp::FlatUpdate(..)
            | Exp::Scratch(..)
            | Exp::Hist(_)
            | Exp::Scatter(_)
            | Exp::Seg(_)
            | Exp::WithAcc(..)
            | Exp::UpdateAcc(..)
            | Exp::Notice(..)
            | Exp::Trace(..)
            | Exp::Opaque(_)
            | Exp::Fail(_) => return false,
        };
        stm.pat.iter().all(|var| match &self.vars[*var].ty {
            Type::Scalar(_) => true,
            Type::Array(..) => !fresh || self.share.is_fixed(*var),
            Type::Acc(_) => false,
        })
    }

    /// Looks for an equal statement, or notes this one.
    fn merge(&mut self, stm: &Stm) -> bool {
        let (hash, key) = key::key(stm, self.vars, &self.copies, &mut self.numbers);
        let found = self.table.get(&hash).and_then(|candidates| {
            candidates.iter().rev().find(|index| {
                let entry = &self.entries[**index as usize];
                entry.key == key && entry.attrs == stm.attrs
            })
        });
        if let Some(index) = found {
            let entry = &self.entries[*index as usize];
            for (new, old) in stm.pat.iter().zip(&entry.pat) {
                self.merged.insert(*new, Atom::Var(*old));
                if !matches!(self.vars[*new].ty, Type::Scalar(_)) {
                    self.share.join(*new, *old);
                }
            }
            return true;
        }
        let index = self.entries.len() as u32;
        let (pat, attrs) = (stm.pat.clone(), stm.attrs.clone());
        self.entries.push(Entry { key, pat, attrs });
        self.table.entry(hash).or_default().push(index);
        self.trail.push(hash);
        false
    }
}

impl VisitMut for Cse<'_> {
    fn use_var(&mut self, var: &mut Var) {
        if let Some(Atom::Var(new)) = self.merged.get(var) {
            *var = *new;
        }
    }

    fn use_atom(&mut self, atom: &mut Atom) {
        *atom = subst_atom(*atom, &self.merged);
    }

    fn bind(&mut self, var: &mut Var) {
        let mut ty = std::mem::replace(&mut self.vars[*var].ty, Type::Scalar(Scalar::Unit.elem()));
        walk_type_mut(self, &mut ty);
        self.vars[*var].ty = ty;
    }

    fn stm(&mut self, stm: &mut Stm) {
        walk_stm_mut(self, stm);
        // Two of them may have become one.
        let mut index = 0;
        while index < stm.certs.len() {
            if stm.certs[..index].contains(&stm.certs[index]) {
                stm.certs.remove(index);
            } else {
                index += 1;
            }
        }
    }

    fn exp(&mut self, exp: &mut Exp) {
        if let Exp::Seg(seg) = exp {
            self.operators = Seg::operators(&seg.body.body);
        }
        walk_exp_mut(self, exp);
    }

    fn body(&mut self, body: &mut Body) {
        let start = self.trail.len();
        let mut stms = std::mem::take(&mut body.stms);
        let others = stms.len() - std::mem::take(&mut self.operators);
        let mut number = 0;
        stms.retain_mut(|stm| {
            number += 1;
            self.look(stm, number > others)
        });
        body.stms = stms;
        for atom in &mut body.results {
            self.use_atom(atom);
        }
        // What was found here is not in scope any more.
        for hash in self.trail.drain(start..) {
            self.entries.pop();
            if let Some(candidates) = self.table.get_mut(&hash) {
                candidates.pop();
            }
        }
    }
}
