//! `merge`: in the functions of operators, arrays that do not live at the same time have one block.
//!
//! ```text
//! map (\i ->
//!   let a = map ...                 a: fresh m0, n elements
//!   let s = reduce ... a
//!   let b = map ...                 b: fresh m1, n elements       ==>     b: m0
//!   let t = reduce ... b
//!   in s + t)
//! ```
//!
//! Threads cannot allocate: their memory is reserved before they start, a part for each of them (`fehu-device`), or
//! each thread of a CPU keeps the blocks of its last position for the next. So what counts is the sum of all blocks of
//! a function, whenever they are used. On the host, memory that is released is found again by the next allocation of
//! its size, and nothing is to be done.
//!
//! Two blocks of a body become one if the last use of the first comes before the statement that the second is allocated
//! for, they have elements of one type, and a size for both is known where the first is allocated: that of the larger
//! one if it is known which that is, or else the maximum, which is computed before the outermost operator, where memory
//! is reserved. For that, at most one factor of the sizes may differ, so that nothing can wrap that would not wrap
//! anyway. A use is that of any array that may be this memory ([`crate::roots`]), in a statement or inside of it.
//! Blocks of the body's results are used at its end. Each block takes over the first one that suits it, one of the same
//! size if there is any: intervals are coloured in the order of their starts, which is optimal where all sizes are
//! equal. Small blocks stay, since they are registers.

use crate::arith::{is_at_most, product_of};
use crate::roots::Roots;
use crate::table::{BlockId, Origin, Placed, Table, poly};
use fehu_base::id::Id;
use fehu_base::{IdVec, Prim};
use fehu_facts::poly::Poly;
use fehu_ir::free::{bound_in_stm, free_in_stm};
use fehu_ir::visit::{Visit, VisitMut, walk_body_mut, walk_stm};
use fehu_ir::{Atom, BinOp, Body, Elem, Exp, Item, Stm, Type, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// Merges blocks in all functions of operators of a program.
pub fn merge(placed: &mut Placed) {
    let Placed { prog, funs, consts, chosen: _ } = placed;
    for item in prog.items() {
        let table = match item {
            Item::Const(id) => &mut consts[id],
            Item::Fun(id) => &mut funs[id],
        };
        let (body, vars) = (prog.body(item), prog.vars(item));
        let roots = Roots::new(prog, item, table);
        let mut made: FxHashMap<Var, Vec<BlockId>> = FxHashMap::default();
        for (id, block) in table.blocks.iter() {
            if let Origin::Fresh { before, .. } = &block.origin
                && table.local_size(id).is_none()
            {
                made.entry(*before).or_default().push(id);
            }
        }
        let mut merge = Merge { vars, table, roots, made, outermost: None, maxima: Vec::new() };
        merge.body(body);
        let maxima = merge.maxima;
        if !maxima.is_empty() {
            prog.change(item, |_, vars, body| {
                maxima.iter().for_each(|_| _ = vars.push(VarInfo { hint: "most".into(), ty: I64 }));
                Insert(maxima).body(body);
            });
        }
    }
}

const I64: Type = Type::Scalar(Elem::Prim(Prim::I64));

struct Merge<'a, 't> {
    vars: &'a IdVec<Var, VarInfo>,
    table: &'t mut Table,
    roots: Roots,
    /// The blocks that are allocated before the statement that binds a variable, but for small ones.
    made: FxHashMap<Var, Vec<BlockId>>,
    /// The operator of the host in whose function the body at hand is: the variables that are bound in it, and the
    /// first one that it binds.
    outermost: Option<(FxHashSet<Var>, Option<Var>)>,
    /// Sizes that are the maximum of others, in the order of their variables, which follow those of the function.
    maxima: Vec<Maximum>,
}

/// A size that is computed before the statement that binds a variable.
struct Maximum {
    before: Var,
    var: Var,
    of: [Atom; 2],
}

/// A block of a body.
struct Life {
    block: BlockId,
    /// The statement that it is allocated for.
    start: usize,
    /// The last one that uses it; that after all others if the body's results do.
    end: usize,
}

impl Visit for Merge<'_, '_> {
    fn body(&mut self, body: &Body) {
        if self.outermost.is_some() {
            self.merge(body);
        }
        fehu_ir::visit::walk_body(self, body);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others with bodies are operators")]
    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) => walk_stm(self, stm),
            _ if self.outermost.is_some() => walk_stm(self, stm),
            _ => {
                let bound = bound_in_stm(stm).into_iter().collect();
                self.outermost = Some((bound, stm.pat.first().copied()));
                walk_stm(self, stm);
                self.outermost = None;
            }
        }
    }
}

/// Adds the statements that compute sizes.
struct Insert(Vec<Maximum>);

impl VisitMut for Insert {
    fn body(&mut self, body: &mut Body) {
        let mut index = 0;
        while index < body.stms.len() {
            let first = body.stms[index].pat.first().copied();
            let here = self.0.iter().filter(|size| Some(size.before) == first);
            let new: Vec<Stm> = here
                .map(|Maximum { var, of: [a, b], .. }| {
                    Stm::new(vec![*var], Exp::BinOp(BinOp::Max, *a, *b))
                })
                .collect();
            let count = new.len();
            body.stms.splice(index..index, new);
            index += count + 1;
        }
        walk_body_mut(self, body);
    }
}

