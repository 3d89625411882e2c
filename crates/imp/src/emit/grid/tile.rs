//! Two-dimensional tiles, for nests like a matrix product: a loop for each element of a matrix, in which what is loaded depends on
//! the row or on the column, but not on both.
//!
//! ```text
//! for all i, j:  acc = start; for k: acc = f(acc, a[i, k], b[k, j]); out[i, j] = g(acc)
//! ```
//!
//! A block has a square of rows and columns. It goes through the loop by steps: all threads bring the elements of a step that
//! the square needs to shared memory, each element once, and then each thread takes them from there for its own small square, whose
//! accumulators are in registers. Rows and columns beyond the end are computed as copies of the last ones, and not stored.

use super::super::Emit;
use super::nest::Nest;
use super::{bin, lt, quot_up};
use crate::rewrite::{Vars, all, as_terms, is_unit, replace};
use crate::visit::{each_stm, set_vars};
use crate::{Block, Exp, Kind, Stm, Ty, V};
use fehu_base::Prim;
use fehu_ir::{BinOp, Screma, Var};

/// Threads of a block in each direction.
const ACROSS: u32 = 16;

/// With fewer rows or columns than this, most of a square would be empty.
const LEAST: i64 = 48;

/// An element that the loop loads, by way of shared memory.
struct Input {
    ptr: V,
    index: Exp,
    prim: Prim,
    /// Whether it depends on the row; otherwise on the column.
    by_row: bool,
}

/// The code for one element of the matrix, taken apart.
struct Inner {
    /// The row, the column, the indices before them.
    row: V,
    column: V,
    before: Block,
    /// What is accumulated.
    accs: Vec<(V, Prim)>,
    /// The variable of the loop, its bound and its body.
    k: V,
    trips: Exp,
    body: Block,
    after: Block,
    inputs: Vec<Input>,
}

/// The sizes of squares.
struct Shape {
    /// Rows and columns of a thread.
    own: u32,
    /// Rows and columns of a block.
    side: u32,
    /// Steps of the loop at a time.
    depth: u32,
}

impl<'a> Emit<'a> {
    /// A map of which tiles can be made, as kernels; false if it is something else.
    pub(super) fn tile_on_grid(&mut self, nest: &Nest<'a>, pat: &'a [Var], op: &'a Screma) -> bool {
        if nest.levels.is_empty() {
            return false;
        }
        let mut sizes = Vec::new();
        for size in self.sizes(nest, Some(self.atom(op.width))) {
            sizes.push(self.simple("size", &size));
        }
        let Some((outer, inner)) = self.inner(nest, pat, op, sizes.len()) else { return false };
        let shape = inner.shape();
        let [rows, columns] = [&sizes[sizes.len() - 2], &sizes[sizes.len() - 1]];
        let large = all([
            lt(Exp::int(LEAST - 1), rows.clone()),
            lt(Exp::int(LEAST - 1), columns.clone()),
            lt(Exp::int(i64::from(shape.depth)), inner.trips.clone()),
        ]);
        let tiles = self.block(|this| this.tiles(&sizes, &outer, inner, &shape));
        let plain = self.block(|this| this.map_plain(nest, pat, op));
        self.out.push(Stm::If(large, tiles, plain));
        true
    }

    /// The code for one element, if it has the right form, and the variables of the indices before row and column.
    fn inner(
        &mut self,
        nest: &Nest<'a>,
        pat: &'a [Var],
        op: &'a Screma,
        rank: usize,
    ) -> Option<(Vec<V>, Inner)> {
        let indices: Vec<V> = (0..rank).map(|_| self.new_var("i", Ty::Scalar(Prim::I64))).collect();
        let at: Vec<Exp> = indices.iter().map(|v| Exp::Var(*v)).collect();
        let (depth, inside) = (self.depth, self.in_tasks);
        let scalars = self.scalars.clone();
        (self.depth, self.in_tasks) = (1, true);
        let code = self.block(|this| this.map_at(nest, pat, op, &at));
        (self.depth, self.in_tasks, self.scalars) = (depth, inside, scalars);
        let (outer, last) = indices.split_at(rank - 2);
        let inner = self.take_apart(code, last[0], last[1])?;
        Some((outer.to_vec(), inner))
    }

