//! What is known while an operator is flattened: the levels of maps around the current statement, and where the
//! variables of these levels come from.
//!
//! A variable that is bound inside the operator has a [`Home`]: it is an element or row of an input of its level,
//! something cheap that every nest recomputes, or an element of an array of the host that an earlier nest has computed.
//! All other variables belong to the host, or are bound in the current sequential code.

use crate::aliases::Aliases;
use crate::product::Products;
use fehu_base::IdVec;
use fehu_facts::{Effects, Share};
use fehu_ir::builder::Builder;
use fehu_ir::pass::{RemarkKind, Remarks};
use fehu_ir::{Atom, Exp, FunId, Loc, Prog, Stm, Type, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// A map around the statements at hand.
pub(crate) struct Level {
    /// The number of its positions, known to the host.
    pub(crate) width: Atom,
    pub(crate) certs: Vec<Var>,
    pub(crate) loc: Option<Loc>,
    /// The statements of its function that every nest repeats.
    pub(crate) defs: Vec<Stm>,
}

/// Where a variable of a level is to be found. The numbers are those of levels, from the outermost.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Home {
    /// An element of this array, which is one of the host or of the level around.
    Param(usize, Var),
    /// The result of this one of the level's definitions.
    Def(usize, usize),
    /// Each level's value is in this array of the host, whose outer dimensions are those of the levels up to this one.
    Stored(usize, Var),
    /// A check that an earlier nest has made.
    Passed,
}

/// The state of the pass for one function or constant.
pub(crate) struct Cx<'a> {
    pub(crate) prog: &'a Prog,
    pub(crate) remarks: &'a mut Remarks,
    pub(crate) effects: &'a Effects,
    pub(crate) vars: &'a mut IdVec<Var, VarInfo>,
    pub(crate) share: Share,
    /// The statements of the host made so far.
    pub(crate) out: Vec<Stm>,
    pub(crate) levels: Vec<Level>,
    pub(crate) homes: FxHashMap<Var, Home>,
    /// The homes that variables had before, in the order of their moves.
    pub(crate) moved: Vec<(Var, Option<Home>)>,
    /// What is bound inside operators, and not (yet) by the host.
    pub(crate) local: FxHashSet<Var>,
    /// The classes of memory that the operator at hand changes.
    pub(crate) consumed: FxHashSet<usize>,
    /// The arrays of the host that were made.
    pub(crate) aliases: Aliases,
    /// New variables that take the names of old ones in the end.
    pub(crate) renames: FxHashMap<Var, Var>,
    /// The part of the names of thresholds before the point, and how many there are.
    pub(crate) name: ecow::EcoString,
    pub(crate) thresholds: usize,
    /// Whether products have tiles in the nest at hand.
    pub(crate) products: Products,
    /// Arrays whose elements are all the same, and what they are.
    pub(crate) equal: FxHashMap<Var, Atom>,
    /// How many levels are known to have positions, and whether that was made use of.
    pub(crate) nonempty: usize,
    pub(crate) assumed: bool,
    /// The functions that no kernel can contain.
    pub(crate) hosted: &'a FxHashSet<FunId>,
}

impl Cx<'_> {
    /// Whether the host knows an operand.
    pub(crate) fn is_host(&self, atom: Atom) -> bool {
        atom.var().is_none_or(|var| !self.local.contains(&var))
    }

    /// Whether the sizes of a type are the same everywhere in the levels.
    pub(crate) fn is_regular(&self, ty: &Type) -> bool {
        ty.shape().iter().all(|size| self.is_host(*size))
    }

    /// Whether all results of a statement have such sizes.
    pub(crate) fn binds_regular(&self, stm: &Stm) -> bool {
        stm.pat.iter().all(|var| self.is_regular(&self.vars[*var].ty))
    }

    /// The widths of all levels, outermost first.
    pub(crate) fn widths(&self) -> Vec<Atom> {
        self.levels.iter().map(|level| level.width).collect()
    }

    /// A new variable with memory of its own, called like another one.
    pub(crate) fn fresh(&mut self, like: Atom, ty: Type) -> Var {
        let hint = match like {
            Atom::Var(var) => self.vars[var].hint.clone(),
            Atom::Const(_) => "x".into(),
        };
        let var = self.vars.push(VarInfo { hint, ty });
        self.share.join(var, var);
        var
    }

    /// The type of what the levels together have of something.
    pub(crate) fn lifted_type(&self, ty: &Type, depth: usize) -> Type {
        self.levels[..depth].iter().rev().fold(ty.clone(), |ty, level| array_of(&ty, level.width))
    }

    /// Binds a result of an expression at the host.
    pub(crate) fn bind(&mut self, like: Atom, exp: Exp) -> Var {
        let mut builder = Builder::new(self.vars);
        let var = builder.exp("x", exp);
        let stms = builder.finish(Vec::new()).stms;
        if let Atom::Var(like) = like {
            self.vars[var].hint = self.vars[like].hint.clone();
        }
        self.share.join(var, var);
        self.out.extend(stms);
        var
    }

    /// Gives a variable a home.
    pub(crate) fn move_to(&mut self, var: Var, home: Home) {
        let before = self.homes.insert(var, home);
        self.moved.push((var, before));
    }

    /// The statements of the host that some work makes, for a body inside. What variables have moved to in it is not
    /// there outside.
    pub(crate) fn inside<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (Vec<Stm>, T) {
        let before = std::mem::take(&mut self.out);
        let mark = self.moved.len();
        let result = work(self);
        for (var, home) in self.moved.drain(mark..).rev() {
            match home {
                Some(home) => self.homes.insert(var, home),
                None => self.homes.remove(&var),
            };
        }
        (std::mem::replace(&mut self.out, before), result)
    }

    /// Notes that a variable of the innermost level is in an array of the host.
    pub(crate) fn store(&mut self, var: Var, array: Var) {
        let Some(level) = self.levels.len().checked_sub(1) else { return };
        self.local.insert(var);
        self.move_to(var, Home::Stored(level, array));
        if self.vars[var].ty.is_array() && !self.share.is_fixed(var) {
            self.aliases.change(array, &self.share);
        }
    }

    /// Tells people about a decision.
    pub(crate) fn remark(&mut self, kind: RemarkKind, loc: Option<&Loc>, text: &str) {
        self.remarks.add(crate::FLATTEN.name, kind, loc, None, text);
    }

    /// Notes that an array of the host may share memory with another one.
    pub(crate) fn alias(&mut self, array: Var, with: Var) {
        self.aliases.join(array, with, &self.share);
    }

    /// Whether the operator at hand changes memory that an array may have.
    pub(crate) fn is_consumed(&self, array: Var) -> bool {
        self.share.class(array).is_none_or(|class| self.consumed.contains(&class))
    }
}

/// An array of things of this type; accumulators are one for all positions.
pub(crate) fn array_of(ty: &Type, width: Atom) -> Type {
    ty.array_of(width).unwrap_or_else(|| ty.clone())
}