impl Merge<'_, '_> {
    /// Merges the blocks of a body.
    fn merge(&mut self, body: &Body) {
        let mut kept: Vec<Life> = Vec::new();
        for life in self.lives(body) {
            let ended = kept.iter().enumerate().filter(|(_, other)| other.end < life.start);
            let mut best: Option<(usize, Vec<Atom>)> = None;
            for (number, other) in ended {
                let Some((size, is_same)) = self.common(body, other, &life) else { continue };
                if is_same || best.is_none() {
                    best = Some((number, size));
                }
                if is_same {
                    break;
                }
            }
            let best = best.or_else(|| {
                let mut ended = (0..kept.len()).filter(|number| kept[*number].end < life.start);
                ended.find_map(|number| Some((number, self.maximum(&kept[number], &life)?)))
            });
            match best {
                Some((number, larger)) => {
                    let other = &mut kept[number];
                    other.end = life.end;
                    self.table.move_all(life.block, other.block);
                    self.roots.merge(life.block, other.block);
                    if let Origin::Fresh { size, .. } = &mut self.table.blocks[other.block].origin {
                        *size = larger;
                    }
                }
                None => kept.push(life),
            }
        }
    }

    /// The blocks that a body allocates, in the order in which it does.
    fn lives(&self, body: &Body) -> Vec<Life> {
        let mut lives = Vec::new();
        for (start, stm) in body.stms.iter().enumerate() {
            let blocks = stm.pat.iter().filter_map(|var| self.made.get(var)).flatten();
            lives.extend(blocks.map(|block| Life { block: *block, start, end: start }));
        }
        if lives.len() < 2 {
            return Vec::new();
        }
        let mut note = |vars: &[Var], index: usize| {
            for var in vars {
                let Some(place) = self.table.place(*var) else { continue };
                for life in &mut lives {
                    if self.roots.may_be_same(place.block, life.block) {
                        life.end = life.end.max(index);
                    }
                }
            }
        };
        for (index, stm) in body.stms.iter().enumerate() {
            note(&free_in_stm(stm, self.vars), index);
            note(&bound_in_stm(stm), index);
        }
        let results: Vec<Var> = body.results.iter().filter_map(|atom| atom.var()).collect();
        note(&results, body.stms.len());
        lives
    }

    /// The size of a block for both, and whether they have the same.
    fn common(&self, body: &Body, first: &Life, second: &Life) -> Option<(Vec<Atom>, bool)> {
        let (a, b) = (&self.table.blocks[first.block], &self.table.blocks[second.block]);
        let (Origin::Fresh { size: one, .. }, Origin::Fresh { size: two, .. }) =
            (&a.origin, &b.origin)
        else {
            return None;
        };
        if a.elem != b.elem {
            return None;
        }
        let (first_size, second_size) = (count(one)?, count(two)?);
        if first_size == second_size {
            return Some((one.clone(), true));
        }
        if is_at_most(&second_size, &first_size) {
            return Some((one.clone(), false));
        }
        let later = body.stms.get(first.start..)?.iter().flat_map(|stm| &stm.pat);
        let later: Vec<Var> = later.copied().collect();
        let is_known = !two.iter().any(|size| size.var().is_some_and(|var| later.contains(&var)));
        (is_known && is_at_most(&first_size, &second_size)).then(|| (two.clone(), false))
    }

    /// The maximum of the sizes of two blocks, if it is known before the outermost operator.
    fn maximum(&mut self, first: &Life, second: &Life) -> Option<Vec<Atom>> {
        let (a, b) = (&self.table.blocks[first.block], &self.table.blocks[second.block]);
        let (Origin::Fresh { size: one, .. }, Origin::Fresh { size: two, .. }) =
            (&a.origin, &b.origin)
        else {
            return None;
        };
        let (bound, before) = self.outermost.as_ref()?;
        let is_bound = |size: &Atom| size.var().is_some_and(|var| bound.contains(&var));
        if a.elem != b.elem || one.iter().chain(two).any(is_bound) {
            return None;
        }
        let (mut rest, mut both) = (two.clone(), Vec::with_capacity(one.len()));
        let mut differs = Vec::new();
        for size in one {
            match rest.iter().position(|other| other == size) {
                Some(at) => both.push(rest.remove(at)),
                None => differs.push(*size),
            }
        }
        let ([one], [two]) = (differs.as_slice(), rest.as_slice()) else { return None };
        let var = Var::from_index(self.vars.len() + self.maxima.len());
        both.push(Atom::Var(var));
        self.maxima.push(Maximum { before: (*before)?, var, of: [*one, *two] });
        Some(both)
    }
}

fn count(size: &[Atom]) -> Option<Poly> {
    let sizes: Vec<Poly> = size.iter().map(|size| poly(*size)).collect();
    product_of(&sizes)
}
