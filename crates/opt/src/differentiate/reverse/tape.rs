//! Tapes: arrays with a place for each iteration of a loop, written by the forward sweep and read by the return sweep.
//!
//! A parameter whose size changes has a tape of all its elements, one iteration after the other, and a tape of where
//! each begins; how many elements there are is found out by a first run, of which only that is left that decides on
//! sizes.
//!
//! Tapes that grow are copied to others of twice their size when they are full, so that all copies together cost no more than the
//! tapes themselves:
//!
//! ```text
//! (r, count, room, tape) = loop (x = a, i = 0, room = 16, tape = scratch 16) while c do
//!   (room, tape) = if i < room then (room, tape) else (2 * room, (scratch (2 * room)) with [0:room] = tape)
//!   (f x, i + 1, room, tape with [i] = x)
//! ```

use super::Reverse;
use super::chain::{Link, links, next_of};
use super::invert::Inverted;
use super::keep::{Had, Kept};
use super::repeat::{Room, Taped};
use super::strip::{convert, is_strip};
use super::undo::Undone;
use crate::differentiate::activity::Set;
use crate::differentiate::num::{binary, number, product, whole};
use crate::differentiate::once::unchecked;
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::free::free_in_stm;
use fehu_ir::subst::{Subst, copy_stm, subst_body, subst_stm, subst_type};
use fehu_ir::{
    Atom, BinOp, Body, Check, CheckPart, CmpOp, Dim, Elem, Exp, LoopForm, LoopParam, Scalar, Stm,
    Type, Var,
};

/// How many iterations there is room for at first.
const ROOM: i64 = 16;

/// A tape: the parameter of the loop and its result.
pub(super) struct Tape {
    pub(super) param: Var,
    pub(super) result: Var,
    elem: Elem,
    /// The sizes of what is saved in each iteration.
    row: Vec<Atom>,
}

impl Tape {
    /// `room` is its size in the loop, and after it.
    pub(super) fn new(b: &mut Builder<'_>, ty: &Type, room: (Atom, Atom)) -> Tape {
        let of = |size: Atom| ty.array_of(size).or_bug("tape of values");
        let (param, result) = (b.param("tape", of(room.0)), b.param("tape", of(room.1)));
        Tape { param, result, elem: ty.elem().or_bug("type of elements"), row: ty.shape().to_vec() }
    }

    fn dims(&self, first: Dim) -> Vec<Dim> {
        std::iter::once(first).chain(self.row.iter().map(|size| whole(*size))).collect()
    }

    pub(super) fn init(&self, b: &mut Builder<'_>, room: Atom) -> Atom {
        let shape = std::iter::once(room).chain(self.row.iter().copied()).collect();
        b.exp("tape", Exp::Scratch(self.elem, shape)).into()
    }

    /// What is saved at a place.
    pub(super) fn read(&self, b: &mut Builder<'_>, tape: Var, at: Atom) -> Var {
        let ty = Type::array(self.elem, self.row.clone());
        b.typed("saved", ty, Exp::Index(tape, self.dims(Dim::Fix(at))))
    }

    /// The tape with a value at a place.
    pub(super) fn write(&self, b: &mut Builder<'_>, tape: Var, at: Atom, value: Atom) -> Var {
        let value = match (value, &self.row[..]) {
            (Atom::Var(var), row @ [_, ..]) if b.ty(var).shape() != row => {
                b.exp("saved", Exp::Reshape(var, row.to_vec())).into()
            }
            _ => value,
        };
        b.exp("tape", Exp::Update(tape, self.dims(Dim::Fix(at)), value))
    }
}

