//! `assign`: gives every array of a program a place, in a simple way.
//!
//! Everything that creates an array gets a block of its own and fills it in row-major order, or in the order that was
//! chosen for it ([`crate::layout`]). Slices, rows, transpositions and reshapes are views in the block of their operand,
//! and updates happen where the array is. This is correct, but far from optimal: later steps improve the table.
//!
//! Arrays that cross a boundary at run time (parameters and results of functions, results of branches, parameters of
//! loops) are contiguous in the order of the variable: a view that is not is copied first, by a `manifest` that is
//! added to the program, or handed on as it is, with its strides (`joins`). Such an array *carries* its block with it.
//! Small arrays of constant size, however, are not carried through branches and loops: the result has a block of its
//! own, and elements are copied into it, so that it can live in registers. An array that a loop updates in place stays
//! where its initial value is.
//!
//! ```text
//! let ys = map f xs                    ys: fresh, 0 + {(n : 1)}
//! let t = rearrange (1, 0) a           t: where a is, 0 + {(m : 1), (n : m)}
//! let r = if c then {t} else {b}       the first branch gets `let t' = manifest t`, unless r is only read; r carries its block
//! ```
//!
//! Files: `calls` says what functions return, `computed` finds arrays that need no memory at all, `views` has single
//! arrays, `control` branches, loops and calls, `joins` what branches and loops hand on with strides of its own,
//! `returns` what functions do, `uses` whether that pays, `operators` map, reduce and other array operators, `segs`
//! operators with a space around them.

mod calls;
mod computed;
mod control;
mod joins;
mod operators;
mod returns;
mod segs;
mod uses;
mod views;

pub(crate) use calls::calls_itself;

use crate::early::early;
use crate::late::late;
use crate::layout::{self, Layouts, Orders};
use crate::lmad::Lmad;
use crate::table::{self, Block, BlockId, Origin, Place, Placed, Table, contents};
use ecow::EcoString;
use fehu_base::{IdVec, OrBug, Prim, bug};
use fehu_facts::poly::Poly;
use fehu_facts::{Effects, Share};
use fehu_ir::{Atom, Body, Exp, Fun, Item, Prog, Stm, Type, Var, VarInfo};
use joins::strides_of;
use returns::Returns;
use rustc_hash::FxHashMap;
use uses::Uses;

/// What cannot be described: index arithmetic with more terms or factors than we can handle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooComplex {
    /// The name of the array, or something like it.
    pub array: EcoString,
}

/// Places all arrays of a program in row-major order.
pub fn assign(prog: Prog) -> Result<Placed, TooComplex> {
    assign_in(prog, Layouts::RowMajor)
}

/// Places all arrays of a program in orders that are chosen like this.
pub fn assign_in(mut prog: Prog, layouts: Layouts) -> Result<Placed, TooComplex> {
    let mut tables: FxHashMap<Item, Table> = FxHashMap::default();
    let mut chosen = Vec::new();
    let effects = Effects::of(&prog);
    for item in calls::callees_first(&prog) {
        let returns = match layouts {
            Layouts::RowMajor => Returns::of(&prog, item),
            Layouts::Coalesced | Layouts::Any(_) => Returns::Copies,
        };
        let table = prog.change(item, |prog, vars, body| {
            // Remains valid when statements move.
            let share = Share::of(prog, body, vars);
            early(prog, &effects, body, vars, &share);
            late(prog, body, vars, &share);
            let params = prog.params(item);
            let (orders, found) = layout::choose(layouts, &params, body, vars);
            chosen.extend(found.into_iter().map(|chosen| (item, chosen)));
            Assign::function(prog, vars, &params, body, (layouts, orders, returns), &tables)
        })?;
        if let Item::Fun(id) = item {
            declare_strides(&mut prog.funs[id]);
        }
        tables.insert(item, table);
        let returned = calls::returned_in_place(&prog, item, &tables);
        if let Some(table) = tables.get_mut(&item) {
            table.returned = returned;
        }
    }
    chosen.sort_by_key(|(item, _)| *item);
    let (mut funs, mut consts) = (IdVec::default(), IdVec::default());
    for item in prog.items() {
        let table = tables.remove(&item).or_bug("a table for each function");
        match item {
            Item::Const(_) => _ = consts.push(table),
            Item::Fun(_) => _ = funs.push(table),
        }
    }
    Ok(Placed { prog, funs, consts, chosen })
}

