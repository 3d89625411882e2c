//! Thread coarsening: where little is done for each position, a thread has several.
//!
//! If every thread loads one element and ends, too few loads are under way to keep the memory busy, and it takes longer to start
//! blocks than to run them. So each thread treats a few positions at once: it computes the elements of
//! all, and then stores them, because as far as the compiler knows, a store might change what is loaded after it.
//!
//! ```text
//! if (end < first + 4 * threads) while (first < end) { if (first + thread < end) { x = ...; out[..] = x; } first += threads; }
//! else { x0 = ..., ..., x3 = ...; out[..] = x0; ...; out[..] = x3; }
//! ```
//!
//! A block does this once, and if there are few positions, a thread has one, as otherwise. On an H200, to scale 512 MiB
//! takes 258 us with four elements of 4 bytes at once, 285 if a block goes through the loop eight times, and more if it
//! does so more often, perhaps because blocks that begin one after the other then touch pages of the memory that are
//! far apart. With one element for each thread it takes half as long again.

use super::super::Emit;
use super::{bin, lt, quot_up};
use fehu_base::Prim;
use fehu_imp::rewrite::Vars;
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, Kernel, Stm, Ty, V};
use fehu_ir::BinOp;

/// The positions of a thread that are treated at once.
const AT_ONCE: i64 = 4;

/// The most statements for a position.
const MOST: usize = 24;

/// For each block that the device can run at the same time there are at least this many, so that none runs much longer
/// than the others.
const ROUNDS: i64 = 4;

/// The code for a position.
struct Light {
    compute: Block,
    stores: Block,
}

impl<'a> Emit<'a> {
    /// Changes the kernel that was launched last, which has a thread for each position below `total`: `body` is the code for the
    /// position `at`. It stays as it is if it does more than compute and store a few elements.
    pub(super) fn coarsen(&mut self, at: V, body: &[Stm], total: &Exp) {
        let Some(Light { compute, stores }) = self.light(body) else { return };
        let Some(Stm::Launch(mut kernel)) = self.out.pop() else { return };
        let threads = Exp::int(i64::from(kernel.threads));
        let most = bin(BinOp::Mul, self.busy_blocks(), Exp::int(ROUNDS));
        let groups = quot_up(quot_up(total.clone(), most), threads.clone());
        let groups = bin(BinOp::Min, groups, Exp::int(self.at_once()));
        let span = bin(BinOp::Mul, bin(BinOp::Max, groups, Exp::int(1)), threads);
        let span = self.simple("span", &span);
        kernel.blocks = quot_up(total.clone(), span.clone());
        kernel.body =
            self.block(|this| this.coarse_body(&kernel, at, [compute, stores], &span, total));
        self.out.push(Stm::Launch(kernel));
    }

    fn at_once(&self) -> i64 {
        self.unless_few(AT_ONCE, 2)
    }

    fn coarse_body(
        &mut self,
        kernel: &Kernel,
        at: V,
        [compute, stores]: [Block; 2],
        span: &Exp,
        total: &Exp,
    ) {
        let (threads, at_once) = (i64::from(kernel.threads), self.at_once());
        let start = bin(BinOp::Mul, Exp::Var(kernel.block), span.clone());
        let first = self.declare("first", Prim::I64, Some(start));
        let end = bin(BinOp::Add, Exp::Var(first), span.clone());
        let end = self.simple("end", &bin(BinOp::Min, end, total.clone()));
        let position = |k: i64| {
            let of_thread = bin(BinOp::Add, Exp::Var(first), Exp::Var(kernel.thread));
            Stm::Declare(at, Some(bin(BinOp::Add, of_thread, Exp::int(k * threads))))
        };
        let (mut several, mut late) = (Block::new(), Block::new());
        for k in 0..at_once {
            let one = [vec![position(k)], compute.clone(), stores.clone()].concat();
            let mut one = Vars(&mut self.vars).copy(&one);
            late.extend(one.split_off(1 + compute.len()));
            several.append(&mut one);
        }
        several.append(&mut late);
        let one = [compute, stores].concat();
        let body = vec![
            position(0),
            Stm::If(lt(Exp::Var(at), end.clone()), one, Block::new()),
            Stm::Assign(first, bin(BinOp::Add, Exp::Var(first), Exp::int(threads))),
        ];
        let fewer = vec![Stm::While(lt(Exp::Var(first), end.clone()), body)];
        let all = bin(BinOp::Add, Exp::Var(first), Exp::int(at_once * threads));
        self.out.push(Stm::If(lt(end, all), fewer, several));
    }

    /// Code that computes a few scalars and then stores them, divided into these two.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements are not for this")]
    fn light(&mut self, body: &[Stm]) -> Option<Light> {
        let (mut count, mut plain) = (0, true);
        each_stm(body, &mut |stm| {
            count += 1;
            plain &= match stm {
                Stm::Comment(_) | Stm::Assign(..) | Stm::If(..) | Stm::Store(..) => true,
                Stm::Declare(v, _) => matches!(self.vars[*v].ty, Ty::Scalar(_)),
                _ => false,
            };
            // Functions take long anyway.
            stm.each_exp(&mut |e| plain &= !e.any(&|e| matches!(e, Exp::Math(..))));
        });
        if !plain || count > MOST {
            return None;
        }
        let mut light = Light { compute: Block::new(), stores: Block::new() };
        for stm in body {
            let mut loads = false;
            each_stm(std::slice::from_ref(stm), &mut |stm| {
                stm.each_exp(&mut |e| loads |= e.any(&|e| matches!(e, Exp::Load(..))));
            });
            match stm {
                Stm::Comment(_) => {}
                // What is loaded after a store might depend on it.
                _ if loads && !light.stores.is_empty() => return None,
                Stm::Store(p, index, value) => {
                    let prim = self.scalar_prim(*p);
                    let index = self.early("place", Prim::I64, index, &mut light.compute);
                    let value = self.early("value", prim, value, &mut light.compute);
                    light.stores.push(Stm::Store(*p, index, value));
                }
                stm => {
                    let mut stores = false;
                    each_stm(std::slice::from_ref(stm), &mut |stm| {
                        stores |= matches!(stm, Stm::Store(..));
                    });
                    if stores {
                        return None;
                    }
                    light.compute.push(stm.clone());
                }
            }
        }
        (!light.stores.is_empty()).then_some(light)
    }

    /// An expression as a variable that is declared in a block, unless it is as simple.
    fn early(&mut self, hint: &str, prim: Prim, e: &Exp, block: &mut Block) -> Exp {
        if matches!(e, Exp::Const(_) | Exp::Var(_)) {
            return e.clone();
        }
        let v = self.new_var(hint, Ty::Scalar(prim));
        block.push(Stm::Declare(v, Some(e.clone())));
        Exp::Var(v)
    }
}