    fn take_apart(&self, mut code: Block, row: V, column: V) -> Option<Inner> {
        let mut simple = true;
        each_stm(&code, &mut |stm| {
            simple &= matches!(
                stm,
                Stm::Declare(..)
                    | Stm::Assign(..)
                    | Stm::Store(..)
                    | Stm::For { .. }
                    | Stm::Comment(_)
            );
            if let Stm::Declare(v, _) = stm {
                simple &= matches!(self.vars[*v].ty, Ty::Scalar(_));
            }
        });
        let position = code.iter().position(|stm| matches!(stm, Stm::For { .. }))?;
        let after = code.split_off(position + 1);
        let Stm::For { var: k, from: Exp::Const(from), to: trips, step: 1, body, .. } =
            code.pop()?
        else {
            return None;
        };
        let before = code;
        if !simple || from != fehu_ir::Scalar::I64(0) {
            return None;
        }
        let made = set_vars(&before);
        let own = set_vars(&body);
        let mut accs: Vec<(V, Prim)> = Vec::new();
        for v in made.iter().filter(|v| own.contains(v)) {
            accs.push((*v, self.scalar_prim(*v)));
        }
        accs.sort_unstable_by_key(|(v, _)| *v);
        let changes = |v: V| v == row || v == column || made.contains(&v);
        let mut fits = !accs.is_empty() && accs.len() <= 2;
        trips.each_var(&mut |v| fits &= !changes(v));
        // What the body uses of what stands before it are the accumulators.
        let mut inputs: Vec<Input> = Vec::new();
        for stm in &body {
            match stm {
                Stm::Declare(_, Some(e)) => {
                    self.find_inputs(e, (row, column), &own, &mut inputs, &mut fits)
                }
                Stm::Assign(v, e) if accs.iter().any(|(acc, _)| acc == v) => {
                    self.find_inputs(e, (row, column), &own, &mut inputs, &mut fits);
                }
                _ => fits = false,
            }
            stm.each_used(&mut |v| {
                fits &= !made.contains(&v) || accs.iter().any(|(acc, _)| *acc == v);
            });
        }
        // Code after the loop may use what stands before it, which is executed again there.
        let both =
            inputs.iter().any(|input| input.by_row) && inputs.iter().any(|input| !input.by_row);
        let inner = Inner { row, column, before, accs, k, trips, body, after, inputs };
        (fits && both && inner.fits()).then_some(inner)
    }

    /// Finds what an expression loads; it must not depend on both directions, or on what the body computes.
    fn find_inputs(
        &self,
        e: &Exp,
        (row, column): (V, V),
        own: &rustc_hash::FxHashSet<V>,
        inputs: &mut Vec<Input>,
        fits: &mut bool,
    ) {
        if !matches!(e, Exp::Load(..)) {
            e.each_child(&mut |child| self.find_inputs(child, (row, column), own, inputs, fits));
        }
        match e {
            Exp::Load(ptr, index) => {
                let index = (**index).clone();
                let (by_row, by_column) = (index.mentions(row), index.mentions(column));
                index.each_var(&mut |v| *fits &= !own.contains(&v));
                *fits &= !(by_row && by_column) && as_terms(&index).is_some();
                let known = inputs.iter().any(|input| input.ptr == *ptr && input.index == index);
                if (by_row || by_column) && !known {
                    let prim = self.scalar_prim(*ptr);
                    inputs.push(Input { ptr: *ptr, index, prim, by_row });
                }
            }
            Exp::Var(v) => *fits &= *v != row && *v != column,
            Exp::Index(terms) => {
                *fits &=
                    !terms.iter().any(|(_, vars)| vars.contains(&row) || vars.contains(&column));
            }
            _ => {}
        }
    }

