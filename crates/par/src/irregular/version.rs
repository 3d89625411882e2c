//! Versions: the map as it was, one thread for each position, if its rows are short and alike; otherwise flattened.
//!
//! What is known when the map begins are the widths of its first irregular operator. On CPUs the map suffices if there are enough
//! positions for all threads and no row is so long that its thread would be the last one by far. On devices, whose neighbouring
//! threads should read neighbouring elements, rows also have to be short, unless nothing is read along them. Where the rows end
//! is only found out for the second version.

use super::{Home, Irregular};
use crate::distribute::only_inner;
use ecow::EcoString;
use fehu_base::Prim;
use fehu_ir::{Atom, BinOp, Body, CmpOp, Elem, Exp, Level, Red, Screma, Stm, Type, Var};

/// No row may be longer than this part of what one thread of a CPU gets.
const PARTS: i64 = 4;
/// This many positions are enough for a device.
const ENOUGH: i64 = 1 << 15;
/// On devices, rows may be so many times as long as the mean.
const ALIKE: i64 = 4;
/// The mean length of rows up to which one thread of a device may read each, unless the user says something else.
const SHORT: i64 = 16;
/// Likewise, if nothing is read along them.
const COMPUTED: i64 = 1 << 24;

/// The first irregular operator outside of loops.
pub(super) struct First {
    /// How many statements there are up to here.
    at: usize,
    /// How many positions its rows have together, and how many the longest has.
    total: Atom,
    longest: Atom,
    /// The space of the positions that have rows.
    space: usize,
    /// Whether its function gets elements of arrays that are in memory.
    reads: bool,
}

impl Irregular<'_> {
    /// Notes the first irregular operator, by the width of its rows: finds out how many positions they have together, and how long the
    /// longest is. Returns the former.
    pub(super) fn note_first(&mut self, space: usize, width: Var) -> Option<Atom> {
        if self.first.is_some() || self.inside {
            return None;
        }
        let mut reds = Vec::new();
        for op in [BinOp::Add, BinOp::Max] {
            let op = self.operator(op);
            reds.push(Red { op, neutral: vec![Atom::i64(0)], commutative: true });
        }
        let found = self.flat(&[], &[width, width], space, (Vec::new(), reds));
        for (var, hint) in found.iter().zip(["total", "longest"]) {
            self.vars[*var].hint = hint.into();
        }
        let (total, longest) = (Atom::Var(found[0]), Atom::Var(found[1]));
        let at = self.out.len();
        self.first = Some(First { at, total, longest, space, reads: false });
        Some(total)
    }

    /// Notes an irregular operator, and whether it reads along its rows.
    pub(super) fn note_reads(&mut self, op: &Screma, space: usize) {
        let reads = op.inputs.iter().any(|input| self.reads_along(*input, space));
        if let Some(first) = &mut self.first {
            first.reads |= reads;
        }
    }

    /// Whether neighbouring positions of a row read neighbouring elements of an array that is in memory.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are in memory as they are")]
    fn reads_along(&mut self, input: Var, space: usize) -> bool {
        if self.labels.is_avoided(input.into()) {
            return true;
        }
        if matches!(self.vars[input].ty, Type::Acc(_)) {
            return false;
        }
        match self.home(input, space) {
            Home::Repeated(stm) => match stm.exp {
                Exp::Iota(..) | Exp::Replicate(..) | Exp::Rearrange(..) => false,
                Exp::Index(array, _) | Exp::Reshape(array, _) => self.reads_along(array, space),
                _ => true,
            },
            Home::Stored(_) | Home::Row(..) | Home::Passed => true,
        }
    }

    /// The statements that replace a map, which has the results that these arrays are.
    pub(super) fn versions(
        mut self,
        map: Stm,
        pat: &[Var],
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
        let (total, longest) = (first.total, first.longest);
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
                let short = if first.reads { SHORT } else { COMPUTED };
                let short = self.number("short", Exp::Tuning(name, Atom::i64(short)));
                let enough = self.truth("enough", Exp::CmpOp(CmpOp::Le, Atom::i64(ENOUGH), count));
                let some = self.number("some", Exp::BinOp(BinOp::Max, count, Atom::i64(1)));
                let mean = self.number("mean", Exp::BinOp(BinOp::Quot, total, some));
                let short = self.truth("short", Exp::CmpOp(CmpOp::Le, mean, short));
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
fn with_certs(mut stms: Vec<Stm>, certs: &[Var]) -> Vec<Stm> {
    for stm in &mut stms {
        stm.certs.extend(certs);
        stm.certs.sort_unstable();
        stm.certs.dedup();
    }
    stms
}
