//! Maps over rows that differ: a thread for each of a few positions.

use super::super::super::Emit;
use super::super::seg::SegOp;
use super::super::stage::{short_int, u32_bin, u32_lt, up_to};
use super::super::{bin, lt};
use fehu_base::Prim;
use fehu_imp::{Block, Exp, Stm, Ty};
use fehu_ir::{BinOp, Screma};

/// The most steps of a thread: fewer, if there are not enough for all threads of the device.
const MOST_ITEMS: u32 = 8;

impl<'a> Emit<'a> {
    pub(super) fn map_uneven(&mut self, seg: &SegOp<'a>, op: &'a Screma) {
        let (threads, most) = (self.threads(), self.unless_few(MOST_ITEMS, 2));
        let (rows, tiles) = self.uneven_layout(seg, op, (threads, most), false);
        // Without positions there is nothing to do, however many rows there are.
        let some = lt(rows.rows.clone(), rows.steps.clone());
        let items = rows.items.clone();
        let count = bin(BinOp::Add, tiles.clone(), Exp::int(1));
        let map = self.block(|this| {
            let path = this.block(|this| {
                this.grid("path", &[count], |this, indices| this.find_path(&rows, &indices[0]));
            });
            this.out.push(Stm::If(rows.several.clone(), path, Block::new()));
            this.launch("map", tiles, threads, |this, block, thread| {
                let short = this.short("thread", &Exp::Var(thread));
                let ground = this.uneven_ground(&rows, &Exp::Var(block), &short, false);
                let k = this.new_var("k", Ty::Scalar(Prim::I64));
                let body = this.block(|this| {
                    let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(k)));
                    let apart = u32_bin(BinOp::Mul, turn, short_int(threads));
                    let place = this.number("place", u32_bin(BinOp::Add, short, apart));
                    let body = this.block(|this| {
                        let indices = this.indices_in_rows(&rows, &ground, &place, None);
                        this.map_at(seg, seg.pat, op, &indices);
                    });
                    this.out.push(Stm::If(u32_lt(place, ground.here.clone()), body, Block::new()));
                });
                this.out.push(up_to(k, items, body));
            });
            this.free_path(&rows);
        });
        self.out.push(Stm::If(some, map, Block::new()));
    }
}
