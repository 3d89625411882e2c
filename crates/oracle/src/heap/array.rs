//! Operations on numbers, and operations that create, change or copy a single array.

use super::frame::Frame;
use super::{Fault, Machine, Res, wrong};
use fehu_facts::poly::Poly;
use fehu_interp::scalar;
use fehu_ir::{Atom, Check, CheckPart, Dim, Exp, Scalar, Var};
use fehu_mem::lmad::{Lmad, Pick};
use fehu_mem::table::{self, Place, flat, pick};

impl<'a> Machine<'a> {
    /// An expression with one result.
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is reported")]
    pub(super) fn single(&mut self, frame: &mut Frame<'a>, var: Var, exp: &'a Exp) -> Res<()> {
        if let Some(value) = self.number(frame, exp)? {
            frame.scalars[var] = Some(value);
            return Ok(());
        }
        match exp {
            Exp::Assert(cond, check) if !frame.truth(*cond)? => Err(self.failed(frame, check)),
            Exp::Index(array, dims) if !frame.vars[var].ty.is_array() => {
                if let Some(value) = self.element(frame, *array, dims)? {
                    frame.scalars[var] = Some(value);
                }
                Ok(())
            }
            Exp::Update(array, dims, value) => {
                let picks: Vec<Pick> = dims.iter().map(pick).collect();
                self.update(frame, *array, |lmad| lmad.slice(&picks), *value)
            }
            Exp::FlatUpdate(array, offset, dims, value) => {
                let slice = flat(*offset, dims);
                self.update(frame, *array, |lmad| lmad.flat_slice(&slice), Atom::Var(*value))
            }
            Exp::Array(_, atoms) => self.literal(frame, var, atoms),
            Exp::Concat(_, arrays) => self.concat(frame, var, arrays),
            Exp::Iota(prim, _, start, step) => {
                let Some(place) = frame.place(var) else { return Ok(()) };
                let mem = frame.mem(place.block)?;
                for (index, at) in (0..).zip(frame.addresses(&place.lmad)?) {
                    let value = frame.progression(*prim, *start, *step, index)?;
                    self.store.write(mem, at, value)?;
                }
                Ok(())
            }
            Exp::Replicate(_, value) => self.replicate(frame, var, *value),
            // The interpreter has zeros here.
            Exp::Scratch(..) => {
                let Some(place) = frame.place(var) else { return Ok(()) };
                let zero = Scalar::zero(frame.table.blocks[place.block].elem);
                let mem = frame.mem(place.block)?;
                for at in frame.addresses(&place.lmad)? {
                    self.store.write(mem, at, zero)?;
                }
                Ok(())
            }
            Exp::Copy(array) | Exp::Manifest(array) => {
                match (frame.place(var), frame.place(*array)) {
                    (Some(to), Some(from)) => self.copy(frame, to, from),
                    (None, None) => Ok(()),
                    _ => Err(wrong("a copy is nowhere, or of nothing")),
                }
            }
            // Views cost nothing, and nor does a check that succeeds.
            Exp::Assert(..)
            | Exp::Index(..)
            | Exp::FlatIndex(..)
            | Exp::Reshape(..)
            | Exp::Rearrange(..)
            | Exp::Atom(_)
            | Exp::Opaque(_)
            | Exp::Trace(..)
            | Exp::Tuning(..) => Ok(()),
            other => Err(wrong(format!("this is no operation on an array: {other:?}"))),
        }
    }

