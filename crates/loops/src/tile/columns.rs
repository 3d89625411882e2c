//! Accumulations along columns, interchanged so that a block of columns is accumulated row by row.

use super::nest::{ACC, J, K, Line, Nest, depends, loads, needed};
use super::register::{independent, sequential};
use super::trips;
use fehu_base::bug;
use fehu_imp::cpu::CPU;
use fehu_imp::rewrite::{Vars, all, bin, end_of_blocks, is_unit, le, substitute, sum};
use fehu_imp::{Block, Exp, Prim, Stm, Ty, V};
use fehu_ir::BinOp;
use rustc_hash::FxHashMap;

/// The columns of a block; the accumulators should stay in the nearest cache, where other things are, too.
const COLUMNS: u32 = CPU.near_bytes / (8 * 8);
/// How many steps are made at a time: an accumulator is loaded and stored once for all of them.
const STEPS: i64 = CPU.chains as i64;
/// Fewer columns or steps than this are left as they are.
const LEAST: [i64; 2] = [16, 4];

/// The statements that a nest of two loops becomes, if it fits.
pub(super) fn turned(vars: &mut Vars<'_>, stm: &Stm) -> Option<Block> {
    let nest = Nest::of(stm, FxHashMap::default(), &|v| vars.0[v].ty)?;
    if !is_contiguous(&nest) {
        return None;
    }
    let jb = vars.scalar("jb", Prim::I64);
    let width = vars.scalar("width", Prim::I64);
    let end = vars.scalar("end", Prim::I64);
    let left = sum(&[(1, end), (-1, jb)], 0);
    let columns = bin(BinOp::Min, left, Exp::int(COLUMNS.into()));
    let mut body = vec![Stm::Declare(width, Some(columns))];
    let arrays: Vec<(V, V)> = nest
        .accs
        .iter()
        .map(|(acc, prim)| (*acc, vars.new_var("acc", Ty::Local(*prim, COLUMNS))))
        .collect();
    body.extend(arrays.iter().map(|(_, array)| Stm::Declare(*array, None)));

    // The first values.
    let mut turn = Turn { vars, nest: &nest, arrays: &arrays, jb };
    let (jj, mut known) = turn.columns();
    let mut inner = Block::new();
    let accs: Vec<Exp> = nest.accs.iter().map(|(acc, _)| Exp::Var(*acc)).collect();
    turn.lines(&mut inner, &nest.before, &mut known, jj, &needed(accs.iter(), &nest.before));
    body.push(independent(jj, Exp::Var(width), inner));
    // The steps, some at a time.
    let (from, to) = (nest.k.from.clone(), nest.k.to.clone());
    let whole = turn.vars.scalar("whole", Prim::I64);
    body.push(Stm::Declare(whole, Some(end_of_blocks(&from, &to, STEPS))));
    body.push(turn.steps(from, Exp::Var(whole), STEPS, width));
    body.push(turn.steps(Exp::Var(whole), to, 1, width));
    // What is done with the sums.
    let (jj, mut known) = turn.columns();
    let mut inner = Block::new();
    let mut values: Vec<&Exp> = Vec::new();
    nest.after.iter().for_each(|stm| stm.each_exp(&mut |e| values.push(e)));
    turn.lines(&mut inner, &nest.before, &mut known, jj, &turn.wanted(&values));
    turn.after(&mut inner, known);
    body.push(independent(jj, Exp::Var(width), inner));

    let counts = [&nest.j, &nest.k].map(|head| trips(&head.from, &head.to));
    let condition = all(counts.into_iter().zip(LEAST).map(|(n, least)| le(Exp::int(least), n)));
    let blocks = sequential(jb, nest.j.from.clone(), Exp::Var(end), COLUMNS.into(), body);
    let code = vec![
        Stm::Comment("A block of columns at a time.".into()),
        Stm::Declare(end, Some(nest.j.to.clone())),
        blocks,
    ];
    Some(vec![Stm::If(condition, code, vec![stm.clone()])])
}

/// Whether the next column is the next element for all loads that depend on column and step.
fn is_contiguous(nest: &Nest) -> bool {
    let mut unit = true;
    for line in &nest.body {
        loads(&line.value, &mut |_, at| {
            let own = depends(at, &nest.deps);
            unit &= own & ACC == 0;
            if own & (J | K) == J | K {
                unit &= is_unit(at, nest.j.var);
            }
        });
    }
    // What is computed before is computed again in each step.
    let cheap = |line: &Line| !line.value.is_expensive();
    unit && nest.before.iter().all(cheap)
}

