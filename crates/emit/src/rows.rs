//! Rows that differ, on several threads.
//!
//! The work is divided, not the rows: each position counts as one, and so does the end of each row, because a task may get
//! many rows that are empty. Row `i` ends at `ends[i] + i` on that scale, so that a task finds its first row by binary search.
//!
//! ```text
//! tasks low .. high of total + n {
//!   first = the row that ends at low or later
//!   last = the row that ends at high or later
//!   for row = first + 1 .. last { as in a plain loop over rows }
//!   for first, and for last if there is such a row {
//!     for its positions from low to high { as usual }
//!     if it ends before high { store its results }
//!   }
//! }
//! ```
//!
//! One task finishes most rows alone. Of its first and its last row, others may have parts. A map does not mind. For
//! reductions, each task keeps the parts of these two rows, and afterwards they are combined in order, task after task;
//! a row may be as long as many tasks. Scans have two rounds, as elsewhere ([`super::tasks`]): the values before the
//! first row of each task are known when the parts of the last rows are. The first round needs only these, if the
//! function is cheap enough to be executed again.

use super::Emit;
use super::combine::{Kept, Partial, Room, Sofar};
use super::grid::{eq, lt};
use super::screma::Over;
use fehu_base::{OrBug, Prim, bug};
use fehu_facts::cost::is_repeatable;
use fehu_imp::rewrite::{all, bin, sum};
use fehu_imp::{Block, Exp, Kind, Stm, Ty, V};
use fehu_ir::{
    self as ir, After, BinOp, Lambda, Red, Rows, Scalar, Scan, Screma, Seg, SegParts, Var,
};

/// An operator whose rows differ.
#[derive(Clone, Copy)]
struct Differ<'a> {
    /// What the Seg binds.
    names: &'a [Var],
    seg: &'a Seg,
    rows: Rows,
    parts: SegParts<'a>,
    op: &'a Screma,
    /// The number of rows.
    count: V,
}

/// What a task does with a row, or with a part of it.
#[derive(Clone)]
struct Row {
    /// Its number.
    row: V,
    /// If others may have parts of it: the first and the last row of the task, of which it is one.
    shared: Option<[V; 2]>,
    /// The positions of the task, from the beginning of the row.
    range: (Exp, Exp),
}

/// What tasks leave for the others.
struct Left {
    chunks: V,
    /// The first and the last row of each task.
    firsts: V,
    lasts: V,
}

impl<'a> Differ<'a> {
    /// The variables that the operator binds.
    fn pat(self) -> &'a [Var] {
        &self.parts.op.pat
    }

    /// What the Seg binds for a result of the operator, if it returns it.
    fn name(self, var: Var) -> Option<Var> {
        let place = self.seg.body.body.results.iter().position(|result| *result == var.into())?;
        self.names.get(place).copied()
    }
}

impl<'a> Emit<'a> {
    /// A Seg with rows that differ, which threads of a CPU execute.
    pub(super) fn rows_in_tasks(&mut self, names: &'a [Var], seg: &'a Seg, rows: Rows) {
        let parts = seg.parts().or_bug("the operator of a seg");
        let (ir::Exp::Screma(op), [count]) = (&parts.op.exp, seg.space.as_slice()) else {
            bug("rows that differ are those of a map, reduction or scan")
        };
        let (count, total) = (self.atom(*count), self.atom(rows.total));
        let count = self.declare("count", Prim::I64, Some(count));
        let work = bin(BinOp::Add, total, Exp::Var(count));
        let work = Exp::Var(self.declare("work", Prim::I64, Some(work)));
        let differ = Differ { names, seg, rows, parts, op, count };
        let site = self.site();
        match parts.after {
            After::Nothing if op.folded() == 0 => {}
            After::Nothing => return self.fold_rows(differ, site, work),
            After::Epilogue(_) => {
                return self.with_epilogue(parts, |this| this.fold_rows(differ, site, work));
            }
            After::Finish(_) => bug("rows that differ have a finish"),
        }
        self.tasks(site, work, None, |this, [low, high, _]| {
            this.rows_of_task(differ, [low, high], |this, row| {
                let kind = this.kind(op, &[]);
                this.each_in(differ.pat(), Over::of(op), row.range, kind, |this, index, parts| {
                    this.combine_all(differ.pat(), index, op, parts, &[], &[]);
                });
            });
        });
    }