impl Reverse {
    /// The loop with its tapes, and what binds its results if they are on them; completes the return sweep.
    pub(super) fn emit_forward(
        &mut self,
        b: &mut Builder<'_>,
        stm: &Stm,
        taped: &mut Taped,
    ) -> Vec<Stm> {
        let mut back = taped.back.take().or_bug("return sweep of a loop");
        let undone = Undone::find(b, taped, &back.body, &self.restored, &self.unsaved);
        let inverted = Inverted::find(b, taped, &back.body, &undone);
        let had = Had { undone: &undone, inverted: &inverted };
        let (params, body) = (&taped.params, &taped.body);
        let kept = Kept::choose(b, params, taped.counter, body, &back.body, &self.unsaved, had);
        // The forward sweep of a strip would have tapes only for the sake of its state.
        let links = if is_strip(stm) { Vec::new() } else { links(taped, &kept, b.vars()) };
        let is_link = |var: &Var| links.iter().any(|link| link.param == *var);
        // What is the next value of such a parameter is on its tape.
        let (on_tapes, saved): (Vec<Var>, Vec<Var>) = kept
            .saved
            .iter()
            .partition(|var| !is_link(var) && next_of(&links, taped, **var).is_some());
        let ahead = self.record_ahead(b, stm, taped, &kept);
        let totals = totals(b, stm, taped, &kept.flat);
        self.common.note(stm.loc.clone(), kept.sentence(b, &undone));

        // The iteration, counted from the other end.
        let mut reads = Builder::new(b.vars_mut());
        let last = binary(&mut reads, BinOp::Sub, taped.count, number(taped.prim, 1.0));
        let counter = binary(&mut reads, BinOp::Sub, last, back.index.into());
        let wide = convert(&mut reads, taped.prim, Prim::I64, counter);
        let mut reads = reads.finish(Vec::new());
        let mut subst = kept.outside.clone();
        subst.insert(taped.counter, counter);

        // What is added to the loop: parameters with their first values, results, and statements.
        let (mut added, mut pat): (Vec<LoopParam>, Vec<Var>) = (Vec::new(), stm.pat.clone());
        if ahead.is_some() {
            // The results are known before.
            pat = pat.iter().map(|var| b.param("x", b.ty(*var).clone())).collect();
        }
        let mut body = taped.body.clone();
        let (room, room_after) = match taped.room {
            Room::Count if let Some(ahead) = &ahead => (ahead.rest, ahead.rest),
            Room::Count => {
                let count = convert(b, taped.prim, Prim::I64, taped.count);
                let count = b.exp("n", Exp::BinOp(BinOp::Max, count, 0.into()));
                (count.into(), count.into())
            }
            Room::Bound(bound) => (Atom::i64(bound), Atom::i64(bound)),
            Room::Grows => {
                let (room, after) = (b.param("room", Type::I64), b.param("room", Type::I64));
                added.push(LoopParam { var: room, init: ROOM.into() });
                pat.push(after);
                (room.into(), after.into())
            }
        };
        let mut tapes = Vec::new();
        let longer = match links.is_empty() {
            true => room,
            false => binary(b, BinOp::Add, room, 1.into()),
        };
        for var in &saved {
            // With sizes that are known outside.
            let mut ty = b.ty(*var).clone();
            subst_type(&mut ty, &kept.outside);
            let room = if is_link(var) { (longer, longer) } else { (room, room_after) };
            tapes.push(Tape::new(b, &ty, room));
        }
        // Where the elements of each iteration begin.
        for _ in &kept.flat {
            tapes.push(Tape::new(b, &Type::I64, (room, room_after)));
        }
        let first = if taped.room == Room::Grows { ROOM.into() } else { room };
        for (tape, var) in tapes.iter().zip(saved.iter().map(Some).chain(std::iter::repeat(None))) {
            let link = links.iter().find(|link| var == Some(&link.param));
            let mut init = tape.init(b, if link.is_some() { longer } else { first });
            if let (Some(link), Atom::Var(new)) = (link, init) {
                init = tape.write(b, new, 0.into(), taped.params[link.index].init).into();
            }
            added.push(LoopParam { var: tape.param, init });
            pat.push(tape.result);
        }
        let mut data = Vec::new();
        for (var, total) in kept.flat.iter().zip(&totals) {
            let elem = Type::array(b.ty(*var).elem().or_bug("type of elements"), Vec::new());
            let tape = Tape::new(b, &elem, (*total, *total));
            let at = b.param("at", Type::I64);
            let init = tape.init(b, *total);
            added.push(LoopParam { var: tape.param, init });
            added.push(LoopParam { var: at, init: 0.into() });
            pat.extend([tape.result, b.param("at", Type::I64)]);
            data.push((tape, at));
        }

        let of_link = |link: &Link| saved.iter().zip(&tapes).find(|(var, _)| **var == link.param);
        let mut updates = Builder::new(b.vars_mut());
        updates.set_loc(stm.loc.clone());
        let place = convert(&mut updates, taped.prim, Prim::I64, taped.counter.into());
        for link in &links {
            let (_, tape) = of_link(link).or_bug("tape of a parameter");
            let row = Exp::Index(tape.param, tape.dims(Dim::Fix(place)));
            updates.stm(vec![link.param], row);
        }
        let mut current: Vec<Var> = tapes.iter().map(|tape| tape.param).collect();
        let mut certs = Vec::new();
        match (taped.room, room) {
            (Room::Grows, Atom::Var(room)) => {
                let grown = grow(&mut updates, place, room, &tapes);
                body.results.push(grown[0].into());
                current = grown[1..].to_vec();
            }
            (Room::Bound(bound), _) => {
                let fits = updates.exp("fits", Exp::CmpOp(CmpOp::Lt, place, Atom::i64(bound)));
                let text = format!("The loop has more iterations than its bound, {bound}.");
                let parts = vec![CheckPart::Text(text.into())];
                let check = Check { parts, trace: stm.loc.iter().cloned().collect() };
                certs.push(updates.assert(fits.into(), check));
            }
            (Room::Count | Room::Grows, _) => {}
        }
        let first = updates.finish(Vec::new()).stms;
        let mut writes = Vec::new();
        let starts = data.iter().map(|(_, at)| *at);
        let values = saved.iter().copied().chain(starts);
        let mut ends = Builder::new(b.vars_mut());
        ends.set_loc(stm.loc.clone());
        for ((tape, current), var) in tapes.iter().zip(current).zip(values) {
            if let Some(link) = links.iter().find(|link| link.param == var) {
                let after = binary(&mut ends, BinOp::Add, place, 1.into());
                let written = tape.write(&mut ends, current, after, link.next.into());
                body.results.push(written.into());
                continue;
            }
            let mut write = Builder::new(ends.vars_mut());
            write.set_loc(stm.loc.clone());
            write.set_certs(certs.clone());
            body.results.push(tape.write(&mut write, current, place, var.into()).into());
            writes.push((var, write.finish(Vec::new()).stms));
        }
        let ends = ends.finish(Vec::new()).stms;
        for ((tape, at), var) in data.iter().zip(&kept.flat) {
            let mut write = Builder::new(b.vars_mut());
            write.set_loc(stm.loc.clone());
            let len = count_of(&mut write, *var);
            let flat = write.exp("flat", Exp::Reshape(*var, vec![len]));
            let dims = vec![Dim::Slice { start: (*at).into(), len, stride: 1.into() }];
            let next = write.exp("tape", Exp::Update(tape.param, dims, flat.into()));
            body.results.push(next.into());
            body.results.push(binary(&mut write, BinOp::Add, (*at).into(), len));
            writes.push((*var, write.finish(Vec::new()).stms));
        }
        put(b, &mut body, first, writes);
        body.stms.extend(ends);

        // And in the return sweep, they are read.
        let mut reader = Builder::new(b.vars_mut());
        let read: Vec<Var> = match &ahead {
            Some(ahead) => ahead.read(&mut reader, &tapes, wide),
            None => tapes.iter().map(|tape| tape.read(&mut reader, tape.result, wide)).collect(),
        };
        let (rows, starts) = read.split_at(saved.len());
        subst.extend(saved.iter().copied().zip(rows.iter().map(|row| Atom::Var(*row))));
        for var in on_tapes {
            let link = next_of(&links, taped, var).or_bug("parameter of the next iteration");
            let (_, tape) = of_link(link).or_bug("tape of a parameter");
            let after = binary(&mut reader, BinOp::Add, wide, 1.into());
            subst.insert(var, tape.read(&mut reader, tape.result, after).into());
        }
        reads.stms.extend(reader.finish(Vec::new()).stms);
        let mut flat: Vec<(Var, Var, Var)> = data
            .iter()
            .zip(starts)
            .zip(&kept.flat)
            .map(|(((tape, _), start), var)| (*var, tape.result, *start))
            .collect();
        for cert in kept.certs {
            // The check was made in the forward sweep.
            subst.insert(cert, Scalar::Unit.into());
        }
        let mut backwards = Builder::new(b.vars_mut());
        back.undone = inverted.compute(&mut backwards, &mut subst);
        reads.stms.extend(backwards.finish(Vec::new()).stms);
        back.undone.extend(undone.name(b, &mut subst));
        // What comes from arrays whose changes are undone is computed where it is used first.
        let (mut views, mut late) = (Vec::new(), Set::default());
        for stm in kept.again {
            // Sizes may be computed again, too.
            let operands = free_in_stm(&stm, b.vars());
            for flat in flat.extract_if(.., |(var, ..)| operands.contains(var)) {
                late.extend(late_size(b, flat.0, &late).then_some(flat.0));
                let to = if late.contains(&flat.0) { &mut views } else { &mut reads.stms };
                to.extend(read_flat(b, flat, &mut subst));
            }
            let is_late = undone.reads(&stm, b.vars()) || operands.iter().any(|v| late.contains(v));
            if is_late {
                late.extend(&stm.pat);
            }
            let mut again = copy_stm(&unchecked(stm.clone(), b.vars_mut()), b.vars_mut());
            subst_stm(&mut again, b.vars_mut(), &subst);
            for (old, new) in stm.pat.iter().zip(&again.pat) {
                subst.insert(*old, (*new).into());
            }
            if is_late { views.push(again) } else { reads.stms.push(again) }
        }
        for flat in flat {
            let to = if late_size(b, flat.0, &late) { &mut views } else { &mut reads.stms };
            to.extend(read_flat(b, flat, &mut subst));
        }
        subst_body(&mut back.body, b.vars_mut(), &subst);
        let start = reads.stms.len();
        reads.stms.append(&mut back.body.stms);
        back.body.stms = undone.weave(b, reads.stms, (start, views), &subst);
        back.body.results.extend(back.undone.iter().map(|carried| carried.next));
        taped.back = Some(back);

        // What is on chained tapes is no parameter, and its last value is at the end of the tape.
        let mut params = taped.params.clone();
        for link in links.iter().rev() {
            params.remove(link.index);
            pat.remove(link.index);
            body.results.remove(link.index);
        }
        let mut form = taped.form;
        if let (Some(ahead), LoopForm::For(_, bound)) = (&ahead, &mut form) {
            *bound = ahead.rest;
            for (var, state) in &ahead.state {
                let mine = params.iter_mut().filter(|param| param.var == *var);
                mine.for_each(|param| param.init = *state);
            }
        }
        params.extend(added);
        let exp = Exp::Loop(params, form, Box::new(body));
        let mut after = Builder::new(b.vars_mut());
        after.set_loc(stm.loc.clone());
        after.push(Stm { pat, exp, ..stm.clone() });
        for link in &links {
            let (_, tape) = of_link(link).or_bug("tape of a parameter");
            let last = tape.read(&mut after, tape.result, room);
            after.stm(vec![stm.pat[link.index]], Exp::Copy(last));
        }
        after.finish(Vec::new()).stms
    }
}

