//! The threads of a block combine their values.

use super::super::Emit;
use super::super::grid::{bin, eq, lt};
use super::{Kept, Partial};
use fehu_base::Prim;
use fehu_imp::device::DEVICE;
use fehu_imp::kernel::to_its_end;
use fehu_imp::{Block, Exp, Stm};
use fehu_ir::BinOp;

/// The maximum amount of shared memory of a block, in bytes: every device has this much.
pub(crate) const SHARED_BYTES: u32 = DEVICE.shared_bytes;

/// Threads of a block whose values are combined: groups whose size is a power of two.
pub(crate) struct Tree {
    /// The number of the thread in its block.
    pub(crate) thread: Exp,
    /// Its number in its group.
    pub(crate) lane: Exp,
    /// The size of a group.
    pub(crate) size: Exp,
    /// If the order of operands is free: how far neighbours of a group are apart. Then threads that are far from each
    /// other are combined first, so that whole warps are done soon. Otherwise neighbours are combined first, and they
    /// are neighbours in the block.
    pub(crate) apart: Option<Exp>,
}

impl<'a> Emit<'a> {
    /// Combines the values of the threads of each group; the first thread of a group gets the result, and it is kept where that
    /// thread's value was. All threads of the block take part.
    pub(crate) fn reduce_tree(&mut self, partials: &[Partial<'a>], kept: &[Kept], tree: &Tree) {
        self.store_each(partials, kept, &tree.thread);
        self.out.push(Stm::Barrier);
        let halved = |e: Exp| bin(BinOp::Quot, e, Exp::int(2));
        let first = match tree.apart {
            None => Exp::int(1),
            Some(_) => halved(tree.size.clone()),
        };
        let distance = self.declare("distance", Prim::I64, Some(first));
        let (near, twice) = (Exp::Var(distance), bin(BinOp::Mul, Exp::Var(distance), Exp::int(2)));
        let (more, takes_part, next) = match tree.apart {
            None => {
                // Sizes are powers of two.
                let mask = bin(BinOp::Sub, twice.clone(), Exp::int(1));
                let is_first = eq(bin(BinOp::And, tree.lane.clone(), mask), Exp::int(0));
                (lt(near.clone(), tree.size.clone()), is_first, twice)
            }
            Some(_) => {
                let is_first = lt(tree.lane.clone(), near.clone());
                (lt(Exp::int(0), near.clone()), is_first, halved(near.clone()))
            }
        };
        let body = self.block(|this| {
            let combine = this.block(|this| {
                let other = match &tree.apart {
                    None => bin(BinOp::Add, tree.thread.clone(), near),
                    Some(apart) => {
                        let far = bin(BinOp::Mul, near, apart.clone());
                        this.simple("other", &bin(BinOp::Add, far, tree.thread.clone()))
                    }
                };
                for (partial, kept) in partials.iter().zip(kept) {
                    let right = this.load_kept(kept, &other);
                    this.combine_parts(partial.op, &partial.parts, &right);
                    this.store_kept(&partial.parts, kept, &tree.thread);
                }
            });
            this.out.push(Stm::If(takes_part, to_its_end(combine), Vec::new()));
            this.out.push(Stm::Barrier);
            this.out.push(Stm::Assign(distance, next));
        });
        self.out.push(Stm::While(more, body));
    }

    /// Combines values that are kept in memory, each thread its share, and then those of the threads. `each` is the
    /// loop over the share.
    pub(crate) fn reduce_shares(
        &mut self,
        partials: &[Partial<'a>],
        kept: &[Kept],
        each: Block,
        tree: &Tree,
        leads: Exp,
        finish: impl FnOnce(&mut Self),
    ) {
        self.out.extend(to_its_end(each));
        self.reduce_tree(partials, kept, tree);
        let finish = self.block(finish);
        self.out.extend(to_its_end(vec![Stm::If(leads, finish, Block::new())]));
    }
}
