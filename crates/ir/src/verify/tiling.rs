//! Whether the positions of a Seg can be executed in tiles as it says.

use super::scope::Checker;
use crate::visit::{Visit, walk_stm};
use crate::{
    Atom, Axis, BinOp, Body, Border, Dim, Exp, FoldTiling, Guarded, Level, LoopForm, Origin,
    Screma, Seg, Stm, Tiling, Type, Var, Window, WindowRead, WindowTiling, exists,
};
use rustc_hash::FxHashMap;

impl<'a> Checker<'a> {
    pub(super) fn tiling(&mut self, seg: &'a Seg, tiling: &Tiling) {
        match tiling {
            Tiling::Fold(tiling) => self.fold_tiling(seg, tiling),
            Tiling::Windows(tiling) => self.window_tiling(seg, tiling),
        }
    }

    /// Whether positions can share what they read as the Seg says. Along which dimensions elements really differ is not
    /// looked at.
    fn fold_tiling(&mut self, seg: &'a Seg, tiling: &FoldTiling) {
        let on_device = match seg.level {
            Level::Grid => true,
            Level::Task | Level::Thread => false,
            Level::Blocks | Level::Warps | Level::Block => {
                return self.fail(format!("a seg of level \"{}\" is tiled", seg.level.name()));
            }
        };
        // What a thread of a CPU does alone may be a map inside of a map.
        let inside = usize::from(!on_device && tiling.dims.len() == 2);
        let mut op = seg.parts().and_then(|parts| map_of(parts.op));
        for _ in 0..inside {
            op = op.and_then(|op| map_of(op.map.body.stms.last()?));
        }
        let fold = |body: &'a Body| body.stms.iter().find_map(steps_of);
        let outermost = op.and_then(|op| fold(&op.map.body));
        if outermost.is_none() {
            self.fail("a seg is tiled, but its operator is not a map with a fold".to_owned());
        }
        let innermost = (0..tiling.loops).fold(outermost, |body, _| body.and_then(fold));
        if tiling.loops > 0 && (!on_device || innermost.is_none()) {
            self.fail(format!(
                "a seg is tiled by a fold in {} loops that are not there",
                tiling.loops
            ));
        }
        let rank = seg.space.len() + 1 + inside;
        let fits = |dims: &[usize]| {
            dims.is_sorted_by(|a, b| a < b) && dims.last().is_none_or(|last| *last < rank)
        };
        if tiling.dims.is_empty()
            || !fits(&tiling.dims)
            || !tiling.reads.iter().all(|read| fits(read))
        {
            self.fail(format!("the dimensions of a tile are not among the {rank} of the space"));
        }
        let is_shared = |read: &Vec<usize>| tiling.dims.iter().any(|dim| !read.contains(dim));
        // Neighbours of a row of positions, which one thread executes together, read neighbouring elements.
        let is_row = !on_device && tiling.dims.len() == 1;
        if !is_row && !tiling.reads.iter().any(is_shared) {
            self.fail("the positions of a tile have nothing in common".to_owned());
        }
    }

    /// Whether positions read elements near them as the Seg says. That coordinates are not farther away is not looked at.
    fn window_tiling(&mut self, seg: &Seg, tiling: &WindowTiling) {
        let is_map = seg.parts().and_then(|parts| map_of(parts.op)).is_some();
        if seg.level != Level::Grid || seg.rows.is_some() || !is_map {
            self.fail("a seg has windows, but is no regular map of level \"grid\"".to_owned());
        }
        let rank = seg.space.len() + 1;
        if tiling.lengths.len() != rank || tiling.lengths.contains(&0) {
            self.fail(format!("the box of a block has no length for each of {rank} dimensions"));
        }
        let mut made = Made(FxHashMap::default());
        made.body(&seg.body.body);
        for window in &tiling.windows {
            self.window(window, rank, &made.0);
        }
    }