    fn tiles(&mut self, sizes: &[Exp], outer: &[V], inner: Inner, shape: &Shape) {
        let side = Exp::int(i64::from(shape.side));
        let [rows, columns] = [sizes[sizes.len() - 2].clone(), sizes[sizes.len() - 1].clone()];
        let mut space: Vec<Exp> = sizes[..outer.len()].to_vec();
        for size in [&rows, &columns] {
            space.push(self.simple("squares", &quot_up(size.clone(), side.clone())));
        }
        let blocks = self.total(&space);
        self.launch("tile", blocks, ACROSS * ACROSS, |this, block, thread| {
            let mut shared = Vec::new();
            for input in &inner.inputs {
                shared.push(this.shared_array("step", input.prim, shape.depth * shape.pitch()));
            }
            let at = this.unranked(Exp::Var(block), &space);
            for (v, index) in outer.iter().zip(&at) {
                this.out.push(Stm::Declare(*v, Some(index.clone())));
            }
            let first = |this: &mut Self, hint: &str, number: &Exp| {
                this.simple(hint, &bin(BinOp::Mul, number.clone(), side.clone()))
            };
            let first_row = first(this, "first_row", &at[outer.len()]);
            let first_column = first(this, "first_column", &at[outer.len() + 1]);
            let across = Exp::int(i64::from(ACROSS));
            let x = this.simple("x", &bin(BinOp::Rem, Exp::Var(thread), across.clone()));
            let y = this.simple("y", &bin(BinOp::Quot, Exp::Var(thread), across));
            let cx = Tiling {
                inner: &inner,
                shape,
                shared,
                thread: Exp::Var(thread),
                x,
                y,
                first: (first_row, first_column),
                sizes: (rows, columns),
            };
            this.tile_body(&cx);
        });
    }

