//! The end of the first phase: what was left open is decided or reported.

use super::{LitValue, Restriction};
use crate::checker::Checker;
use crate::errors;
use crate::program::TypeSort;
use crate::ty::{Arg, FunTy, Lifted, Meta, Needs, PrimSet, SchemeType, Ty, TypeId};
use fehu_base::{Prim, Span};
use std::sync::Arc;

impl Checker<'_> {
    /// Decides the types of literals, and reports unknown types that cannot stay so.
    pub(crate) fn finish(&mut self) {
        for i in 0..self.metas.infos.len() {
            self.finish_meta(Meta(i as u32));
        }
        self.ambiguous_equality();
        // Elements come first: where an array cannot be made, that it is the result of a branch is not the mistake.
        let of_element = |why| match why {
            Restriction::ArrayElement | Restriction::TypeArgument => true,
            Restriction::BranchResult | Restriction::LoopParameter => false,
        };
        let (elements, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.metas.restrictions)
            .into_iter()
            .partition(|(.., why)| of_element(*why));
        let mut reported = Vec::new();
        for group in [elements, others] {
            if self.failing() {
                break;
            }
            for (ty, lifted, span, why) in group {
                self.check_restriction(&ty, lifted, span, why, &mut reported);
            }
        }
        for (span, value, negative, ty) in std::mem::take(&mut self.metas.literals) {
            if let Ty::Prim(prim) = self.resolve(&ty)
                && !literal_fits(value, negative, prim)
            {
                let text = self.quote(span);
                self.report(errors::literal_out_of_bounds(span, &text, prim));
            }
        }
    }

    fn finish_meta(&mut self, meta: Meta) {
        let info = &self.metas.infos[meta];
        if info.solution.is_some() {
            return;
        }
        let span = info.span;
        if let Some((field, _)) = info.fields.first() {
            let field = field.clone();
            self.report(errors::ambiguous_record(span, &field));
            self.metas.infos[meta].solution = Some(Ty::Error);
        } else if let Some((ctor, _)) = info.ctors.first() {
            let ctor = ctor.clone();
            self.report(errors::ambiguous_sum(span, &ctor));
            self.metas.infos[meta].solution = Some(Ty::Error);
        } else if let Needs::OneOf(set) = info.needs {
            let index = info.index && info.literal;
            let default = if index { Prim::I64 } else { default_of(set) };
            self.metas.infos[meta].solution = Some(Ty::Prim(default));
            if !index && set.single().is_none() {
                self.report(errors::default_type(span, default));
            }
        }
    }

    /// Reports operands of `==` and `!=` whose type nothing decides. A binding that has an error has
    /// types that are unknown because of it.
    fn ambiguous_equality(&mut self) {
        for i in 0..self.metas.infos.len() {
            let info = &self.metas.infos[Meta(i as u32)];
            if info.solution.is_some() || info.needs != Needs::Equality || self.failing() {
                continue;
            }
            let span = info.span;
            self.report(errors::ambiguous_equality(span));
            self.metas.infos[Meta(i as u32)].solution = Some(Ty::Error);
        }
    }

    /// Reports a part of a type that is more lifted than allowed; a type with a name only once, however often it occurs.
    fn check_restriction(
        &mut self,
        ty: &Ty,
        allowed: Lifted,
        span: Span,
        why: Restriction,
        reported: &mut Vec<TypeId>,
    ) {
        if let Some((part, lifted)) = self.too_lifted(ty, allowed) {
            if let Ty::Con(id, _) = &part {
                if reported.contains(id) {
                    return;
                }
                reported.push(*id);
            }
            let whole = self.zonk(ty);
            let whole = self.show(&whole);
            let part = self.zonk(&part);
            if part.as_seq().is_some() {
                self.report(errors::restricted_seq(span, why, &whole));
                return;
            }
            let part = self.show(&part);
            self.report(errors::restricted(span, why, &whole, &part, lifted));
        }
    }

    /// A part of the type that is more lifted than allowed. Unknown types in it are restricted.
    fn too_lifted(&mut self, ty: &Ty, allowed: Lifted) -> Option<(Ty, Lifted)> {
        let ty = self.resolve(ty);
        match &ty {
            Ty::Prim(_) | Ty::Error => None,
            Ty::Meta(meta) => {
                let info = &mut self.metas.infos[*meta];
                info.lifted = info.lifted.min(allowed);
                None
            }
            Ty::Array(_, elem) => self.too_lifted(elem, allowed.min(Lifted::Unlifted)),
            Ty::Unique(inner) => self.too_lifted(inner, allowed),
            Ty::Record(fields) => fields.iter().find_map(|(_, t)| self.too_lifted(t, allowed)),
            Ty::Sum(ctors) => {
                ctors.iter().flat_map(|(_, ts)| ts).find_map(|t| self.too_lifted(t, allowed))
            }
            Ty::Fun(_) => (allowed < Lifted::Lifted).then(|| (ty.clone(), Lifted::Lifted)),
            Ty::Con(id, args) => {
                let info = &self.program.types[*id];
                // Whether an abstract type is a function is known when the program is compiled. Its sizes
                // are not.
                let assumed = match info.sort {
                    TypeSort::Parameter => info.lifted,
                    TypeSort::Abstract => info.lifted.min(Lifted::SizeLifted),
                };
                if assumed > allowed {
                    return Some((ty.clone(), info.lifted));
                }
                args.iter().find_map(|arg| match arg {
                    Arg::Size(_) => None,
                    Arg::Type(ty) => self.too_lifted(ty, allowed),
                })
            }
        }
    }

    /// Makes type parameters of the unknowns left in the type; all others become the empty tuple,
    /// since nothing depends on them.
    pub(crate) fn generalise(&mut self, ty: &Ty) -> Vec<SchemeType> {
        let mut found = Vec::new();
        self.unsolved(ty, &mut found);
        let mut params = Vec::with_capacity(found.len());
        for (i, meta) in found.into_iter().enumerate() {
            params.push(self.type_param(meta, type_param_name(i)));
        }
        for i in 0..self.metas.infos.len() {
            let info = &mut self.metas.infos[Meta(i as u32)];
            if info.solution.is_none() {
                info.solution = Some(Ty::tuple([]));
            }
        }
        params
    }

    /// Makes type parameters of what function parameters of a local function return, as "f" in `let twice f = (f 1,
    /// f 2)`, if the local function does nothing with it. What is only passed on can be of another size with every call.
    /// But for sizes, a local function has one type in all uses. The restrictions of the function are those from
    /// `since` on.
    pub(super) fn generalise_results(
        &mut self,
        ty: &Ty,
        params: usize,
        since: usize,
    ) -> Vec<SchemeType> {
        let mut found = Vec::new();
        let mut rest = self.resolve(ty);
        for _ in 0..params {
            let Ty::Fun(fun) = rest else { break };
            self.results(&fun.param, &mut found);
            rest = self.resolve(&fun.ret);
        }
        found.retain(|meta| self.metas.infos[*meta].level >= self.level);
        if found.is_empty() {
            return Vec::new();
        }
        for i in since..self.metas.restrictions.len() {
            let (ty, lifted, ..) = self.metas.restrictions[i].clone();
            // What is wrong is reported at the end.
            let _ = self.too_lifted(&ty, lifted);
        }
        // A field of something that is not known yet is not the function's own.
        let mut parts = Vec::new();
        for i in 0..self.metas.infos.len() {
            let info = &self.metas.infos[Meta(i as u32)];
            if info.solution.is_none() && !(info.fields.is_empty() && info.ctors.is_empty()) {
                let fields = info.fields.iter().map(|(_, ty)| ty.clone());
                let payloads = info.ctors.iter().flat_map(|(_, tys)| tys.clone());
                for ty in fields.chain(payloads).collect::<Vec<_>>() {
                    self.unsolved(&ty, &mut parts);
                }
            }
        }
        let mut inferred = Vec::new();
        for meta in found {
            let info = &self.metas.infos[meta];
            let free = info.lifted == Lifted::Lifted
                && info.needs == Needs::Nothing
                && info.fields.is_empty()
                && info.ctors.is_empty();
            if free && !parts.contains(&meta) {
                let span = info.span;
                let param = self.type_param(meta, type_param_name(inferred.len()));
                if let Ty::Meta(shared) = self.fresh(span) {
                    self.metas.infos[shared].level = self.level - 1;
                    self.metas.shared.insert(param.id, shared);
                }
                inferred.push(param);
            }
        }
        inferred
    }

    /// The unknowns in the results of functions.
    fn results(&mut self, ty: &Ty, found: &mut Vec<Meta>) {
        match self.resolve(ty) {
            Ty::Fun(fun) => match self.resolve(&fun.ret) {
                ret @ Ty::Fun(_) => self.results(&ret, found),
                ret @ (Ty::Prim(_)
                | Ty::Array(..)
                | Ty::Record(_)
                | Ty::Sum(_)
                | Ty::Con(..)
                | Ty::Meta(_)
                | Ty::Unique(_)
                | Ty::Error) => self.unsolved(&ret, found),
            },
            Ty::Record(fields) => fields.iter().for_each(|(_, ty)| self.results(ty, found)),
            Ty::Unique(inner) => self.results(&inner, found),
            Ty::Prim(_) | Ty::Error | Ty::Meta(_) | Ty::Array(..) | Ty::Sum(_) | Ty::Con(..) => {}
        }
    }

    /// Makes an unknown a type parameter.
    fn type_param(&mut self, meta: Meta, name: String) -> SchemeType {
        let (lifted, span) = (self.metas.infos[meta].lifted, self.metas.infos[meta].span);
        let id = self.new_type(name, Some(span), lifted, Vec::new(), TypeSort::Parameter);
        self.metas.infos[meta].solution = Some(Ty::Con(id, Arc::new([])));
        SchemeType { id, lifted, needs: Needs::Nothing }
    }

    fn unsolved(&mut self, ty: &Ty, found: &mut Vec<Meta>) {
        match &self.resolve(ty) {
            Ty::Prim(_) | Ty::Error => {}
            Ty::Meta(meta) => {
                if !found.contains(meta) {
                    found.push(*meta);
                }
            }
            Ty::Array(_, elem) | Ty::Unique(elem) => self.unsolved(elem, found),
            Ty::Record(fields) => fields.iter().for_each(|(_, t)| self.unsolved(t, found)),
            Ty::Sum(ctors) => {
                ctors.iter().flat_map(|(_, ts)| ts).for_each(|t| self.unsolved(t, found));
            }
            Ty::Fun(fun) => {
                self.unsolved(&fun.param, found);
                self.unsolved(&fun.ret, found);
            }
            Ty::Con(_, args) => args.iter().for_each(|arg| {
                if let Arg::Type(ty) = arg {
                    self.unsolved(ty, found);
                }
            }),
        }
    }

    /// The type with its unknowns replaced by the type that agrees with every type.
    pub(crate) fn poison(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::Meta(_) => Ty::Error,
            Ty::Prim(_) | Ty::Error => ty.clone(),
            Ty::Array(size, elem) => Ty::array(size.clone(), self.poison(elem)),
            Ty::Unique(inner) => Ty::Unique(Arc::new(self.poison(inner))),
            Ty::Record(fields) => {
                Ty::Record(fields.iter().map(|(f, t)| (f.clone(), self.poison(t))).collect())
            }
            Ty::Sum(ctors) => Ty::Sum(
                ctors
                    .iter()
                    .map(|(c, ts)| (c.clone(), ts.iter().map(|t| self.poison(t)).collect()))
                    .collect(),
            ),
            Ty::Fun(fun) => {
                let param = self.poison(&fun.param);
                let ret = self.poison(&fun.ret);
                Ty::Fun(Arc::new(FunTy { param, ret, ..(**fun).clone() }))
            }
            Ty::Con(id, args) => Ty::Con(
                *id,
                args.iter()
                    .map(|arg| match arg {
                        Arg::Size(_) => arg.clone(),
                        Arg::Type(ty) => Arg::Type(self.poison(ty)),
                    })
                    .collect(),
            ),
        }
    }
}