    /// Reductions and scans, with or without a map.
    fn fold_rows(&mut self, differ: Differ<'a>, site: usize, work: Exp) {
        let (op, pat) = (differ.op, differ.pat());
        let chunks = self.chunks(site, work.clone());
        let [(first_mem, firsts), (last_mem, lasts)] =
            ["firsts", "lasts"].map(|hint| self.temporary(hint, Prim::I64, Exp::Var(chunks)));
        let left = Left { chunks, firsts, lasts };
        // Two parts of each task.
        let room = Room::Memory(bin(BinOp::Mul, Exp::Var(chunks), Exp::int(2)));
        let kept = self.keep_each("partial", op.reds.iter().map(|red| &red.op), &room);
        let room = Room::Memory(Exp::Var(chunks));
        let carried = self.keep_each("carried", op.scans.iter().map(|scan| &scan.op), &room);
        // The first round cannot store what has no memory, and an epilogue wants final values.
        let is_elided = |var: &Var| self.place(*var).is_none();
        let cheap = is_repeatable(&op.map.body)
            || differ.parts.after != After::Nothing
            || pat[..op.scanned()].iter().any(is_elided);
        let twice = cheap && !op.scans.is_empty();
        if twice {
            let round = self.block(|this| {
                this.tasks(site, work.clone(), Some(chunks), |this, [low, high, chunk]| {
                    this.last_of_task(differ, [low, high], chunk, &left, &carried);
                });
                this.carry(differ, &left, &carried);
            });
            self.if_several(chunks, round);
        }
        self.tasks(site, work.clone(), Some(chunks), |this, [low, high, chunk]| {
            let [first, last] = this.rows_of_task(differ, [low, high], |this, row| {
                this.fold_row(differ, &row, chunk, (&kept, &carried), twice);
            });
            this.out.push(Stm::Store(firsts, Exp::Var(chunk), Exp::Var(first)));
            this.out.push(Stm::Store(lasts, Exp::Var(chunk), Exp::Var(last)));
        });
        let rest = self.block(|this| {
            if !cheap && !op.scans.is_empty() {
                this.carry(differ, &left, &carried);
                this.add_carried(differ, work, &left, &carried);
            }
            if !op.reds.is_empty() {
                this.finish_rows(differ, &left, &kept);
            }
        });
        self.if_several(chunks, rest);
        self.free(&kept);
        self.free(&carried);
        self.out.extend([Stm::Free(first_mem), Stm::Free(last_mem)]);
    }

    /// The part of a row that a task has.
    fn fold_row(
        &mut self,
        differ: Differ<'a>,
        row: &Row,
        chunk: V,
        (kept, carried): (&[Kept], &[Kept]),
        twice: bool,
    ) {
        let (op, pat) = (differ.op, differ.pat());
        let scanned = self.start_scans(op);
        if twice && row.shared.is_some() {
            // Others have what comes before.
            let load = self.block(|this| this.load_each(&scanned, carried, &Exp::Var(chunk)));
            self.out.push(Stm::If(lt(Exp::int(0), row.range.0.clone()), load, Block::new()));
        }
        let own = self.start_reds(op);
        let range = row.range.clone();
        if scanned.is_empty() {
            let kind = self.kind(op, &own);
            self.each_in(pat, Over::of(op), range, kind, |this, index, parts| {
                this.combine_all(pat, index, op, parts, &[], &own);
            });
        } else {
            self.scan_range(pat, op, range, &scanned, &own);
        }
        let done = self.block(|this| this.store_row_results(differ, row.row, &own));
        let Some([first, last]) = row.shared else { return self.out.extend(done) };
        if !own.is_empty() {
            let at = bin(BinOp::Mul, Exp::Var(chunk), Exp::int(2));
            let after = bin(BinOp::Add, at.clone(), Exp::int(1));
            let tail = self.block(|this| this.store_each(&own, kept, &after));
            self.out.push(Stm::If(lt(Exp::Var(row.row), Exp::Var(last)), done, tail));
            let head = self.block(|this| this.store_each(&own, kept, &at));
            self.out.push(Stm::If(eq(Exp::Var(row.row), Exp::Var(first)), head, Block::new()));
        }
        if !scanned.is_empty() && !twice {
            let tail = self.block(|this| this.store_each(&scanned, carried, &Exp::Var(chunk)));
            self.out.push(Stm::If(eq(Exp::Var(row.row), Exp::Var(last)), tail, Block::new()));
        }
    }

