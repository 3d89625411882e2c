//! Versions: the map as it was, one thread for each position, if its rows are short and alike; otherwise flattened.
//!
//! What is known when the map begins are the widths of its first irregular operator. On CPUs the map suffices if there are enough
//! positions for all threads and no row is so long that its thread would be the last one by far. On devices, whose neighbouring
//! threads should read neighbouring elements, rows also have to be short, unless nothing is read along them.

use super::Irregular;
use super::space::RowsOf;
use crate::distribute::only_inner;
use ecow::EcoString;
use fehu_base::Prim;
use fehu_ir::{Atom, BinOp, Body, CmpOp, Elem, Exp, Level, Red, Screma, Stm, Type};

/// No row may be longer than this part of what one thread of a CPU gets.
const PARTS: i64 = 4;
/// This many positions are enough for a device.
const ENOUGH: i64 = 1 << 15;
/// On devices, rows may be so many times as long as the mean.
const ALIKE: i64 = 4;
/// The mean length of rows up to which one thread of a device may read each, unless the user says something else.
const SHORT: i64 = 16;
/// Likewise, if a position has several irregular operators: one thread keeps what others would store between them.
const SHORT_SEVERAL: i64 = 128;
/// Likewise, if nothing is read along them.
const COMPUTED: i64 = 1 << 24;

/// The first irregular operator outside of loops.
pub(super) struct First {
    /// How many statements there are up to here.
    at: usize,
    rows: RowsOf,
    longest: Atom,
    /// The space of the positions that have rows.
    space: usize,
    /// How many irregular operators there are.
    operators: usize,
    /// Whether its function gets elements of arrays that are in memory.
    reads: bool,
}

impl Irregular<'_> {
    /// Notes the rows of the first irregular operator. They are known then.
    pub(super) fn note_first(&mut self, space: usize, rows: &RowsOf) {
        if self.first.is_some() || self.inside {
            return;
        }
        let max = self.operator(BinOp::Max);
        let red = Red { op: max, neutral: vec![Atom::i64(0)], commutative: true };
        let longest = self.flat(&[], &[rows.width], space, (Vec::new(), vec![red]))[0];
        self.vars[longest].hint = "longest".into();
        let (rows, longest) = (rows.clone(), longest.into());
        let (at, operators) = (self.out.len(), 0);
        self.first = Some(First { at, rows, longest, space, operators, reads: false });
    }

    /// Notes an irregular operator, and whether it reads along its rows.
    pub(super) fn note_reads(&mut self, op: &Screma, space: usize) {
        let mut computed = op.inputs.iter().map(|input| match self.homes.get(&(*input, space)) {
            Some(super::Home::Repeated(stm)) => matches!(stm.exp, Exp::Iota(..)),
            Some(_) | None => false,
        });
        let reads = !computed.all(|computed| computed);
        if let Some(first) = &mut self.first {
            first.operators += 1;
            first.reads |= reads;
        }
    }

    /// The statements that replace a map, which has the results that these arrays are.
    pub(super) fn versions(
        mut self,
        map: Stm,
        pat: &[fehu_ir::Var],
        arrays: Vec<Atom>,
        name: EcoString,
    ) -> Vec<Stm> {
        let certs = map.certs.clone();
        let first = self.first.take().filter(|_| !only_inner(&map));
        let Some(first) = first else {
            for (var, array) in pat.iter().zip(arrays) {
                self.out.push(Stm::new(vec![*var], Exp::Atom(array)));
            }
            return with_certs(self.out, &certs);
        };
        let flat = self.out.split_off(first.at);
        let alike = self.alike(&first, name);
        let outer = Body {
            results: map.pat.iter().map(|var| Atom::Var(*var)).collect(),
            stms: vec![map.clone()],
        };
        let flat = Body { stms: with_certs(flat, &certs), results: arrays };
        let exp = Exp::If(alike, Box::new([outer, flat]));
        self.out.push(Stm { loc: map.loc.clone(), ..Stm::new(pat.to_vec(), exp) });
        with_certs(self.out, &certs)
    }

    /// Whether one thread for each row suffices.
    fn alike(&mut self, first: &First, name: EcoString) -> Atom {
        let count = self.spaces[first.space].count;
        let (total, longest) = (first.rows.total, first.longest);
        match self.level {
            Level::Task => {
                let threads = self.number("threads", Exp::Threads);
                let parts = self.number("parts", Exp::BinOp(BinOp::Mul, threads, Atom::i64(PARTS)));
                let enough = self.truth("enough", Exp::CmpOp(CmpOp::Le, parts, count));
                let most = self.number("most", Exp::BinOp(BinOp::Mul, longest, parts));
                let alike = self.truth("alike", Exp::CmpOp(CmpOp::Le, most, total));
                self.truth("alike", Exp::BinOp(BinOp::And, enough, alike))
            }
            Level::Grid | Level::Blocks | Level::Block | Level::Thread => {
                let short = match (first.reads, first.operators) {
                    (false, _) => COMPUTED,
                    (true, 0 | 1) => SHORT,
                    (true, _) => SHORT_SEVERAL,
                };
                let short = self.number("short", Exp::Tuning(name, Atom::i64(short)));
                let enough = self.truth("enough", Exp::CmpOp(CmpOp::Le, Atom::i64(ENOUGH), count));
                let sum = self.number("sum", Exp::BinOp(BinOp::Mul, short, count));
                let short = self.truth("short", Exp::CmpOp(CmpOp::Le, total, sum));
                let most = self.number("most", Exp::BinOp(BinOp::Mul, longest, count));
                let several =
                    self.number("several", Exp::BinOp(BinOp::Mul, total, Atom::i64(ALIKE)));
                let alike = self.truth("alike", Exp::CmpOp(CmpOp::Le, most, several));
                let both = self.truth("alike", Exp::BinOp(BinOp::And, enough, short));
                self.truth("alike", Exp::BinOp(BinOp::And, both, alike))
            }
        }
    }

    fn truth(&mut self, hint: &str, exp: Exp) -> Atom {
        self.bind(hint, Type::Scalar(Elem::Prim(Prim::Bool)), exp).into()
    }
}

/// Statements that also depend on these checks.
fn with_certs(mut stms: Vec<Stm>, certs: &[fehu_ir::Var]) -> Vec<Stm> {
    for stm in &mut stms {
        stm.certs.extend(certs);
        stm.certs.sort_unstable();
        stm.certs.dedup();
    }
    stms
}
