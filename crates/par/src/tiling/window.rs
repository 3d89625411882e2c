//! Windows: positions that read elements near them.
//!
//! A *coordinate* is the index of a position plus a distance with known bounds, which comes from constants and from the
//! counters of loops. Positions that are neighbours have coordinates in common, and so have the elements there. An
//! index is a coordinate, or what a *border* makes of one: `max 0 (min (n - 1) y)` where the nearest element stands for
//! what is outside, or `y % n`.
//!
//! ```text
//! seg grid [h] \(i) -> map (\j -> reduce over dy, dx of a[clamp (i + dy - 4), clamp (j + dx - 4)]) (iota w)
//! ==>
//! seg grid [h] window [32, 32] (a[near 0 -4 4 (...), near 1 -4 4 (...)] ...) \(i) -> ...
//! ```
//!
//! It pays where a position reads many elements ([`WindowTiling::LEAST_READS`]): the caches of a device serve few as
//! well, but threads compute borders for every element that they read, and with a copy only for those that they copy.
//! Where a branch asks whether an element exists, the copy has the constant that is there otherwise ([`Guarded`]).
//! Where a branch that asks this does more than to read, blocks whose elements all exist do without it ([`exists`]).
//! Elements that are read in other branches stay where they are (on an H200, a window of 9 x 9 takes 646 us with a copy
//! that branches read, and 555 without). What is left as well: slices of arrays.
//!
//! Distances may depend on numbers that are known only when the program runs, but are the same everywhere: the reach of
//! a convolution, say. Then a block has room for as many elements as does not keep others away, and the host decides
//! whether they are enough.