    /// The results of a row that has ended.
    fn store_row_results(&mut self, differ: Differ<'a>, row: V, reduced: &[Partial<'a>]) {
        let parts = reduced.iter().flat_map(|red| &red.parts);
        for (var, part) in differ.pat()[differ.op.scanned()..].iter().zip(parts) {
            // Some results are not needed, or have no contents.
            let place = differ.name(*var).and_then(|name| self.place(name));
            if let (Sofar::Scalar(v), Some(place)) = (part, place) {
                let at = self.address(&place.lmad, &[Exp::Var(row)]);
                let ptr = self.mem(place.block).ptr;
                self.out.push(Stm::Store(ptr, at, Exp::Var(*v)));
            }
        }
    }

    /// Executes code for each row of a task; returns the first and the last one, which may not exist.
    fn rows_of_task(
        &mut self,
        differ: Differ<'a>,
        [low, high]: [V; 2],
        work: impl Fn(&mut Self, Row),
    ) -> [V; 2] {
        let [first, last] = [low, high].map(|at| self.row_at(differ, at));
        let second = bin(BinOp::Add, Exp::Var(first), Exp::int(1));
        let between = self.block(|this| {
            let before = this.row_end(differ, first);
            let before = this.declare("before", Prim::I64, Some(before));
            let row = this.new_var("row", Ty::Scalar(Prim::I64));
            let body = this.block(|this| {
                let start = this.declare("start", Prim::I64, Some(Exp::Var(before)));
                let end = this.bind_row(differ, row, start);
                let width = bin(BinOp::Sub, Exp::Var(end), Exp::Var(start));
                let width = this.declare("width", Prim::I64, Some(width));
                let range = (Exp::int(0), Exp::Var(width));
                work(this, Row { row, shared: None, range });
                this.out.push(Stm::Assign(before, Exp::Var(end)));
            });
            let (from, to) = (second.clone(), Exp::Var(last));
            this.out.push(Stm::For { var: row, from, to, step: 1, kind: Kind::Sequential, body });
        });
        self.out.push(Stm::If(lt(second, Exp::Var(last)), between, Block::new()));
        // The two around them, if there are that many.
        let several = all([lt(Exp::Var(first), Exp::Var(last)), exists(differ, last)]);
        let some = exists(differ, first);
        let number = Exp::Select(Box::new([several, Exp::int(2), Exp::int(1)]));
        let number = Exp::Select(Box::new([some, number, Exp::int(0)]));
        let number = self.declare("number", Prim::I64, Some(number));
        let which = self.new_var("which", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let distance = bin(BinOp::Sub, Exp::Var(last), Exp::Var(first));
            let row = bin(BinOp::Mul, Exp::Var(which), distance);
            let row = bin(BinOp::Add, Exp::Var(first), row);
            let row = this.declare("row", Prim::I64, Some(row));
            let start = this.start_of(differ, row);
            this.at_row(differ, [low, high], [first, last], [row, start], work);
        });
        self.count_up(which, Exp::Var(number), body);
        [first, last]
    }

    /// Executes code for the part of the first or of the last row of a task.
    fn at_row(
        &mut self,
        differ: Differ<'a>,
        [low, high]: [V; 2],
        [first, last]: [V; 2],
        [row, start]: [V; 2],
        work: impl FnOnce(&mut Self, Row),
    ) {
        let end = self.bind_row(differ, row, start);
        let width = bin(BinOp::Sub, Exp::Var(end), Exp::Var(start));
        let from = bin(BinOp::Max, position(low, row, start), Exp::int(0));
        let to = bin(BinOp::Min, position(high, row, start), width);
        let [from, to] =
            [("from", from), ("to", to)].map(|(hint, at)| self.declare(hint, Prim::I64, Some(at)));
        let range = (Exp::Var(from), Exp::Var(to));
        work(self, Row { row, shared: Some([first, last]), range });
    }

    /// What the function gets, and what it computes before the operator; returns where the row ends.
    fn bind_row(&mut self, differ: Differ<'a>, row: V, start: V) -> V {
        let seg = differ.seg;
        let ([index], Some([begin, width])) = (seg.indices(), seg.row()) else {
            bug("rows that differ have one dimension")
        };
        let end = self.row_end(differ, row);
        let end = self.declare("end", Prim::I64, Some(end));
        self.scalars.insert(*index, Exp::Var(row));
        self.scalars.insert(begin, Exp::Var(start));
        self.bind(width, bin(BinOp::Sub, Exp::Var(end), Exp::Var(start)));
        for (param, input) in seg.elements().iter().zip(&seg.inputs) {
            self.element_param(*param, *input, *index);
        }
        differ.parts.before.iter().for_each(|stm| self.stm(stm));
        self.allocate_for(differ.parts.op);
        end
    }

    /// Where a row ends.
    fn row_end(&mut self, differ: Differ<'a>, row: V) -> Exp {
        let ends = differ.rows.ends;
        if let Some(end) = self.computed(ends, Exp::Var(row)) {
            return end;
        }
        let place = self.place(ends).or_bug("memory to read from");
        let at = self.address(&place.lmad, &[Exp::Var(row)]);
        Exp::Load(self.mem(place.block).ptr, Box::new(at))
    }

    /// Where a row starts, or where the last one ends; a variable that may be changed.
    fn start_of(&mut self, differ: Differ<'a>, row: V) -> V {
        let start = self.declare("before", Prim::I64, Some(Exp::int(0)));
        let previous = self.block(|this| {
            let previous = bin(BinOp::Sub, Exp::Var(row), Exp::int(1));
            let previous = this.declare("previous", Prim::I64, Some(previous));
            let end = this.row_end(differ, previous);
            this.out.push(Stm::Assign(start, end));
        });
        self.out.push(Stm::If(lt(Exp::int(0), Exp::Var(row)), previous, Block::new()));
        start
    }

    /// The first row that ends at a point of the work or later, by binary search; the number of rows if none does.
    fn row_at(&mut self, differ: Differ<'a>, at: V) -> V {
        let row = self.declare("row", Prim::I64, Some(Exp::int(0)));
        let bound = self.declare("bound", Prim::I64, Some(Exp::Var(differ.count)));
        let body = self.block(|this| {
            let middle = bin(BinOp::Add, Exp::Var(row), Exp::Var(bound));
            let middle = bin(BinOp::Shr, middle, Exp::int(1));
            let middle = this.declare("middle", Prim::I64, Some(middle));
            let end = this.row_end(differ, middle);
            let end = bin(BinOp::Add, end, Exp::Var(middle));
            let next = bin(BinOp::Add, Exp::Var(middle), Exp::int(1));
            let (later, here) = (Stm::Assign(row, next), Stm::Assign(bound, Exp::Var(middle)));
            this.out.push(Stm::If(lt(end, Exp::Var(at)), vec![later], vec![here]));
        });
        self.out.push(Stm::While(lt(Exp::Var(row), Exp::Var(bound)), body));
        row
    }

    /// The first round of scans: the part of the last row of a task.
    fn last_of_task(
        &mut self,
        differ: Differ<'a>,
        [low, high]: [V; 2],
        chunk: V,
        left: &Left,
        carried: &[Kept],
    ) {
        let [first, last] = [low, high].map(|at| self.row_at(differ, at));
        self.out.push(Stm::Store(left.firsts, Exp::Var(chunk), Exp::Var(first)));
        self.out.push(Stm::Store(left.lasts, Exp::Var(chunk), Exp::Var(last)));
        let (op, pat) = (differ.op, differ.pat());
        let body = self.block(|this| {
            let start = this.start_of(differ, last);
            this.at_row(differ, [low, high], [first, last], [last, start], |this, row| {
                let scanned = this.start_scans(op);
                let kind = this.combined(&scanned);
                this.each_in(pat, Over::of(op), row.range, kind, |this, _, parts| {
                    this.combine_each(&scanned, parts);
                });
                this.store_each(&scanned, carried, &Exp::Var(chunk));
            });
        });
        self.out.push(Stm::If(exists(differ, last), body, Block::new()));
    }

    /// Goes from task to task, and gives for each its number, its first and its last row, if there is a first one.
    fn each_task(
        &mut self,
        differ: Differ<'a>,
        left: &Left,
        work: impl FnOnce(&mut Self, V, [V; 2]),
    ) {
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        let body = self.running(self.inside(false), |this| {
            this.block(|this| {
                let [first, last] =
                    [("first", left.firsts), ("last", left.lasts)].map(|(hint, array)| {
                        let row = Exp::Load(array, Box::new(Exp::Var(k)));
                        this.declare(hint, Prim::I64, Some(row))
                    });
                let body = this.block(|this| work(this, k, [first, last]));
                this.out.push(Stm::If(exists(differ, first), body, Block::new()));
            })
        });
        self.count_up(k, Exp::Var(left.chunks), body);
    }

    /// Combines the values of the row that continues in a task with the task's own, or starts with the latter.
    fn continue_row(
        &mut self,
        differ: Differ<'a>,
        (k, row): (V, V),
        running: &[Partial<'a>],
        (kept, at): (&[Kept], &Exp),
    ) {
        let combined = self.block(|this| {
            let start = this.start_of(differ, row);
            this.bind_row(differ, row, start);
            this.append(running, kept, at);
        });
        let loaded = self.block(|this| this.load_each(running, kept, at));
        self.out.push(Stm::If(lt(Exp::int(0), Exp::Var(k)), combined, loaded));
    }

    /// Replaces the value of each task's last row by that of its first row before the task.
    fn carry(&mut self, differ: Differ<'a>, left: &Left, carried: &[Kept]) {
        let running = self.undefined(differ.op.scans.iter().map(|Scan { op, .. }| op));
        self.each_task(differ, left, |this, k, [first, last]| {
            let at = Exp::Var(k);
            let store = |this: &mut Self, before: &[Partial<'a>]| {
                let store = this.block(|this| this.store_each(before, carried, &at));
                this.out.push(Stm::If(lt(Exp::int(0), at.clone()), store, Block::new()));
            };
            let more = this.block(|this| {
                let before: Vec<Partial<'a>> = running
                    .iter()
                    .map(|part| Partial { op: part.op, parts: this.copied(&part.parts) })
                    .collect();
                let same = this.block(|this| {
                    this.continue_row(differ, (k, first), &running, (carried, &at));
                });
                let other = this.block(|this| this.load_each(&running, carried, &at));
                this.out.push(Stm::If(eq(Exp::Var(first), Exp::Var(last)), same, other));
                store(this, &before);
            });
            // The last task has no value of its own.
            let end = this.block(|this| store(this, &running));
            this.out.push(Stm::If(exists(differ, last), more, end));
        });
    }

    /// Finishes the rows that several tasks have parts of.
    fn finish_rows(&mut self, differ: Differ<'a>, left: &Left, kept: &[Kept]) {
        let running = self.undefined(differ.op.reds.iter().map(|Red { op, .. }| op));
        self.each_task(differ, left, |this, k, [first, last]| {
            let head = bin(BinOp::Mul, Exp::Var(k), Exp::int(2));
            this.continue_row(differ, (k, first), &running, (kept, &head));
            let ended = this.block(|this| {
                this.store_row_results(differ, first, &running);
                let tail = bin(BinOp::Add, head.clone(), Exp::int(1));
                let next = this.block(|this| this.load_each(&running, kept, &tail));
                this.out.push(Stm::If(exists(differ, last), next, Block::new()));
            });
            this.out.push(Stm::If(lt(Exp::Var(first), Exp::Var(last)), ended, Block::new()));
        });
    }

    /// The second round of scans that tasks have made by themselves: their first rows have begun elsewhere.
    fn add_carried(&mut self, differ: Differ<'a>, work: Exp, left: &Left, carried: &[Kept]) {
        let site = self.site();
        let (firsts, lasts) = (left.firsts, left.lasts);
        self.tasks(site, work, Some(left.chunks), |this, [low, high, chunk]| {
            let [first, last] = [("first", firsts), ("last", lasts)].map(|(hint, array)| {
                let row = Exp::Load(array, Box::new(Exp::Var(chunk)));
                this.declare(hint, Prim::I64, Some(row))
            });
            let body = this.block(|this| {
                let start = this.start_of(differ, first);
                this.at_row(differ, [low, high], [first, last], [first, start], |this, row| {
                    let begun = lt(Exp::int(0), row.range.0.clone());
                    let add = this.block(|this| {
                        this.add_prefix(differ.pat(), differ.op, row.range, carried, chunk);
                    });
                    this.out.push(Stm::If(begun, add, Block::new()));
                });
            });
            this.out.push(Stm::If(exists(differ, first), body, Block::new()));
        });
    }

    /// Assigns values that are kept.
    fn load_each(&mut self, partials: &[Partial<'a>], kept: &[Kept], at: &Exp) {
        for (partial, kept) in partials.iter().zip(kept) {
            let values = self.load_kept(kept, at);
            self.copy_parts(&partial.parts, &values);
        }
    }

    /// Variables for the values of operators, which have none that means anything yet.
    fn undefined(&mut self, ops: impl Iterator<Item = &'a Lambda>) -> Vec<Partial<'a>> {
        let mut all = Vec::new();
        for op in ops {
            let mut parts = Vec::new();
            for prim in self.part_prims(op) {
                parts.push(match prim {
                    Some(prim) => {
                        let zero = Exp::Const(Scalar::zero(prim));
                        Sofar::Scalar(self.declare("running", prim, Some(zero)))
                    }
                    None => Sofar::Nothing,
                });
            }
            all.push(Partial { op, parts });
        }
        all
    }
}

fn exists(differ: Differ<'_>, row: V) -> Exp {
    lt(Exp::Var(row), Exp::Var(differ.count))
}

/// Where a point of the work is in a row.
fn position(point: V, row: V, start: V) -> Exp {
    sum(&[(1, point), (-1, row), (-1, start)], 0)
}