/// Whether the size of an array is computed late, and so is the array.
fn late_size(b: &Builder<'_>, array: Var, late: &Set) -> bool {
    b.ty(array).shape().iter().any(|size| size.var().is_some_and(|size| late.contains(&size)))
}

/// Reads an array whose size changes from the tape of all elements, where its own begin at `start`.
fn read_flat(
    b: &mut Builder<'_>,
    (var, tape, start): (Var, Var, Var),
    names: &mut Subst,
) -> Vec<Stm> {
    let mut ty = b.ty(var).clone();
    subst_type(&mut ty, names);
    let mut reader = Builder::new(b.vars_mut());
    let len = product(&mut reader, ty.shape());
    let dims = vec![Dim::Slice { start: start.into(), len, stride: 1.into() }];
    let flat = reader.exp("flat", Exp::Index(tape, dims));
    let exp = Exp::Reshape(flat, ty.shape().to_vec());
    names.insert(var, reader.typed("saved", ty, exp).into());
    reader.finish(Vec::new()).stms
}

/// Puts the statements that write tapes into the body of a loop, after those that all of them need. Arrays are written
/// at once, because they may be views of others, which are not changed in place as long as there is a use of a view to
/// come.
fn put(b: &Builder<'_>, body: &mut Body, first: Vec<Stm>, mut writes: Vec<(Var, Vec<Stm>)>) {
    let own: Set = body.stms.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
    let mut stms = first;
    let mut take = |stms: &mut Vec<Stm>, now: &dyn Fn(Var) -> bool| {
        for (var, write) in &mut writes {
            if now(*var) {
                stms.append(write);
            }
        }
    };
    take(&mut stms, &|var| b.ty(var).is_array() && !own.contains(&var));
    for stm in std::mem::take(&mut body.stms) {
        let pat = stm.pat.clone();
        stms.push(stm);
        take(&mut stms, &|var| b.ty(var).is_array() && pat.contains(&var));
    }
    take(&mut stms, &|_| true);
    body.stms = stms;
}