use fehu_base::{IdVec, Prim};
use fehu_imp::device::DEVICE;
use fehu_ir::free::bound_in_lambda;
use fehu_ir::{
    Atom, Axis, BinOp, Body, Border, Dim, Distance, Elem, Exp, Guard, Guarded, Lambda, LoopForm,
    Origin, Scalar, Screma, Seg, Stm, Type, Var, VarInfo, Window, WindowRead, WindowTiling, exists,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Distances are sums of no more numbers than this.
const MOST_TERMS: usize = 4;

/// The positions of a block along the dimensions of windows, and the last one: if there is only that, or one more, or two.
const LENGTHS: [&[u32]; 3] = [&[1024], &[32, 32], &[8, 8, 32]];

/// Arrays `iota n start 1`, with constant starts: where they start.
#[derive(Default)]
pub(super) struct Ranges(FxHashMap<Var, i64>);

impl Ranges {
    pub(super) fn learn(&mut self, stm: &Stm) {
        if let (Exp::Iota(Prim::I64, _, Atom::Const(Scalar::I64(start)), step), [var]) =
            (&stm.exp, stm.pat.as_slice())
            && *step == Atom::i64(1)
        {
            self.0.insert(*var, *start);
        }
    }

    fn learn_all(&self, stms: &[Stm]) -> Ranges {
        let mut all = Ranges(self.0.clone());
        stms.iter().for_each(|stm| all.learn(stm));
        all
    }
}

/// What the positions of a map read near them.
pub(super) fn windows(
    seg: &Seg,
    op: &Screma,
    vars: &IdVec<Var, VarInfo>,
    ranges: &Ranges,
) -> Option<WindowTiling> {
    let own = seg.space.len();
    let mut finder = Finder {
        vars,
        bound: bound_in_lambda(&seg.body).into_iter().collect(),
        near: FxHashMap::default(),
        borders: FxHashMap::default(),
        made: FxHashMap::default(),
        branches: Vec::new(),
        in_switch: false,
        times: 1,
        found: Vec::new(),
    };
    for (dim, index) in seg.indices().iter().enumerate() {
        finder.near.extend(Near::new(Origin::Position(dim), 0, 0).map(|near| (*index, near)));
    }
    let before = seg.parts()?.before;
    before.iter().for_each(|stm| finder.stm(stm, ranges));
    let ranges = ranges.learn_all(before);
    for (param, input) in op.map.params.iter().zip(&op.inputs) {
        if let Some(start) = ranges.0.get(input) {
            let near = Near::new(Origin::Position(own), *start, *start);
            finder.near.extend(near.map(|near| (*param, near)));
        }
    }
    finder.body(&op.map.body, &ranges);
    // How often elements are read is known if it is known how many there are.
    let is_known = |window: &Window| window.volume(&[]).is_some();
    let mut windows = Vec::new();
    for (window, times) in finder.found {
        if (times >= WindowTiling::LEAST_READS || !is_known(&window))
            && window.axes.iter().any(|axis| wide_along(axis).is_some())
        {
            windows.push((window, times));
        }
    }
    let lengths = lengths(&windows, own + 1)?;
    let positions: u64 = lengths.iter().map(|length| u64::from(*length)).product();
    windows.retain(|(window, times)| {
        window.volume(&lengths).is_none_or(|volume| {
            volume.saturating_mul(WindowTiling::LEAST_REUSE) <= times.saturating_mul(positions)
        })
    });
    let mut windows: Vec<Window> = windows.into_iter().map(|(window, _)| window).collect();
    let size = |window: &Window| u64::from(element_bytes(window.array, vars));
    let bytes = |window: &Window| Some(window.volume(&lengths)?.saturating_mul(size(window)));
    let known = windows.iter().filter_map(bytes).fold(0, u64::saturating_add);
    let unknown = windows.iter().filter(|window| bytes(window).is_none()).count() as u64;
    let all = u64::from(DEVICE.shared_bytes);
    // With more, a multiprocessor has fewer blocks at a time.
    if let Some(each) = (all / 2).saturating_sub(known).checked_div(unknown) {
        for window in windows.iter_mut().filter(|window| window.volume(&lengths).is_none()) {
            window.room = Some(u32::try_from(each / size(window)).ok()?);
        }
    }
    (!windows.is_empty() && known <= all).then_some(WindowTiling { lengths, windows })
}

/// The dimension of the positions along which elements have neighbours in common.
fn wide_along(axis: &Axis) -> Option<usize> {
    match axis.from {
        Origin::Position(dim) => (axis.width().known() != Some(0)).then_some(dim),
        Origin::Everywhere(_) => None,
    }
}

/// The lengths of the box of positions of a block. It always extends along the last dimension, so that threads access
/// neighbouring elements.
fn lengths(windows: &[(Window, u64)], rank: usize) -> Option<Vec<u32>> {
    let axes = windows.iter().flat_map(|(window, _)| &window.axes);
    let mut dims: Vec<usize> = axes.filter_map(wide_along).chain([rank - 1]).collect();
    dims.sort_unstable();
    dims.dedup();
    let mut lengths = vec![1; rank];
    for (dim, length) in dims.iter().zip(*LENGTHS.get(dims.len() - 1)?) {
        lengths[*dim] = *length;
    }
    Some(lengths)
}

fn element_bytes(array: Var, vars: &IdVec<Var, VarInfo>) -> u32 {
    match vars[array].ty.elem() {
        Some(Elem::Prim(prim)) => prim.bits().div_ceil(8),
        Some(Elem::Unit) | None => 0,
    }
}

/// A number: from somewhere, with a distance between these.
#[derive(Clone, PartialEq)]
struct Near {
    from: Origin,
    low: Distance,
    high: Distance,
}

impl Near {
    const ZERO: Origin = Origin::Everywhere(Atom::Const(Scalar::I64(0)));

    fn new(from: Origin, low: impl Into<Distance>, high: impl Into<Distance>) -> Option<Near> {
        let (low, high) = (low.into(), high.into());
        let is_short = |distance: &Distance| {
            distance.plus.unsigned_abs() < WindowTiling::LONGEST.unsigned_abs()
                && distance.terms.len() <= MOST_TERMS
        };
        let is_empty = high.plus(-1, &low).known().is_some_and(|width| width < 0);
        (is_short(&low) && is_short(&high) && !is_empty).then_some(Near { from, low, high })
    }

    /// The bounds of a number that is nothing but a distance, if they are known.
    fn plain(&self) -> Option<(i64, i64)> {
        (self.from == Near::ZERO).then_some((self.low.known()?, self.high.known()?))
    }

    /// The bounds of a number that is nowhere near a position.
    fn distance(&self) -> Option<(Distance, Distance)> {
        let Origin::Everywhere(atom) = self.from else { return None };
        if self.from == Near::ZERO {
            return Some((self.low.clone(), self.high.clone()));
        }
        let more = Distance { plus: 0, terms: vec![(1, atom)] };
        Some((self.low.plus(1, &more), self.high.plus(1, &more)))
    }

    /// What an operation makes of two numbers.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other operations make no distances")]
    fn op(op: BinOp, a: &Near, b: &Near) -> Option<Near> {
        match op {
            BinOp::Add => {
                let (a, b) =
                    if b.distance().is_some() && a.from != Near::ZERO { (a, b) } else { (b, a) };
                let (low, high) = b.distance()?;
                Near::new(a.from, a.low.plus(1, &low), a.high.plus(1, &high))
            }
            BinOp::Sub => {
                let (low, high) = b.distance()?;
                Near::new(a.from, a.low.plus(-1, &high), a.high.plus(-1, &low))
            }
            BinOp::Mul => {
                let ((a, b), (c, d)) = (a.plain()?, b.plain()?);
                let all = [a * c, a * d, b * c, b * d];
                Near::new(Near::ZERO, all.into_iter().min()?, all.into_iter().max()?)
            }
            BinOp::Min | BinOp::Max => {
                let ((a, b), (c, d)) = (a.plain()?, b.plain()?);
                let (low, high) =
                    if op == BinOp::Min { (a.min(c), b.min(d)) } else { (a.max(c), b.max(d)) };
                Near::new(Near::ZERO, low, high)
            }
            BinOp::Div | BinOp::Quot | BinOp::Mod | BinOp::Rem => {
                let ((low, high), (by, same)) = (a.plain()?, b.plain()?);
                if low < 0 || by <= 0 || by != same {
                    return None;
                }
                let (low, high) = match op {
                    BinOp::Div | BinOp::Quot => (low / by, high / by),
                    _ if low / by == high / by => (low % by, high % by),
                    _ => (0, by - 1),
                };
                Near::new(Near::ZERO, low, high)
            }
            _ => None,
        }
    }
}

struct Finder<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    /// What the function of the Seg binds. Other variables are the same everywhere.
    bound: FxHashSet<Var>,
    near: FxHashMap<Var, Near>,
    /// What the last operation of a border has made, and of what.
    borders: FxHashMap<Var, (Atom, Border)>,
    /// How truth values are made, and numbers near positions, which do not overflow.
    made: FxHashMap<Var, Exp>,
    /// The conditions under which the code is executed ...
    branches: Vec<(Atom, bool)>,
    /// ... and whether there are others.
    in_switch: bool,
    /// How often the code is executed for a position, as far as that is known.
    times: u64,
    /// Windows, and how many of their elements a position reads.
    found: Vec<(Window, u64)>,
}