    fn tile_body(&mut self, cx: &Tiling<'_>) {
        let count = cx.shape.own * cx.shape.own;
        let mut kept: Vec<V> = Vec::new();
        for (_, prim) in &cx.inner.accs {
            let array = self.new_var("acc", Ty::Local(*prim, count));
            self.out.push(Stm::Declare(array, None));
            kept.push(array);
        }
        // What is before the loop.
        self.afresh(|this| {
            this.each_own(cx, |this, number, _| {
                this.copy_before(cx);
                for ((acc, _), array) in cx.inner.accs.iter().zip(&kept) {
                    this.out.push(Stm::Store(*array, number.clone(), Exp::Var(*acc)));
                }
            });
        });
        // Whole steps, and then what is left.
        let depth = Exp::int(i64::from(cx.shape.depth));
        let steps = self.simple("steps", &bin(BinOp::Quot, cx.inner.trips.clone(), depth.clone()));
        let step = self.new_var("step", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let start = this.simple("start", &bin(BinOp::Mul, Exp::Var(step), depth.clone()));
            this.afresh(|this| this.one_step(cx, &kept, &start, depth.clone()));
        });
        let (from, kind) = (Exp::int(0), Kind::Sequential);
        self.out.push(Stm::For { var: step, from, to: steps.clone(), step: 1, kind, body });
        let start = self.simple("start", &bin(BinOp::Mul, steps, depth));
        let left = self.simple("left", &bin(BinOp::Sub, cx.inner.trips.clone(), start.clone()));
        self.afresh(|this| this.one_step(cx, &kept, &start, left));
        // What is after the loop.
        self.afresh(|this| {
            this.each_own(cx, |this, number, inside| {
                let body = this.block(|this| {
                    this.copy_before(cx);
                    for ((acc, _), array) in cx.inner.accs.iter().zip(&kept) {
                        let value = Exp::Load(*array, Box::new(number.clone()));
                        this.out.push(Stm::Assign(*acc, value));
                    }
                    this.out.extend(cx.inner.after.iter().cloned());
                });
                this.out.push(Stm::If(inside, body, Block::new()));
            });
        });
    }

    /// Emits code in which the variables of the original code are declared once more, by other names.
    fn afresh(&mut self, work: impl FnOnce(&mut Self)) {
        let code = self.block(work);
        let code = Vars(&mut self.vars).copy(&code);
        self.out.extend(code);
    }

    fn copy_before(&mut self, cx: &Tiling<'_>) {
        self.out.extend(cx.inner.before.iter().cloned());
    }

    /// Executes code for all rows and columns of a thread; `work` gets their number, and whether they are inside of the matrix.
    fn each_own(&mut self, cx: &Tiling<'_>, work: impl FnOnce(&mut Self, Exp, Exp)) {
        let [r, c] = ["r", "c"].map(|hint| self.new_var(hint, Ty::Scalar(Prim::I64)));
        let body = self.block(|this| {
            let place = |first: &Exp, number: V, own: &Exp| {
                let apart = bin(BinOp::Mul, Exp::Var(number), Exp::int(i64::from(ACROSS)));
                bin(BinOp::Add, first.clone(), bin(BinOp::Add, apart, own.clone()))
            };
            let row = this.simple("row_at", &place(&cx.first.0, r, &cx.y));
            let column = this.simple("column_at", &place(&cx.first.1, c, &cx.x));
            let inside =
                all([lt(row.clone(), cx.sizes.0.clone()), lt(column.clone(), cx.sizes.1.clone())]);
            let within = |at: Exp, size: &Exp| {
                bin(BinOp::Min, at, bin(BinOp::Sub, size.clone(), Exp::int(1)))
            };
            this.out.push(Stm::Declare(cx.inner.row, Some(within(row, &cx.sizes.0))));
            this.out.push(Stm::Declare(cx.inner.column, Some(within(column, &cx.sizes.1))));
            work(this, number(r, c, cx.shape.own), inside);
        });
        self.squared(cx.shape.own, r, c, body);
    }

    /// A loop over the rows of a thread, and in it one over its columns.
    fn squared(&mut self, own: u32, r: V, c: V, body: Block) {
        let to = Exp::int(i64::from(own));
        let inner = up_to(c, to.clone(), body);
        self.out.push(up_to(r, to, vec![inner]));
    }

    /// Some steps of the loop: first all threads load, then each computes.
    fn one_step(&mut self, cx: &Tiling<'_>, kept: &[V], start: &Exp, steps: Exp) {
        for (input, shared) in cx.inner.inputs.iter().zip(&cx.shared) {
            self.bring(cx, input, *shared, start, &steps);
        }
        self.out.push(Stm::Barrier);
        let kk = self.new_var("kk", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let now = bin(BinOp::Add, start.clone(), Exp::Var(kk));
            this.out.push(Stm::Declare(cx.inner.k, Some(now)));
            let mut registers = Vec::new();
            for (input, shared) in cx.inner.inputs.iter().zip(&cx.shared) {
                registers.push(this.take(cx, input, *shared, kk));
            }
            let [r, c] = ["r", "c"].map(|hint| this.new_var(hint, Ty::Scalar(Prim::I64)));
            let body = this.block(|this| {
                let at = number(r, c, cx.shape.own);
                for ((acc, _), array) in cx.inner.accs.iter().zip(kept) {
                    let value = Exp::Load(*array, Box::new(at.clone()));
                    this.out.push(Stm::Declare(*acc, Some(value)));
                }
                let own = |e: &Exp| {
                    replace(e, &|e| {
                        let Exp::Load(ptr, index) = e else { return None };
                        let same = |input: &Input| input.ptr == *ptr && input.index == **index;
                        let which = cx.inner.inputs.iter().position(same)?;
                        let along = if cx.inner.inputs[which].by_row { r } else { c };
                        Some(Exp::Load(registers[which], Box::new(Exp::Var(along))))
                    })
                };
                for stm in &cx.inner.body {
                    match stm {
                        Stm::Declare(v, Some(e)) => this.out.push(Stm::Declare(*v, Some(own(e)))),
                        Stm::Assign(v, e) => this.out.push(Stm::Assign(*v, own(e))),
                        other => this.out.push(other.clone()),
                    }
                }
                for ((acc, _), array) in cx.inner.accs.iter().zip(kept) {
                    this.out.push(Stm::Store(*array, at.clone(), Exp::Var(*acc)));
                }
            });
            this.squared(cx.shape.own, r, c, body);
        });
        self.out.push(up_to(kk, steps, body));
        self.out.push(Stm::Barrier);
    }

    /// All threads load what the block needs of an input in some steps.
    fn bring(&mut self, cx: &Tiling<'_>, input: &Input, shared: V, start: &Exp, steps: &Exp) {
        let threads = ACROSS * ACROSS;
        let (side, depth) = (i64::from(cx.shape.side), i64::from(cx.shape.depth));
        let rounds = i64::from(cx.shape.side * cx.shape.depth / threads);
        let l = self.new_var("l", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let element = bin(BinOp::Mul, Exp::Var(l), Exp::int(i64::from(threads)));
            let element = this.simple("element", &bin(BinOp::Add, element, cx.thread.clone()));
            // Neighbouring threads load neighbouring elements.
            let by_step = is_unit(&input.index, cx.inner.k);
            let fast = if by_step { depth } else { side };
            let low = this.simple("low", &bin(BinOp::Rem, element.clone(), Exp::int(fast)));
            let high = this.simple("high", &bin(BinOp::Quot, element, Exp::int(fast)));
            let (step, line) = if by_step { (low, high) } else { (high, low) };
            let (first, size, v) = match input.by_row {
                true => (&cx.first.0, &cx.sizes.0, cx.inner.row),
                false => (&cx.first.1, &cx.sizes.1, cx.inner.column),
            };
            let there = bin(BinOp::Add, first.clone(), line.clone());
            let there = bin(BinOp::Min, there, bin(BinOp::Sub, size.clone(), Exp::int(1)));
            let body = this.block(|this| {
                this.out.push(Stm::Declare(v, Some(there)));
                let now = bin(BinOp::Add, start.clone(), step.clone());
                this.out.push(Stm::Declare(cx.inner.k, Some(now)));
                let value = Exp::Load(input.ptr, Box::new(input.index.clone()));
                let at = bin(BinOp::Mul, step.clone(), Exp::int(i64::from(cx.shape.pitch())));
                this.out.push(Stm::Store(shared, bin(BinOp::Add, at, line.clone()), value));
            });
            this.out.push(Stm::If(lt(step.clone(), steps.clone()), body, Block::new()));
        });
        self.out.push(up_to(l, Exp::int(rounds), body));
    }

    /// The elements of a step that a thread needs, in registers.
    fn take(&mut self, cx: &Tiling<'_>, input: &Input, shared: V, kk: V) -> V {
        let registers = self.new_var("own", Ty::Local(input.prim, cx.shape.own));
        self.out.push(Stm::Declare(registers, None));
        let r = self.new_var("r", Ty::Scalar(Prim::I64));
        let own = if input.by_row { &cx.y } else { &cx.x };
        let apart = bin(BinOp::Mul, Exp::Var(r), Exp::int(i64::from(ACROSS)));
        let line = bin(BinOp::Add, apart, own.clone());
        let at = bin(BinOp::Mul, Exp::Var(kk), Exp::int(i64::from(cx.shape.pitch())));
        let value = Exp::Load(shared, Box::new(bin(BinOp::Add, at, line)));
        let body = vec![Stm::Store(registers, Exp::Var(r), value)];
        self.out.push(up_to(r, Exp::int(i64::from(cx.shape.own)), body));
        registers
    }
}