/// The type of a literal that nothing else decides.
fn default_of(set: PrimSet) -> Prim {
    [Prim::I32, Prim::F64, Prim::I64, Prim::Bool]
        .into_iter()
        .chain(set.iter())
        .find(|&prim| set.contains(prim))
        .unwrap_or(Prim::I32)
}

/// Whether a literal's value can be represented in the type; floats that round are fine.
fn literal_fits(value: LitValue, negative: bool, prim: Prim) -> bool {
    let value = match (value, prim.is_float()) {
        (LitValue::Int(value), false) => value,
        (LitValue::Int(value), true) => return float_fits(value as f64, prim),
        (LitValue::Float(value), _) => return float_fits(value, prim),
    };
    let bits = prim.bits();
    let limit = 1u128 << if prim.is_unsigned() { bits } else { bits - 1 };
    match (prim.is_unsigned(), negative) {
        (true, true) => value == 0,
        (true, false) | (false, false) => value < limit,
        (false, true) => value <= limit,
    }
}

/// Whether a number does not become infinite in the type.
fn float_fits(value: f64, prim: Prim) -> bool {
    match prim {
        Prim::F16 => value < 65520.0,
        Prim::F32 => (value as f32).is_finite(),
        Prim::F64 => value.is_finite(),
        // A number with a fraction has no other type; that was reported.
        Prim::I8
        | Prim::I16
        | Prim::I32
        | Prim::I64
        | Prim::U8
        | Prim::U16
        | Prim::U32
        | Prim::U64
        | Prim::Bool => true,
    }
}

/// a, b, ..., z, a1, b1, ...
fn type_param_name(i: usize) -> String {
    let letter = char::from(b'a' + (i % 26) as u8);
    if i < 26 { letter.to_string() } else { format!("{letter}{}", i / 26) }
}