/// The size of the tapes and the tapes, with a place for this iteration.
fn grow(b: &mut Builder<'_>, place: Atom, room: Var, tapes: &[Tape]) -> Vec<Var> {
    let full = b.exp("full", Exp::CmpOp(CmpOp::Le, room.into(), place));
    let more = b.body(|b| {
        let twice = binary(b, BinOp::Mul, room.into(), 2.into());
        let mut all = vec![twice];
        for tape in tapes {
            let new = tape.init(b, twice).var().or_bug("new tape");
            let dims = tape.dims(whole(room.into()));
            all.push(b.exp("tape", Exp::Update(new, dims, tape.param.into())).into());
        }
        all
    });
    let same = b.body(|_| {
        std::iter::once(room).chain(tapes.iter().map(|tape| tape.param)).map(Atom::Var).collect()
    });
    let size = b.param("room", Type::I64);
    let mut pat = vec![size];
    for tape in tapes {
        let ty = Type::array(tape.elem, tape.row.clone());
        pat.push(b.param("tape", ty.array_of(size.into()).or_bug("tape of values")));
    }
    b.stm(pat.clone(), Exp::If(full.into(), Box::new([more, same])));
    pat
}

/// How many elements these arrays have in all iterations together.
fn totals(b: &mut Builder<'_>, stm: &Stm, taped: &Taped, arrays: &[Var]) -> Vec<Atom> {
    if arrays.is_empty() {
        return Vec::new();
    }
    let (mut params, mut body) = (taped.params.clone(), taped.body.clone());
    let mut names = Subst::default();
    let mut pat = Vec::new();
    for param in &params {
        let mut ty = b.ty(param.var).clone();
        subst_type(&mut ty, &names);
        let var = b.param("x", ty);
        names.insert(param.var, var.into());
        pat.push(var);
    }
    let before = pat.len();
    let mut sums = Vec::new();
    for _ in arrays {
        let var = b.param("total", Type::I64);
        params.push(LoopParam { var, init: 0.into() });
        pat.push(b.param("total", Type::I64));
        sums.push(var);
    }
    let mut inner = Builder::new(b.vars_mut());
    for (array, sum) in arrays.iter().zip(sums) {
        let len = count_of(&mut inner, *array);
        body.results.push(binary(&mut inner, BinOp::Add, sum.into(), len));
    }
    body.stms.extend(inner.finish(Vec::new()).stms);
    let run = Stm { pat, exp: Exp::Loop(params, taped.form, Box::new(body)), ..stm.clone() };
    let run = copy_stm(&run, b.vars_mut());
    let totals = run.pat[before..].iter().map(|var| Atom::Var(*var)).collect();
    b.push(run);
    totals
}

/// The number of elements of an array.
fn count_of(b: &mut Builder<'_>, array: Var) -> Atom {
    let shape = b.ty(array).shape().to_vec();
    product(b, &shape)
}
