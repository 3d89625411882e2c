//! Which cases of a `match` can be reached, and which values none of them matches.
//!
//! This is Maranget's algorithm ("Warnings for pattern matching", 2007) in the form that answers for
//! all rows at once. The patterns are the rows of a matrix. Its first column is split by what values
//! may begin with; each part is a smaller matrix, in which a row that matches every beginning takes
//! part again. A matrix without rows leaves a value unmatched. In a matrix whose first row matches
//! everything, no other row is reached.
//!
//! Rows are lists with shared tails, so that splitting costs the width of one pattern and not that
//! of the whole row. A list may be shorter than the matrix is wide: what is missing matches
//! everything. Matching is coNP-complete; the work is bounded by a budget, after which nothing is
//! known ([`Stop`]).

use super::form::{ANY, FormId, Forms, Head, integer_range};
use super::witness::Witness;
use crate::ty::Ty;
use indexmap::IndexMap;
use indexmap::map::Entry;
use rustc_hash::FxBuildHasher;

/// At most this many unmatched values are looked for.
pub const MAX_WITNESSES: usize = 17;

/// How many rows may be looked at.
const BUDGET: usize = 5_000_000;

/// How many columns may be split inside each other, for the sake of the stack.
const MAX_COLUMNS: usize = 100_000;

/// What was found out about the patterns of one `match`.
#[derive(Debug)]
pub struct Answer<'a> {
    /// Whether each pattern matches some value that those before it do not.
    pub reached: Vec<bool>,
    /// Values that no pattern matches, [`MAX_WITNESSES`] at most.
    pub unmatched: Vec<Witness<'a>>,
}

/// The budget is spent, and nothing is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop;

/// Answers for patterns of values of type `ty`.
pub fn solve<'a>(forms: &Forms, arms: &[FormId], ty: &'a Ty) -> Result<Answer<'a>, Stop> {
    let mut solver = Solver {
        forms,
        cells: Vec::new(),
        columns: Vec::new(),
        reached: vec![false; arms.len()],
        budget: BUDGET,
        leaves: 0,
        depth: 0,
    };
    let column = solver.column(ty, NIL);
    let rows: Vec<Row> = arms
        .iter()
        .enumerate()
        .map(|(arm, &form)| Row { list: solver.cell(form, NIL), arm })
        .collect();
    let unmatched = solver.matrix(rows, column)?;
    let unmatched = unmatched.into_iter().filter_map(|mut w| w.pop()).collect();
    Ok(Answer { reached: solver.reached, unmatched })
}

/// The empty list.
const NIL: u32 = 0;

/// A pattern and what follows it; lists are never all [`ANY`], except the empty one.
#[derive(Clone, Copy)]
struct Cell {
    form: FormId,
    next: u32,
}

#[derive(Clone, Copy)]
struct Row {
    list: u32,
    arm: usize,
}

/// One witness for each column; the first column's is the last.
type Stack<'a> = Vec<Witness<'a>>;