impl Finder<'_> {
    fn body(&mut self, body: &Body, ranges: &Ranges) {
        let ranges = ranges.learn_all(&body.stms);
        body.stms.iter().for_each(|stm| self.stm(stm, &ranges));
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else computes or reads numbers")]
    fn stm(&mut self, stm: &Stm, ranges: &Ranges) {
        if let [var] = stm.pat.as_slice() {
            self.scalar(*var, &stm.exp);
        }
        match &stm.exp {
            Exp::Loop(_, LoopForm::For(counter, bound), body) => {
                self.counter(*counter, 0, *bound);
                self.repeat(*bound, |this| this.body(body, ranges));
            }
            Exp::Screma(op) => {
                for (param, input) in op.map.params.iter().zip(&op.inputs) {
                    if let Some(start) = ranges.0.get(input) {
                        self.counter(*param, *start, op.width);
                    }
                }
                let folds = op.scans.iter().map(|scan| &scan.op);
                let folds: Vec<&Lambda> = folds.chain(op.reds.iter().map(|red| &red.op)).collect();
                self.repeat(op.width, |this| {
                    this.body(&op.map.body, ranges);
                    folds.iter().for_each(|fold| this.body(&fold.body, ranges));
                });
            }
            exp if self.guarded(&stm.pat, exp) => {}
            Exp::If(cond, bodies) => {
                for (body, holds) in bodies.iter().zip([true, false]) {
                    self.branches.push((*cond, holds));
                    self.body(body, ranges);
                    self.branches.pop();
                }
            }
            Exp::Switch(..) => {
                let around = std::mem::replace(&mut self.in_switch, true);
                stm.exp.for_each_body(&mut |body| self.body(body, ranges));
                self.in_switch = around;
            }
            exp => exp.for_each_body(&mut |body| self.body(body, ranges)),
        }
    }

    /// The counter of a loop of this many steps.
    fn counter(&mut self, var: Var, start: i64, steps: Atom) {
        let steps = self.near(steps).and_then(|near| near.distance());
        let last = steps.filter(|(low, high)| low == high).map(|(steps, _)| steps);
        let near = last.and_then(|last| {
            Near::new(Near::ZERO, start, last.plus(1, &start.checked_sub(1)?.into()))
        });
        self.near.extend(near.map(|near| (var, near)));
    }

    fn repeat(&mut self, steps: Atom, work: impl FnOnce(&mut Self)) {
        let around = self.times;
        let steps = self.near(steps).and_then(|near| near.plain());
        let steps = steps.filter(|(low, high)| low == high).map(|(steps, _)| steps);
        let steps = steps.and_then(|steps| u64::try_from(steps).ok()).unwrap_or(1);
        self.times = around.saturating_mul(steps);
        work(self);
        self.times = around;
    }

    /// What is bound to a variable: a number near a position, a step of a border, or an element.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else does that")]
    fn scalar(&mut self, var: Var, exp: &Exp) {
        if let (Exp::Index(array, dims), Type::Scalar(_)) = (exp, &self.vars[var].ty) {
            self.read(var, *array, dims, None);
            return;
        }
        if self.vars[var].ty == Type::BOOL {
            self.made.insert(var, exp.clone());
        }
        let (Some(prim), true) = (self.integer(var), self.bound.contains(&var)) else { return };
        let near = match exp {
            Exp::Atom(atom) => self.near(*atom),
            Exp::BinOp(op, a, b) => match (self.near(*a), self.near(*b)) {
                (Some(a), Some(b)) => Near::op(*op, &a, &b),
                _ => None,
            },
            // Positions have less than 31 bits, but other numbers may have more.
            Exp::Convert(_, atom) => self.near(*atom).filter(|near| {
                let is_short = near.low.terms.is_empty() && near.high.terms.is_empty();
                is_short && (matches!(near.from, Origin::Position(_)) || near.from == Near::ZERO)
            }),
            _ => None,
        };
        if let Some(near) = near {
            if near.low.known().is_some() && near.high.known().is_some() {
                self.made.insert(var, exp.clone());
            }
            self.near.insert(var, near);
            return;
        }
        let border = match exp {
            Exp::Convert(_, atom) => Some((*atom, Border::Convert(prim))),
            Exp::BinOp(op @ (BinOp::Min | BinOp::Max), a, b) if self.is_same(*a) => {
                Some((*b, Border::Op(*op, *a)))
            }
            Exp::BinOp(op @ (BinOp::Min | BinOp::Max | BinOp::Mod), a, b) if self.is_same(*b) => {
                Some((*a, Border::Op(*op, *b)))
            }
            _ => None,
        };
        let of_integer = |(atom, _): &(Atom, Border)| {
            atom.var().is_some_and(|var| self.integer(var).is_some() && self.bound.contains(&var))
        };
        self.borders.extend(border.filter(of_integer).map(|border| (var, border)));
    }

    /// The type of an integer that can be a coordinate.
    fn integer(&self, var: Var) -> Option<Prim> {
        match self.vars[var].ty {
            Type::Scalar(Elem::Prim(prim @ (Prim::I64 | Prim::I32))) => Some(prim),
            Type::Scalar(_) | Type::Array(..) | Type::Acc(_) => None,
        }
    }

    fn is_same(&self, atom: Atom) -> bool {
        !atom.var().is_some_and(|var| self.bound.contains(&var))
    }

    fn near(&self, atom: Atom) -> Option<Near> {
        match atom {
            Atom::Const(Scalar::I64(value)) => Near::new(Near::ZERO, value, value),
            Atom::Const(Scalar::I32(value)) => {
                Near::new(Near::ZERO, i64::from(value), i64::from(value))
            }
            Atom::Const(_) => None,
            Atom::Var(var) if self.bound.contains(&var) => self.near.get(&var).cloned(),
            Atom::Var(var) if self.vars[var].ty == Type::I64 => {
                Near::new(Origin::Everywhere(atom), 0, 0)
            }
            Atom::Var(_) => None,
        }
    }

    /// An element that is read where it exists. Whether a statement is that.
    fn guarded(&mut self, pat: &[Var], exp: &Exp) -> bool {
        let ([element], Some(guarded)) = (pat, Guarded::of(exp)) else { return false };
        self.read(*element, guarded.array, guarded.dims, Some(guarded)).is_some()
    }

    /// An element of an array that is read. None if it is in no window.
    fn read(
        &mut self,
        element: Var,
        array: Var,
        dims: &[Dim],
        guarded: Option<Guarded<'_>>,
    ) -> Option<()> {
        let is_elsewhere = self.bound.contains(&array) || element_bytes(array, self.vars) == 0;
        if self.in_switch || is_elsewhere {
            return None;
        }
        let shape = self.vars[array].ty.shape();
        let (mut axes, mut at) = (Vec::with_capacity(dims.len()), Vec::with_capacity(dims.len()));
        for (dim, size) in dims.iter().zip(shape) {
            let (axis, coordinate) = self.axis(dim, *size)?;
            axes.push(axis);
            at.push(coordinate);
        }
        let is_near = |axis: &Axis| matches!(axis.from, Origin::Position(_));
        if axes.len() != shape.len() || !axes.iter().any(is_near) {
            return None;
        }
        // Of other coordinates, a border makes indices that exist.
        let own = axes.iter().zip(&at).zip(shape).filter(|((axis, _), _)| axis.border.is_empty());
        let indices: Vec<(Atom, Atom)> = own.map(|((_, at), size)| (*at, *size)).collect();
        let made = |var: Var| self.made.get(&var);
        if guarded.is_some_and(|guarded| !guarded.is_by(&indices, &made)) {
            return None;
        }
        let mut guards = Vec::with_capacity(self.branches.len());
        for (cond, holds) in &self.branches {
            if !exists(*cond, *holds, &indices, &made) {
                return None;
            }
            guards.push(Guard { cond: cond.var()?, holds: *holds });
        }
        let outside = guarded.map(|guarded| guarded.outside);
        let read = WindowRead { element, at };
        let is_alike = |window: &Window| {
            let is_comparable = |a: &Distance, b: &Distance| a.plus(-1, b).known().is_some();
            let alike = |(a, b): (&Axis, &Axis)| {
                a.from == b.from
                    && a.border == b.border
                    && is_comparable(&a.low, &b.low)
                    && is_comparable(&a.high, &b.high)
            };
            window.array == array
                && window.outside == outside
                && window.axes.iter().zip(&axes).all(alike)
        };
        match self.found.iter_mut().find(|(window, _)| is_alike(window)) {
            Some((window, times)) => {
                for (axis, other) in window.axes.iter_mut().zip(axes) {
                    axis.low.plus = axis.low.plus.min(other.low.plus);
                    axis.high.plus = axis.high.plus.max(other.high.plus);
                }
                window.reads.push(read);
                for guard in guards {
                    if !window.guards.contains(&guard) {
                        window.guards.push(guard);
                    }
                }
                *times = times.saturating_add(self.times);
            }
            None => {
                let window = Window { array, axes, outside, reads: vec![read], room: None, guards };
                self.found.push((window, self.times));
            }
        }
        Some(())
    }

    /// Where an element is along a dimension of its array, and its coordinate.
    fn axis(&self, dim: &Dim, size: Atom) -> Option<(Axis, Atom)> {
        let Dim::Fix(mut atom) = *dim else { return None };
        let mut border = Vec::new();
        let near = loop {
            if let Some(near) = self.near(atom) {
                break near;
            }
            let (of, step) = *self.borders.get(&atom.var()?)?;
            // A remainder is computed where there are elements, so not by zero.
            if matches!(step, Border::Op(BinOp::Mod, by) if by != size) {
                return None;
            }
            border.push(step);
            atom = of;
        };
        border.reverse();
        Some((Axis { from: near.from, low: near.low, high: near.high, border }, atom))
    }
}
