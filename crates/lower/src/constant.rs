//! Top-level values.

use crate::build::Building;
use crate::env::{Def, Frame, Term, TypeVal};
use crate::special::{Packed, unpack};
use crate::value::{Closure, Code, Instance, Val};
use crate::{Lower, Res};
use fehu_base::{OrBug, Span};
use fehu_check::ty::Ty;
use fehu_ir::{Atom, Const, ConstId, Exp, Type};
use std::rc::Rc;

/// The value of a constant.
#[derive(Clone)]
pub(crate) enum Constant<'a> {
    /// Known now.
    Static(Val<'a>),
    /// Computed once by the program.
    Residual(ConstId, Packed),
}

impl<'a> Lower<'a> {
    /// The value of a top-level definition.
    pub(crate) fn definition(
        &mut self,
        def: &Rc<Def<'a>>,
        instance: Option<Rc<Instance<'a>>>,
        span: Span,
    ) -> Res<Val<'a>> {
        if !def.bind.params.is_empty() {
            return Ok(Val::Fun(Rc::new(Closure {
                code: Code::Def(def.file, def.dec, def.bind),
                frame: def.frame.clone(),
                instance,
                args: Vec::new(),
            })));
        }
        let scheme = self.program.vars[def.var].scheme.clone().or_bug("type of a value");
        if !scheme.is_mono() {
            let frame = Frame::new(def.file, Some(def.frame.clone()));
            if let Some(instance) = &instance {
                self.bind_instance(&scheme, instance, &frame, span)?;
            }
            return self.function_value(def, &frame, &scheme.ty);
        }
        if let Some(value) = def.value.borrow().clone() {
            return Ok(self.use_constant(&value, &scheme.ty));
        }
        if is_functional(&scheme.ty) {
            // Functions are known at compile time: evaluated anew, nothing is computed twice.
            let frame = Frame::new(def.file, Some(def.frame.clone()));
            return self.function_value(def, &frame, &scheme.ty);
        }
        let frame = Frame::new(def.file, Some(def.frame.clone()));
        let (safe, trace) =
            (std::mem::replace(&mut self.safe, true), std::mem::take(&mut self.trace));
        let attrs = std::mem::take(&mut self.attrs);
        self.building.push(Building::new(&self.common));
        let stops = self.watching.stops;
        let value = self.exp(&def.bind.body, &frame);
        let stops = self.watching.stops > stops;
        self.safe = safe;
        self.trace = trace;
        self.attrs = attrs;
        let value = match value {
            Ok(value) => value,
            Err(limit) => {
                self.building.pop();
                return Err(limit);
            }
        };
        let constant = self.finish_constant(def, value, stops);
        *def.value.borrow_mut() = Some(constant.clone());
        Ok(self.use_constant(&constant, &scheme.ty))
    }

    /// A definition that is evaluated anew for each use. If it is a function that was made of constants, as
    /// in `def g = f table`, it may return them.
    fn function_value(&mut self, def: &Def<'a>, frame: &Rc<Frame<'a>>, ty: &Ty) -> Res<Val<'a>> {
        let outer = std::mem::replace(&mut self.lent, false);
        let value = self.exp(&def.bind.body, frame);
        let lent = std::mem::replace(&mut self.lent, outer);
        Ok(if lent && returns_memory(ty) { self.owning(value?) } else { value? })
    }

    /// The functions in a value, with results that are copies.
    fn owning(&mut self, value: Val<'a>) -> Val<'a> {
        match value {
            Val::Fun(closure) => Val::Fun(Rc::new(Closure {
                code: Code::Owning,
                frame: closure.frame.clone(),
                instance: None,
                args: vec![Val::Fun(closure)],
            })),
            Val::Record(fields) => Val::Record(
                fields
                    .iter()
                    .map(|(name, part)| (name.clone(), self.owning(part.clone())))
                    .collect(),
            ),
            Val::Choice(name, payload) => {
                Val::Choice(name, payload.iter().map(|part| self.owning(part.clone())).collect())
            }
            Val::Scalar(..) | Val::Array(..) | Val::Sum(..) | Val::Acc(..) => value,
        }
    }

    /// A copy of all arrays, and functions with results that are copies.
    pub(crate) fn owned(&mut self, value: Val<'a>) -> Val<'a> {
        match value {
            Val::Fun(_) => self.owning(value),
            Val::Record(fields) => Val::Record(
                fields
                    .iter()
                    .map(|(name, part)| (name.clone(), self.owned(part.clone())))
                    .collect(),
            ),
            Val::Choice(name, payload) => {
                Val::Choice(name, payload.iter().map(|part| self.owned(part.clone())).collect())
            }
            Val::Array(..) | Val::Sum(..) => self.copied(value),
            Val::Scalar(..) | Val::Acc(..) => value,
        }
    }

    /// `stops`: whether computing it may stop, so that it has to be computed even if it is known.
    fn finish_constant(&mut self, def: &Def<'a>, value: Val<'a>, stops: bool) -> Constant<'a> {
        let shape = value.shape();
        let mut all_known = !stops && value.parts().iter().all(|a| matches!(a, Atom::Const(_)));
        shape.for_each_size(&mut |size| all_known &= matches!(size, Atom::Const(_)));
        if all_known {
            self.building.pop();
            return Constant::Static(value);
        }
        let (packed, results, atoms) = self.pack_results(&value, &[]);
        let building = self.building.pop().or_bug("constant under construction");
        let (vars, body) = building.finish(atoms);
        let name = def.bind.name.name.clone();
        let id = self.add_const(Const { name, vars, results, body }, (def.file, def.dec.id));
        Constant::Residual(id, packed)
    }

    fn use_constant(&mut self, constant: &Constant<'a>, ty: &Ty) -> Val<'a> {
        let value = self.constant_value(constant);
        if has_abstract(ty) { self.copied(value) } else { value }
    }

    /// A copy of all arrays. Whoever has a value of abstract type may hand it on as its own, since nobody sees that there are
    /// arrays in it. Where nobody changes them, the optimiser makes nothing of the copies.
    fn copied(&mut self, value: Val<'a>) -> Val<'a> {
        let shape = value.shape();
        let mut parts = Vec::new();
        for (part, ty) in value.parts().into_iter().zip(shape.parts()) {
            parts.push(match part {
                Atom::Var(array) if ty.is_array() => self.b().one("c", ty, Exp::Copy(array)),
                Atom::Var(_) | Atom::Const(_) => part,
            });
        }
        Val::build(&shape, &mut parts.into_iter())
    }

    fn constant_value(&mut self, constant: &Constant<'a>) -> Val<'a> {
        match constant {
            Constant::Static(value) => value.clone(),
            Constant::Residual(id, packed) => {
                self.lent = true;
                self.may_stop();
                let (val, _) = unpack(self, packed, &[], |this, types| {
                    let named: Vec<(&str, Type)> = types.into_iter().map(|ty| ("c", ty)).collect();
                    this.b().emit(Exp::Const(*id), named, Default::default())
                });
                val
            }
        }
    }

    /// Binds the parameters of a scheme to what they stand for at a use.
    pub(crate) fn bind_instance(
        &mut self,
        scheme: &fehu_check::ty::Scheme,
        instance: &Rc<Instance<'a>>,
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Res<()> {
        self.bind_instance_types(scheme, instance, frame);
        for (&var, size) in scheme.sizes.iter().zip(instance.sizes) {
            if frame.get(var).is_some() {
                continue;
            }
            if let Some(atom) = self.size(size, &instance.frame, span)? {
                frame.bind(var, Term::Val(Val::i64(atom)));
            }
        }
        Ok(())
    }

    pub(crate) fn bind_instance_types(
        &mut self,
        scheme: &fehu_check::ty::Scheme,
        instance: &Rc<Instance<'a>>,
        frame: &Rc<Frame<'a>>,
    ) {
        for (param, ty) in scheme.types.iter().zip(instance.types) {
            let frame_of = instance.frame.clone();
            frame.bind_type(
                param.id,
                TypeVal { params: Rc::new([]), ty: ty.clone(), frame: frame_of },
            );
        }
    }
}

/// Whether functions in a value of the type may return memory that is not theirs.
#[expect(clippy::wildcard_enum_match_arm, reason = "all other results may be memory")]
fn returns_memory(ty: &Ty) -> bool {
    match ty {
        Ty::Fun(fun) => match &fun.ret {
            Ty::Prim(_) | Ty::Unique(_) => false,
            ret @ Ty::Fun(_) => returns_memory(ret),
            _ => true,
        },
        Ty::Record(fields) => fields.iter().any(|(_, ty)| returns_memory(ty)),
        Ty::Unique(inner) => returns_memory(inner),
        Ty::Sum(ctors) => ctors.iter().flat_map(|(_, parts)| parts).any(returns_memory),
        Ty::Prim(_) | Ty::Array(..) | Ty::Con(..) | Ty::Meta(_) | Ty::Error => false,
    }
}

/// Whether a type contains an abstract one.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other types have no type inside that a module can hide"
)]
pub(crate) fn has_abstract(ty: &Ty) -> bool {
    match ty {
        Ty::Con(..) => true,
        Ty::Record(fields) => fields.iter().any(|(_, ty)| has_abstract(ty)),
        Ty::Unique(inner) => has_abstract(inner),
        _ => false,
    }
}

/// Whether a type contains a function.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other type holds functions")]
pub(crate) fn is_functional(ty: &Ty) -> bool {
    match ty {
        Ty::Fun(_) => true,
        Ty::Record(fields) => fields.iter().any(|(_, t)| is_functional(t)),
        Ty::Unique(inner) => is_functional(inner),
        _ => false,
    }
}