struct Solver<'a, 'f> {
    forms: &'f Forms,
    cells: Vec<Cell>,
    columns: Vec<(&'a Ty, u32)>,
    reached: Vec<bool>,
    budget: usize,
    /// How many matrices without rows were met.
    leaves: usize,
    /// How many columns have been split to get here.
    depth: usize,
}

impl<'a> Solver<'a, '_> {
    fn matrix(&mut self, mut rows: Vec<Row>, mut columns: u32) -> Result<Vec<Stack<'a>>, Stop> {
        self.charge(rows.len() + 1)?;
        // Columns in which every row has `ANY` split nothing.
        let mut skipped = 0;
        loop {
            match rows.first() {
                None if self.leaves >= MAX_WITNESSES => return Ok(Vec::new()),
                None => {
                    self.leaves += 1;
                    let mut width = skipped;
                    while let Some((_, next)) = self.first_column(columns) {
                        width += 1;
                        columns = next;
                    }
                    self.charge(width)?;
                    return Ok(vec![vec![Witness::Any; width]]);
                }
                Some(row) if row.list == NIL => {
                    if let Some(reached) = self.reached.get_mut(row.arm) {
                        *reached = true;
                    }
                    return Ok(Vec::new());
                }
                Some(_) => {}
            }
            if rows.iter().any(|row| self.first(row.list).0 != ANY) {
                break;
            }
            self.charge(rows.len())?;
            for row in &mut rows {
                row.list = self.first(row.list).1;
            }
            let Some((_, next)) = self.first_column(columns) else {
                return Err(Stop);
            };
            columns = next;
            skipped += 1;
        }
        let Some((ty, rest)) = self.first_column(columns) else {
            return Err(Stop);
        };
        if self.depth >= MAX_COLUMNS {
            return Err(Stop);
        }
        self.depth += 1;
        let mut found = self.split(&rows, ty, rest)?;
        self.depth -= 1;
        for stack in &mut found {
            stack.resize(stack.len() + skipped, Witness::Any);
        }
        Ok(found)
    }

    /// Splits the first column, of type `ty`.
    fn split(&mut self, rows: &[Row], ty: &'a Ty, rest: u32) -> Result<Vec<Stack<'a>>, Stop> {
        let mut groups: IndexMap<Head, Vec<Row>, FxBuildHasher> = IndexMap::default();
        let mut others: Vec<Row> = Vec::new();
        for row in rows {
            let (form, next) = self.first(row.list);
            match self.forms.get(form) {
                None => {
                    self.charge(groups.len())?;
                    let row = Row { list: next, ..*row };
                    for (head, group) in &mut groups {
                        let row = self.widen(row, part_types(*head, ty).count())?;
                        group.push(row);
                    }
                    others.push(row);
                }
                Some((head, parts)) => {
                    self.charge(parts.len())?;
                    let mut list = next;
                    for &part in parts.iter().rev() {
                        list = self.cell(part, list);
                    }
                    let group = match groups.entry(head) {
                        Entry::Occupied(entry) => entry.into_mut(),
                        Entry::Vacant(entry) => {
                            self.charge(others.len())?;
                            let group = others.iter().map(|&row| self.widen(row, parts.len()));
                            entry.insert(group.collect::<Result<_, _>>()?)
                        }
                    };
                    group.push(Row { list, ..*row });
                }
            }
        }
        let mut found = Vec::new();
        let missing = missing_heads(&groups, ty);
        if !missing.is_empty() {
            for stack in self.matrix(others, rest)? {
                for &head in &missing {
                    let mut stack = stack.clone();
                    stack.push(match head {
                        Head::Int(_) | Head::Float(_) => Witness::Other(head),
                        Head::Record | Head::Ctor(_) | Head::Bool(_) => {
                            let parts = vec![Witness::Any; part_types(head, ty).count()];
                            Witness::Node(head, ty, parts)
                        }
                    });
                    found.push(stack);
                    if found.len() >= MAX_WITNESSES {
                        break;
                    }
                }
            }
            found.truncate(MAX_WITNESSES);
        }
        for (head, group) in groups {
            let mut columns = rest;
            let types: Vec<&'a Ty> = part_types(head, ty).collect();
            for ty in types.iter().rev() {
                columns = self.column(ty, columns);
            }
            for mut stack in self.matrix(group, columns)? {
                let mut parts = stack.split_off(stack.len().saturating_sub(types.len()));
                parts.reverse();
                stack.push(Witness::Node(head, ty, parts));
                found.push(stack);
            }
            found.truncate(MAX_WITNESSES);
        }
        Ok(found)
    }

    /// The row that matches everything in `width` more columns at the front.
    fn widen(&mut self, row: Row, width: usize) -> Result<Row, Stop> {
        if row.list == NIL {
            return Ok(row);
        }
        self.charge(width)?;
        let list = (0..width).fold(row.list, |list, _| self.cell(ANY, list));
        Ok(Row { list, ..row })
    }

    fn charge(&mut self, work: usize) -> Result<(), Stop> {
        self.budget = self.budget.checked_sub(work).ok_or(Stop)?;
        Ok(())
    }

    fn cell(&mut self, form: FormId, next: u32) -> u32 {
        if form == ANY && next == NIL {
            return NIL;
        }
        self.cells.push(Cell { form, next });
        u32::try_from(self.cells.len()).unwrap_or(NIL)
    }

    fn first(&self, list: u32) -> (FormId, u32) {
        match (list as usize).checked_sub(1).and_then(|i| self.cells.get(i)) {
            Some(cell) => (cell.form, cell.next),
            None => (ANY, NIL),
        }
    }

    fn column(&mut self, ty: &'a Ty, next: u32) -> u32 {
        self.columns.push((ty.unwrap_unique(), next));
        u32::try_from(self.columns.len()).unwrap_or(NIL)
    }

    fn first_column(&self, list: u32) -> Option<(&'a Ty, u32)> {
        (list as usize).checked_sub(1).and_then(|i| self.columns.get(i)).copied()
    }
}

/// Beginnings of values of type `ty` that no group has; one of them, if they are numbers.
fn missing_heads(groups: &IndexMap<Head, Vec<Row>, FxBuildHasher>, ty: &Ty) -> Vec<Head> {
    let absent = |head: &Head| !groups.contains_key(head);
    match ty {
        Ty::Sum(ctors) => (0..ctors.len()).map(Head::Ctor).filter(absent).collect(),
        Ty::Prim(prim) if prim.is_float() => {
            // Among one number more than there are groups, one is absent.
            let mut all = (0..=groups.len()).map(|n| Head::Float((n as f64).to_bits()));
            all.find(absent).into_iter().collect()
        }
        Ty::Prim(prim) => match integer_range(*prim) {
            Some((min, max)) => {
                let mut all = (0..=max).chain((min..0).rev()).map(Head::Int);
                all.find(absent).into_iter().collect()
            }
            None => [Head::Bool(false), Head::Bool(true)].into_iter().filter(absent).collect(),
        },
        Ty::Record(_)
        | Ty::Array(..)
        | Ty::Fun(_)
        | Ty::Con(..)
        | Ty::Meta(_)
        | Ty::Unique(_)
        | Ty::Error => Vec::new(),
    }
}

/// The types of the parts of a value of type `ty` that begins so.
fn part_types(head: Head, ty: &Ty) -> impl DoubleEndedIterator<Item = &Ty> {
    let (fields, payload): (&[_], &[_]) = match (head, ty) {
        (Head::Record, Ty::Record(fields)) => (fields, &[]),
        (Head::Ctor(index), Ty::Sum(ctors)) => {
            (&[], ctors.get(index).map_or(&[], |(_, tys)| tys.as_slice()))
        }
        _ => (&[], &[]),
    };
    fields.iter().map(|(_, ty)| ty).chain(payload)
}