    fn window(&mut self, window: &Window, rank: usize, made: &FxHashMap<Var, Exp>) {
        let Some(ty) = self.var(window.array) else { return };
        if ty.rank() != window.axes.len() {
            let (name, count) = (self.name(window.array), window.axes.len());
            self.fail(format!("the window of \"{name}\" has {count} dimensions"));
        }
        for axis in &window.axes {
            match axis.from {
                Origin::Position(dim) if dim >= rank => {
                    self.fail(format!("a window is near the dimension {dim} of {rank}"));
                }
                Origin::Position(_) => {}
                Origin::Everywhere(atom) => self.want_i64(&[atom], "the origin of a window"),
            }
            match axis.width().known() {
                Some(width) if width < 0 => {
                    let (low, high) = (axis.low.plus, axis.high.plus);
                    self.fail(format!("a window reaches from {low} to {high}"));
                }
                None if window.room.is_none() => {
                    self.fail("there is no room for a window of unknown size".to_owned());
                }
                Some(_) | None => {}
            }
            for (_, atom) in axis.low.terms.iter().chain(&axis.high.terms) {
                self.want_i64(&[*atom], "the distance of a window");
            }
            for border in &axis.border {
                if let Border::Op(_, Atom::Var(var)) = border {
                    self.var(*var);
                }
            }
        }
        for read in &window.reads {
            if !is_as_planned(window, read, &ty, made) {
                let name = self.name(read.element);
                self.fail(format!("\"{name}\" is no element of the window that it belongs to"));
            }
        }
        for guard in &window.guards {
            let is_asked = |read: &WindowRead| {
                let indices = own_indices(window, read, &ty);
                exists(guard.cond.into(), guard.holds, &indices, &|var| made.get(&var))
            };
            if !window.reads.iter().any(is_asked) {
                let name = self.name(guard.cond);
                self.fail(format!("\"{name}\" does not say whether elements of a window exist"));
            }
        }
    }
}

/// What statements bind.
struct Made(FxHashMap<Var, Exp>);

impl Visit for Made {
    fn stm(&mut self, stm: &Stm) {
        if let [var] = stm.pat.as_slice() {
            self.0.insert(*var, stm.exp.clone());
        }
        walk_stm(self, stm);
    }
}

/// The indices of an element that are coordinates, and the sizes of their dimensions. Of other coordinates, a border
/// makes indices that exist.
fn own_indices(window: &Window, read: &WindowRead, ty: &Type) -> Vec<(Atom, Atom)> {
    let own = window.axes.iter().zip(&read.at).zip(ty.shape());
    let own = own.filter(|((axis, _), _)| axis.border.is_empty());
    own.map(|((_, at), size)| (*at, *size)).collect()
}

/// Whether an element is read at the indices that borders make of its coordinates, and under no condition but that it exists.
fn is_as_planned(
    window: &Window,
    read: &WindowRead,
    ty: &Type,
    made: &FxHashMap<Var, Exp>,
) -> bool {
    let exp = made.get(&read.element);
    let (array, dims) = match (exp, window.outside) {
        (Some(Exp::Index(array, dims)), None) => (*array, dims.as_slice()),
        (Some(exp), Some(outside)) => {
            let Some(guarded) = Guarded::of(exp).filter(|guarded| guarded.outside == outside)
            else {
                return false;
            };
            if !guarded.is_by(&own_indices(window, read, ty), &|var| made.get(&var)) {
                return false;
            }
            (guarded.array, guarded.dims)
        }
        _ => return false,
    };
    let is_index = |((dim, axis), at): ((&Dim, &Axis), &Atom)| {
        let Dim::Fix(mut index) = *dim else { return false };
        for border in axis.border.iter().rev() {
            let exp = index.var().and_then(|var| made.get(&var));
            index = match (exp, *border) {
                (Some(Exp::BinOp(op, a, b)), Border::Op(border, atom)) if *op == border => {
                    if *b == atom {
                        *a
                    } else if *a == atom && matches!(op, BinOp::Min | BinOp::Max) {
                        *b
                    } else {
                        return false;
                    }
                }
                (Some(Exp::Convert(to, from)), Border::Convert(prim)) if *to == prim => *from,
                _ => return false,
            };
        }
        index == *at
    };
    let counts = [dims.len(), read.at.len()];
    array == window.array
        && counts == [window.axes.len(); 2]
        && dims.iter().zip(&window.axes).zip(&read.at).all(is_index)
}

/// The map that a statement is, by itself or as a Seg of a thread.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is a map")]
fn map_of(stm: &Stm) -> Option<&Screma> {
    match &stm.exp {
        Exp::Screma(op) if op.folded() == 0 => Some(op),
        Exp::Seg(seg) if seg.level == Level::Thread => map_of(seg.parts()?.op),
        _ => None,
    }
}

/// The code of each step, if a statement is a fold.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing else has steps")]
fn steps_of(stm: &Stm) -> Option<&Body> {
    match &stm.exp {
        Exp::Screma(op) => (!op.reds.is_empty()).then_some(&op.map.body),
        Exp::Loop(_, LoopForm::For(..), body) => Some(body),
        // In lanes, for example.
        Exp::Seg(seg) if seg.level == Level::Thread => steps_of(seg.parts()?.op),
        _ => None,
    }
}