/// Results that are strides of others are declared.
fn declare_strides(fun: &mut Fun) {
    while fun.results.len() < fun.body.results.len() {
        let ty = Type::prim(Prim::I64);
        fun.results.push(fun.vars.push(VarInfo { hint: "stride".into(), ty }));
    }
}

/// The work on one function.
struct Assign<'a> {
    /// The program, which says what calls consume.
    prog: &'a Prog,
    /// The tables of functions that are called.
    tables: &'a FxHashMap<Item, Table>,
    vars: &'a mut IdVec<Var, VarInfo>,
    table: Table,
    /// The statements of the current body.
    out: Vec<Stm>,
    /// What follows the statement that is being looked at.
    later: Vec<Stm>,
    /// How the function returns arrays.
    returns: Returns,
    /// The blocks that a carried block may be, other than itself.
    roots: FxHashMap<BlockId, Vec<BlockId>>,
    /// Whether the code is that of a host that has kernels: what these read must be known before, so that arrays are in
    /// the orders that were chosen, or copied.
    beside_kernels: bool,
    /// Whether there are kernels at all.
    has_kernels: bool,
    /// What is done with arrays.
    uses: Uses,
    /// How often bodies of loops were given places once more.
    attempts: usize,
    /// Where arrays are to be made that would otherwise get blocks of their own.
    destined: FxHashMap<Var, Place>,
    failed: Option<TooComplex>,
}

impl<'a> Assign<'a> {
    fn function(
        prog: &'a Prog,
        vars: &'a mut IdVec<Var, VarInfo>,
        params: &[Var],
        body: &mut Body,
        (layouts, orders, returns): (Layouts, Orders, Returns),
        tables: &'a FxHashMap<Item, Table>,
    ) -> Result<Table, TooComplex> {
        let mut table = Table::default();
        table.orders = orders;
        table.computed = computed::computed(body, vars);
        let out = Vec::new();
        let roots = FxHashMap::default();
        let destined = FxHashMap::default();
        let beside_kernels = layouts != Layouts::RowMajor;
        let mut this = Assign {
            prog,
            tables,
            uses: Uses::of(body, vars, returns),
            attempts: 0,
            has_kernels: beside_kernels,
            vars,
            table,
            out,
            later: Vec::new(),
            returns,
            roots,
            beside_kernels,
            destined,
            failed: None,
        };
        for param in params {
            this.carried(*param);
        }
        this.body(body, |this, body| this.leave(params, body));
        match this.failed {
            Some(failed) => Err(failed),
            None => Ok(this.table),
        }
    }

    /// Places everything in a body. At its end, `finish` may add statements and change the results.
    fn body(&mut self, body: &mut Body, finish: impl FnOnce(&mut Self, &mut Body)) {
        let outer = std::mem::take(&mut self.out);
        for mut stm in std::mem::take(&mut body.stms) {
            self.stm(&mut stm);
            self.out.push(stm);
            self.out.append(&mut self.later);
        }
        finish(self, body);
        body.stms = std::mem::replace(&mut self.out, outer);
    }

    /// Adds statements to the end of a body whose arrays have places.
    fn after(&mut self, body: &mut Body, finish: impl FnOnce(&mut Self, &mut Body)) {
        let outer = std::mem::replace(&mut self.out, std::mem::take(&mut body.stms));
        finish(self, body);
        body.stms = std::mem::replace(&mut self.out, outer);
    }

    /// A body whose results stay where they are.
    fn plain_body(&mut self, body: &mut Body) {
        self.body(body, |_, _| {});
    }