/// What the parts of a kernel know.
struct Tiling<'b> {
    inner: &'b Inner,
    shape: &'b Shape,
    /// For each input, what was brought of it.
    shared: Vec<V>,
    thread: Exp,
    x: Exp,
    y: Exp,
    /// The first row and column of the block.
    first: (Exp, Exp),
    /// Rows and columns of the matrix.
    sizes: (Exp, Exp),
}

impl Inner {
    fn input_bytes(&self) -> u32 {
        self.inputs.iter().map(|input| input.prim.bits().div_ceil(8)).sum()
    }

    fn shape(&self) -> Shape {
        let bytes: u32 = self.accs.iter().map(|(_, prim)| prim.bits().div_ceil(8)).sum();
        let own = if bytes <= 4 && self.inputs.len() == 2 { 8 } else { 4 };
        let side = own * ACROSS;
        let depth =
            if self.input_bytes() * (side + 1) * 16 <= super::team::SHARED_BYTES { 16 } else { 8 };
        Shape { own, side, depth }
    }

    fn fits(&self) -> bool {
        let shape = self.shape();
        self.inputs.len() <= 6
            && self.input_bytes() * shape.pitch() * shape.depth <= super::team::SHARED_BYTES
    }
}

impl Shape {
    /// The distance of the elements of two steps in shared memory; odd, so that storing them meets different banks.
    fn pitch(&self) -> u32 {
        self.side + 1
    }
}

/// The number of a row and column of a thread.
fn number(r: V, c: V, own: u32) -> Exp {
    bin(BinOp::Add, bin(BinOp::Mul, Exp::Var(r), Exp::int(i64::from(own))), Exp::Var(c))
}

fn up_to(var: V, to: Exp, body: Block) -> Stm {
    Stm::For { var, from: Exp::int(0), to, step: 1, kind: Kind::Sequential, body }
}
