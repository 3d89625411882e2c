//! Thread coarsening: several positions for each thread, where memory takes the time.
//!
//! A thread that loads an element, computes with it and stores the result spends nearly all of its time waiting, and even all threads
//! that a multiprocessor can hold do not have as many loads in flight as the memory could serve. So a thread executes several
//! positions, each a block's width from the next, so that neighbouring threads still access neighbouring elements:
//!
//! ```text
//! if at + 3 * threads < total { load; load; load; load; store; store; store; store }
//! else { for (i = at; i < total; i += threads) { load; store } }
//! ```
//!
//! The positions of a map have nothing to do with each other, so that loads of one may precede stores of another; the compiler of
//! the device does not know that.

use super::super::Emit;
use super::{bin, lt};
use fehu_base::Prim;
use fehu_imp::rewrite::{Vars, rename};
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, Kind, Stm, V};
use fehu_ir::BinOp;

/// The positions of a thread. On an H200, 2^25 numbers of 32 bits are copied in 111 us by one thread each, and in 78 us by four each.
pub(super) const EACH: i64 = 4;

/// The most statements of a position: with more of them, there is enough to do while a thread waits.
const SHORT: usize = 16;

/// Where the stores begin, if code consists of a few scalar statements and then of stores.
pub(super) fn first_store(body: &[Stm]) -> Option<usize> {
    let is_store = |stm: &Stm| matches!(stm, Stm::Store(..));
    let first = body.iter().position(is_store)?;
    let (before, stores) = body.split_at(first);
    let loads = |stm: &Stm| {
        let mut found = false;
        stm.each_exp(&mut |e| found |= e.any(&|e| matches!(e, Exp::Load(..))));
        found
    };
    let mut count = 0;
    let mut plain = true;
    each_stm(before, &mut |stm| {
        count += 1;
        plain &= matches!(stm, Stm::Declare(..) | Stm::Assign(..) | Stm::If(..) | Stm::Comment(_));
    });
    let ends = stores.iter().all(|stm| is_store(stm) && !loads(stm));
    (plain && ends && count <= SHORT).then_some(first)
}

impl Emit<'_> {
    /// The code for a thread that executes several positions, the first of which is `at`, given that of one position.
    pub(super) fn coarsened(
        &mut self,
        at: V,
        total: &Exp,
        body: &[Stm],
        first_store: usize,
    ) -> Block {
        let threads = i64::from(self.threads());
        let (mut loads, mut stores) = (Block::new(), Block::new());
        for number in 0..EACH {
            let own = Vars(&mut self.vars).scalar("at", Prim::I64);
            let copy = Vars(&mut self.vars).copy(body);
            let copy = rename(&copy, &|v| (v == at).then_some(own));
            let place = bin(BinOp::Add, Exp::Var(at), Exp::int(number * threads));
            loads.push(Stm::Declare(own, Some(place)));
            loads.extend_from_slice(&copy[..first_store]);
            stores.extend_from_slice(&copy[first_store..]);
        }
        loads.append(&mut stores);
        let own = Vars(&mut self.vars).scalar("at", Prim::I64);
        let copy = Vars(&mut self.vars).copy(body);
        let body = rename(&copy, &|v| (v == at).then_some(own));
        let kind = Kind::Independent(Vec::new());
        let (from, to) = (Exp::Var(at), total.clone());
        let rest = Stm::For { var: own, from, to, step: threads, kind, body };
        let last = bin(BinOp::Add, Exp::Var(at), Exp::int((EACH - 1) * threads));
        vec![Stm::If(lt(last, total.clone()), loads, vec![rest])]
    }
}