struct Turn<'a, 'v, 'f> {
    vars: &'v mut Vars<'f>,
    nest: &'a Nest,
    arrays: &'a [(V, V)],
    jb: V,
}

impl Turn<'_, '_, '_> {
    /// A loop variable for the columns of a block, and what variables are inside such a loop.
    fn columns(&mut self) -> (V, FxHashMap<V, Exp>) {
        let jj = self.vars.scalar("jj", Prim::I64);
        let mut known: FxHashMap<V, Exp> = FxHashMap::default();
        known.insert(self.nest.j.var, sum(&[(1, self.jb), (1, jj)], 0));
        for (acc, array) in self.arrays {
            known.insert(*acc, Exp::Load(*array, Box::new(Exp::Var(jj))));
        }
        (jj, known)
    }

    /// So many steps at a time, for all columns of a block.
    fn steps(&mut self, from: Exp, to: Exp, count: i64, width: V) -> Stm {
        let k = self.vars.like(self.nest.k.var);
        let (jj, mut known) = self.columns();
        let mut inner = Block::new();
        let values: Vec<&Exp> = self.nest.body.iter().map(|line| &line.value).collect();
        let wanted = self.wanted(&values);
        self.lines(&mut inner, &self.nest.before, &mut known, jj, &wanted);
        for (acc, array) in self.arrays {
            let v = self.vars.like(*acc);
            inner.push(Stm::Declare(v, Some(Exp::Load(*array, Box::new(Exp::Var(jj))))));
            known.insert(*acc, Exp::Var(v));
        }
        for step in 0..count {
            known.insert(self.nest.k.var, sum(&[(1, k)], step));
            for line in &self.nest.body {
                let v = self.vars.like(line.var);
                let value = substitute(&line.value, &|v| known.get(&v).cloned());
                inner.push(Stm::Declare(v, Some(value)));
                known.insert(line.var, Exp::Var(v));
            }
        }
        for (acc, array) in self.arrays {
            inner.push(Stm::Store(*array, Exp::Var(jj), known[acc].clone()));
        }
        sequential(k, from, to, count, vec![independent(jj, Exp::Var(width), inner)])
    }

    /// What some expressions need of what is computed before, without the accumulators.
    fn wanted(&self, values: &[&Exp]) -> Vec<V> {
        let mut wanted = needed(values.iter().copied(), &self.nest.before);
        wanted.retain(|v| !self.nest.is_acc(*v));
        wanted
    }

    /// Those lines that are wanted, with elements of arrays for the accumulators, which get their first values only if
    /// they are.
    fn lines(
        &mut self,
        out: &mut Block,
        lines: &[Line],
        known: &mut FxHashMap<V, Exp>,
        jj: V,
        wanted: &[V],
    ) {
        let first = self.arrays.iter().any(|(acc, _)| wanted.contains(acc));
        for line in lines.iter().filter(|line| !line.is_new || wanted.contains(&line.var)) {
            let array = self.arrays.iter().find(|(acc, _)| *acc == line.var);
            if array.is_some() && line.is_new && !first {
                continue;
            }
            let value = substitute(&line.value, &|v| known.get(&v).cloned());
            match array {
                Some((_, array)) => out.push(Stm::Store(*array, Exp::Var(jj), value)),
                None => {
                    let v = self.vars.like(line.var);
                    out.push(Stm::Declare(v, Some(value)));
                    known.insert(line.var, Exp::Var(v));
                }
            }
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    fn after(&mut self, out: &mut Block, mut known: FxHashMap<V, Exp>) {
        for stm in &self.nest.after {
            let of = |e: &Exp| substitute(e, &|v| known.get(&v).cloned());
            match stm {
                Stm::Declare(v, Some(e)) => {
                    let value = of(e);
                    let new = self.vars.like(*v);
                    out.push(Stm::Declare(new, Some(value)));
                    known.insert(*v, Exp::Var(new));
                }
                Stm::Store(p, at, e) => out.push(Stm::Store(*p, of(at), of(e))),
                Stm::Comment(_) => {}
                other => bug(format_args!("after the loop of a nest, {other:?}")),
            }
        }
    }
}