    /// The value of a scalar operation; none if the expression is something else.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are no scalar operations")]
    fn number(&mut self, frame: &Frame<'a>, exp: &Exp) -> Res<Option<Scalar>> {
        let undefined = || Fault::Undefined(format!("no result: {exp:?}"));
        let value = match exp {
            Exp::Atom(atom) | Exp::Opaque(atom) | Exp::Trace(_, atom) | Exp::Tuning(_, atom) => {
                if frame.prim(*atom).is_none() {
                    return Ok(None);
                }
                Some(frame.scalar(*atom)?)
            }
            Exp::Threads => Some(Scalar::I64(1)),
            Exp::UnOp(op, a) => scalar::unop(*op, frame.scalar(*a)?),
            Exp::BinOp(op, a, b) => scalar::binop(*op, frame.scalar(*a)?, frame.scalar(*b)?),
            Exp::CmpOp(op, a, b) => {
                scalar::cmpop(*op, frame.scalar(*a)?, frame.scalar(*b)?).map(Scalar::Bool)
            }
            Exp::Math(f, args) => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(frame.scalar(*arg)?);
                }
                scalar::math(*f, &values)
            }
            Exp::Convert(to, a) => scalar::convert(*to, frame.scalar(*a)?),
            Exp::Reinterpret(to, a) => scalar::reinterpret(*to, frame.scalar(*a)?),
            _ => return Ok(None),
        };
        value.map(Some).ok_or_else(undefined)
    }

    pub(super) fn failed(&self, frame: &Frame<'a>, check: &Check) -> Fault {
        let mut text = String::new();
        for part in &check.parts {
            match part {
                CheckPart::Text(part) => text.push_str(part),
                CheckPart::Value(atom) => match frame.scalar(*atom) {
                    Ok(value) => text.push_str(&scalar::show(value)),
                    Err(fault) => return fault,
                },
            }
        }
        Fault::Check(text, check.shown().into_iter().map(|loc| loc.0).collect())
    }

    /// The value of an element.
    fn element(&mut self, frame: &Frame<'a>, array: Var, dims: &[Dim]) -> Res<Option<Scalar>> {
        if let [Dim::Fix(index)] = dims
            && let Some(value) = frame.computed(array, frame.size(*index)?)
        {
            return value.map(Some);
        }
        let Some(place) = frame.place(array) else { return Ok(None) };
        let picks: Vec<Pick> = dims.iter().map(pick).collect();
        let lmad = view(place.lmad.slice(&picks))?;
        let at = frame.poly(&lmad.offset)?;
        self.store.read(frame.mem(place.block)?, at).map(Some)
    }

    fn update(
        &mut self,
        frame: &Frame<'a>,
        array: Var,
        part: impl FnOnce(&Lmad) -> Option<Lmad>,
        value: Atom,
    ) -> Res<()> {
        let Some(place) = frame.place(array) else { return Ok(()) };
        let lmad = view(part(&place.lmad))?;
        self.put(frame, &Place { block: place.block, lmad }, value)
    }

    /// Makes the elements of a place those of an operand: a scalar if the place is a single address.
    pub(super) fn put(&mut self, frame: &Frame<'a>, to: &Place, value: Atom) -> Res<()> {
        match frame.place_of(value) {
            Some(from) => self.copy(frame, to, from),
            None if frame.prim(value).is_some() => {
                let at = frame.poly(&to.lmad.offset)?;
                self.store.write(frame.mem(to.block)?, at, frame.scalar(value)?)
            }
            None => Ok(()),
        }
    }

    /// Copies elements, unless they are there already.
    pub(super) fn copy(&mut self, frame: &Frame<'a>, to: &Place, from: &Place) -> Res<()> {
        if to.block == from.block && to.lmad.same(&from.lmad) {
            return Ok(());
        }
        let (targets, sources) = (frame.addresses(&to.lmad)?, frame.addresses(&from.lmad)?);
        if targets.len() != sources.len() {
            return Err(wrong("a copy has another number of elements than what is copied"));
        }
        if targets.is_empty() {
            return Ok(());
        }
        let (to, from) = (frame.mem(to.block)?, frame.mem(from.block)?);
        if to.block == from.block {
            let moved: Vec<i64> = targets.iter().map(|at| at + to.base - from.base).collect();
            if moved == sources {
                return Ok(());
            }
            let mut sorted = sources.clone();
            sorted.sort_unstable();
            if moved.iter().any(|at| sorted.binary_search(at).is_ok()) {
                return Err(wrong("the source and the target of a copy overlap"));
            }
        }
        for (target, source) in targets.into_iter().zip(sources) {
            let value = self.store.read(from, source)?;
            self.store.write(to, target, value)?;
        }
        Ok(())
    }

    fn literal(&mut self, frame: &Frame<'a>, var: Var, atoms: &[Atom]) -> Res<()> {
        let Some(place) = frame.place(var) else { return Ok(()) };
        for (index, atom) in (0i64..).zip(atoms) {
            let lmad = view(place.lmad.fix(&[Poly::constant(index.into())]))?;
            self.put(frame, &Place { block: place.block, lmad }, *atom)?;
        }
        Ok(())
    }

    fn concat(&mut self, frame: &Frame<'a>, var: Var, arrays: &[Var]) -> Res<()> {
        let Some(place) = frame.place(var) else { return Ok(()) };
        let mut start = Poly::default();
        for array in arrays {
            let size = frame.vars[*array].ty.shape().first().copied().map(table::poly);
            let size = size.ok_or_else(|| wrong("an operand of a concatenation is no array"))?;
            let lmad = view(place.lmad.slice(&[Pick::range(start.clone(), size.clone())]))?;
            if let Some(from) = frame.place(*array) {
                self.copy(frame, &Place { block: place.block, lmad }, from)?;
            }
            start = start.add(&size).ok_or_else(too_complex)?;
        }
        Ok(())
    }

    fn replicate(&mut self, frame: &Frame<'a>, var: Var, value: Atom) -> Res<()> {
        let Some(place) = frame.place(var) else { return Ok(()) };
        let targets = frame.addresses(&place.lmad)?;
        let Some(from) = frame.place_of(value) else {
            let value = frame.scalar(value)?;
            let mem = if targets.is_empty() { return Ok(()) } else { frame.mem(place.block)? };
            return targets.into_iter().try_for_each(|at| self.store.write(mem, at, value));
        };
        let sources = frame.addresses(&from.lmad)?;
        for (target, source) in targets.into_iter().zip(sources.iter().cycle()) {
            let element = self.store.read(frame.mem(from.block)?, *source)?;
            self.store.write(frame.mem(place.block)?, target, element)?;
        }
        Ok(())
    }
}

/// A view that the table could describe.
pub(super) fn view(lmad: Option<Lmad>) -> Res<Lmad> {
    lmad.ok_or_else(too_complex)
}

fn too_complex() -> Fault {
    wrong("an index function is too complex")
}
