//! Copies between arrays of different layouts.
//!
//! Where neighbouring elements of the source are not neighbours in the destination, either the loads or the stores of
//! neighbouring threads would be far apart. So a block takes a square, loads it along the source's direction, and stores it along
//! the destination's. For a few long rows or columns squares would be mostly empty, and the plain copy is as good.

use super::super::Emit;
use super::{bin, lt, quot_up};
use crate::{Block, Exp, Kind, Stm, Ty, V};
use fehu_base::Prim;
use fehu_ir::BinOp;
use fehu_mem::table::Place;
use fehu_opt::facts::poly::Poly;

/// The side of a square.
const SIDE: i64 = 32;

/// The rows of a square that the threads of a block handle at a time.
const ROWS: i64 = 8;

/// Both dimensions have at least so many elements.
const LEAST: i64 = 12;

impl<'a> Emit<'a> {
    /// Copies elements, unless a plain copy is as good; false then.
    pub(in crate::emit) fn transpose_on_grid(&mut self, to: &Place, from: &Place) -> bool {
        let Some(across) = directions(to, from) else { return false };
        let rank = to.lmad.rank();
        let mut sizes = Vec::with_capacity(rank);
        for dim in &to.lmad.dims {
            let size = self.poly(&dim.size);
            sizes.push(self.simple("size", &size));
        }
        let (columns, rows) = (sizes[rank - 1].clone(), sizes[across].clone());
        let large = Exp::Bin(
            BinOp::And,
            Prim::Bool,
            Box::new(lt(Exp::int(LEAST - 1), columns)),
            Box::new(lt(Exp::int(LEAST - 1), rows)),
        );
        let squares = self.block(|this| this.squares(to, from, &sizes, across));
        let plain = self.block(|this| {
            let (to_ptr, from_ptr) = (this.mem(to.block).ptr, this.mem(from.block).ptr);
            this.grid("copy", &sizes, |this, indices| {
                let value = Exp::Load(from_ptr, Box::new(this.address(&from.lmad, indices)));
                let at = this.address(&to.lmad, indices);
                this.out.push(Stm::Store(to_ptr, at, value));
            });
        });
        self.out.push(Stm::If(large, squares, plain));
        true
    }

    fn squares(&mut self, to: &Place, from: &Place, sizes: &[Exp], across: usize) {
        let last = sizes.len() - 1;
        // The space of squares: the sizes, with numbers of squares for the two directions.
        let mut space: Vec<Exp> = sizes.to_vec();
        for dim in [across, last] {
            let count = quot_up(sizes[dim].clone(), Exp::int(SIDE));
            space[dim] = self.simple("squares", &count);
        }
        let blocks = self.total(&space);
        let threads = u32::try_from(SIDE * ROWS).unwrap_or(256);
        let elem = self.table.blocks[to.block].elem;
        let (to_ptr, from_ptr) = (self.mem(to.block).ptr, self.mem(from.block).ptr);
        self.launch("transpose", blocks, threads, |this, block, thread| {
            let count = u32::try_from(SIDE * (SIDE + 1)).unwrap_or(1056);
            let square = this.shared_array("square", elem, count);
            let at = this.unranked(Exp::Var(block), &space);
            let first = |dim: usize| bin(BinOp::Mul, at[dim].clone(), Exp::int(SIDE));
            let (row, column) =
                (this.simple("row", &first(across)), this.simple("column", &first(last)));
            let side = Exp::int(SIDE);
            let x = this.simple("x", &bin(BinOp::Rem, Exp::Var(thread), side.clone()));
            let y = this.simple("y", &bin(BinOp::Quot, Exp::Var(thread), side));
            // `fast` goes through the square with neighbouring threads, `slow` with the rest.
            let each = |this: &mut Self,
                        fast: (usize, &Exp),
                        slow: (usize, &Exp),
                        work: &mut dyn FnMut(&mut Self, Exp, &[Exp])| {
                let k = this.new_var("k", Ty::Scalar(Prim::I64));
                let body = this.block(|this| {
                    let down =
                        bin(BinOp::Add, y.clone(), bin(BinOp::Mul, Exp::Var(k), Exp::int(ROWS)));
                    let down = this.simple("down", &down);
                    let mut indices = at.clone();
                    indices[fast.0] = this.simple("i", &bin(BinOp::Add, fast.1.clone(), x.clone()));
                    indices[slow.0] =
                        this.simple("j", &bin(BinOp::Add, slow.1.clone(), down.clone()));
                    let inside = Exp::Bin(
                        BinOp::And,
                        Prim::Bool,
                        Box::new(lt(indices[fast.0].clone(), sizes[fast.0].clone())),
                        Box::new(lt(indices[slow.0].clone(), sizes[slow.0].clone())),
                    );
                    let body = this.block(|this| work(this, down, &indices));
                    this.out.push(Stm::If(inside, body, Block::new()));
                });
                let (from, to) = (Exp::int(0), Exp::int(SIDE / ROWS));
                this.out.push(Stm::For { var: k, from, to, step: 1, kind: Kind::Sequential, body });
            };
            let place = |outer: Exp, inner: Exp| {
                bin(BinOp::Add, bin(BinOp::Mul, outer, Exp::int(SIDE + 1)), inner)
            };
            each(this, (across, &row), (last, &column), &mut |this, down, indices| {
                let value = Exp::Load(from_ptr, Box::new(this.address(&from.lmad, indices)));
                this.out.push(Stm::Store(square, place(down, x.clone()), value));
            });
            this.out.push(Stm::Barrier);
            each(this, (last, &column), (across, &row), &mut |this, down, indices| {
                let value = load(square, place(x.clone(), down));
                let at = this.address(&to.lmad, indices);
                this.out.push(Stm::Store(to_ptr, at, value));
            });
        });
    }
}

fn load(array: V, at: Exp) -> Exp {
    Exp::Load(array, Box::new(at))
}

/// The dimension along which elements of the source are neighbours, if those of the destination are neighbours along the last
/// one, and that is another.
fn directions(to: &Place, from: &Place) -> Option<usize> {
    let one = Poly::constant(1);
    let last = to.lmad.rank().checked_sub(1)?;
    let is_last = to.lmad.dims[last].stride == one;
    let across = from.lmad.dims.iter().position(|dim| dim.stride == one)?;
    (is_last && across < last).then_some(across)
}