    fn stm(&mut self, stm: &mut Stm) {
        let pat = stm.pat.clone();
        match &mut stm.exp {
            Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) | Exp::Call(..) => {
                self.control(stm);
            }
            Exp::Screma(_)
            | Exp::Hist(_)
            | Exp::Scatter(_)
            | Exp::Partition(_)
            | Exp::WithAcc(..)
            | Exp::UpdateAcc(..) => self.operator(&pat, &mut stm.exp),
            Exp::Seg(seg) => self.seg(&pat, seg),
            Exp::Stream(_) => bug("streams are eliminated before memory is assigned"),
            Exp::Diff(_) => bug("derivatives are taken before memory is assigned"),
            Exp::Flatmap(_) => bug("flatmaps are written out before memory is assigned"),
            Exp::Notice(..) => {
                bug("only programs that are interpreted tell a session what they do")
            }
            Exp::Const(_) | Exp::Fail(_) => pat.iter().for_each(|var| self.carried(*var)),
            Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Assert(..)
            | Exp::Tuning(..)
            | Exp::Threads => {} // Scalars need no memory.
            Exp::Atom(_)
            | Exp::Opaque(_)
            | Exp::Trace(..)
            | Exp::Update(..)
            | Exp::FlatUpdate(..)
            | Exp::Index(..)
            | Exp::FlatIndex(..)
            | Exp::Rearrange(..)
            | Exp::Reshape(..)
            | Exp::Array(..)
            | Exp::Concat(..)
            | Exp::Iota(..)
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Copy(_)
            | Exp::Manifest(_) => {
                if let [var] = pat.as_slice()
                    && !self.table.computed.contains_key(var)
                {
                    self.single(*var, &mut stm.exp);
                }
            }
        }
    }

    /// A block of its own for an array, allocated before the statement that binds `before`.
    fn fresh(&mut self, var: Var, before: Var) {
        let Type::Array(_, shape) = &self.vars[var].ty else { return };
        let shape = shape.clone();
        self.fresh_of(var, before, &shape);
    }

    /// The same, if sizes in the variable's type are not known there, but these are.
    fn fresh_of(&mut self, var: Var, before: Var, shape: &[Atom]) {
        let Some(elem) = contents(&self.vars[var].ty) else { return };
        if let Some(place) = self.destined.remove(&var) {
            return self.table.set(var, place);
        }
        if self.table.elided.contains(&var) {
            return;
        }
        let origin = Origin::Fresh { before, size: shape.to_vec() };
        let block =
            self.block(Block { elem, origin, hint: self.vars[var].hint.clone(), heap: false });
        let lmad = self.layout(var);
        self.table.set(var, Place { block, lmad });
    }

    /// The array comes with a block.
    fn carried(&mut self, var: Var) {
        let Some(elem) = contents(&self.vars[var].ty) else { return };
        let hint = self.vars[var].hint.clone();
        let block = self.block(Block { elem, origin: Origin::Carried(var), hint, heap: true });
        let lmad = self.layout(var);
        self.table.set(var, Place { block, lmad });
    }

    /// The array is where another one is.
    fn same(&mut self, var: Var, other: Atom) {
        if contents(&self.vars[var].ty).is_none() {
            return;
        }
        if let Some(place) = other.var().and_then(|other| self.table.place(other)).cloned() {
            self.table.set(var, place);
        }
    }

    /// The array is a view of another one.
    fn view(&mut self, var: Var, of: Var, make: impl FnOnce(&Lmad) -> Option<Lmad>) {
        if contents(&self.vars[var].ty).is_none() {
            return;
        }
        let Some(place) = self.table.place(of).cloned() else { return };
        let lmad = make(&place.lmad);
        let lmad = self.known(var, lmad);
        self.table.set(var, Place { block: place.block, lmad });
    }

    fn block(&mut self, block: Block) -> BlockId {
        self.table.blocks.push(block)
    }

    /// All elements of an array one after the other, in its order.
    fn layout(&mut self, var: Var) -> Lmad {
        let shape: Vec<Poly> =
            self.vars[var].ty.shape().iter().map(|size| table::poly(*size)).collect();
        let lmad = match self.table.orders.get(&var) {
            None => Lmad::row_major(&shape),
            Some(order) => Lmad::in_order(&shape, order),
        };
        self.known(var, lmad)
    }

    /// The LMAD, if there is one; otherwise the whole function cannot be described.
    fn known(&mut self, var: Var, lmad: Option<Lmad>) -> Lmad {
        lmad.unwrap_or_else(|| {
            self.failed.get_or_insert(TooComplex { array: self.vars[var].hint.clone() });
            Lmad::point(Poly::default())
        })
    }

    fn new_var(&mut self, hint: &str, ty: Type) -> Var {
        self.vars.push(VarInfo { hint: hint.into(), ty })
    }

    /// The operand, copied if its elements are not contiguous.
    fn contiguous(&mut self, atom: Atom) -> Atom {
        match self.array(atom) {
            Some((var, place)) if !place.lmad.is_contiguous() => self.copied(var, Exp::Manifest),
            _ => atom,
        }
    }

    /// The operand, copied if its elements are not contiguous in the order of a variable.
    fn in_order_of(&mut self, var: Var, atom: Atom) -> Atom {
        match self.array(atom) {
            Some((array, place)) if !self.table.in_order_of(var, &place.lmad) => {
                self.copied_in(array, Exp::Manifest, self.table.orders.get(&var).cloned())
            }
            _ => atom,
        }
    }

    /// A copy of an array in row-major order.
    fn copied(&mut self, var: Var, how: fn(Var) -> Exp) -> Atom {
        self.copied_in(var, how, None)
    }

    /// A copy of an array in an order.
    fn copied_in(&mut self, var: Var, how: fn(Var) -> Exp, order: Option<Vec<usize>>) -> Atom {
        let VarInfo { hint, ty } = self.vars[var].clone();
        let copy = self.new_var(&hint, ty);
        order.into_iter().for_each(|order| _ = self.table.orders.insert(copy, order));
        self.out.push(Stm::new(vec![copy], how(var)));
        self.fresh(copy, copy);
        Atom::Var(copy)
    }

    /// The operand's block leaves the scope in which it was allocated: it must be on the heap.
    fn escapes(&mut self, atom: Atom) {
        if let Some((_, place)) = self.array(atom) {
            self.table.blocks[place.block].heap = true;
        }
    }

    fn array(&self, atom: Atom) -> Option<(Var, Place)> {
        let var = atom.var()?;
        Some((var, self.table.place(var)?.clone()))
    }

    /// The blocks in which an operand may be.
    fn roots_of(&self, atom: Atom) -> Vec<BlockId> {
        let Some((_, place)) = self.array(atom) else { return Vec::new() };
        let mut roots = self.roots.get(&place.block).cloned().unwrap_or_default();
        roots.push(place.block);
        roots
    }

    /// A carried block may be any of these.
    fn add_roots(&mut self, var: Var, more: Vec<BlockId>) {
        let Some(block) = self.table.place(var).map(|place| place.block) else { return };
        let roots = self.roots.entry(block).or_default();
        roots.extend(more);
        roots.sort_unstable();
        roots.dedup();
    }

    /// The results of a repeated body are about to become the values of variables with blocks of their own: none may be
    /// in one of these blocks, unless it is exactly where it must be.
    fn settle(&mut self, results: &mut [Atom], targets: &[Option<Place>]) {
        let blocks: Vec<BlockId> = targets.iter().flatten().map(|place| place.block).collect();
        for (result, target) in results.iter_mut().zip(targets) {
            let Some((var, place)) = self.array(*result) else { continue };
            let in_place = target.as_ref().is_some_and(|target| {
                target.block == place.block
                    && target.lmad.offset == place.lmad.offset
                    && have_same_strides(&target.lmad, &place.lmad)
            });
            if !in_place && self.roots_of(*result).iter().any(|root| blocks.contains(root)) {
                *result = self.copied(var, Exp::Copy);
            }
        }
    }
}

/// Whether two arrays that begin at the same address have their elements at the same addresses.
fn have_same_strides(a: &Lmad, b: &Lmad) -> bool {
    a.is_contiguous() && b.is_contiguous() || strides_of(a) == strides_of(b)
}
