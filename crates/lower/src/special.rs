//! IR functions made for functions of the source at certain shapes.
//!
//! A function whose arguments are all data stands for itself. One that gets functions, or is local,
//! uses variables from around it: see `capture`.

use crate::attribute::attribute;
use crate::build::Building;
use crate::call::result_after;
use crate::construct::holds_function;
use crate::env::{Frame, Term, TypeVal};
use crate::notice::Notices;
use crate::value::{Closure, Shape, Val};
use crate::{Lower, Res};
use ecow::EcoString;
use fehu_base::{FileId, OrBug, Span};
use fehu_check::ty::{Scheme, Ty, VarId};
use fehu_ir::{Atom, Exp, Fun, FunId, Param, Type, Var};
use fehu_syntax::ast;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// A function of the source.
pub(crate) struct Target<'a> {
    pub(crate) file: FileId,
    pub(crate) name: EcoString,
    pub(crate) attrs: &'a [ast::Attr],
    pub(crate) params: &'a [ast::Pat],
    pub(crate) body: &'a ast::Exp,
    /// For a function with parameters for types and sizes.
    pub(crate) scheme: Option<Arc<Scheme>>,
    pub(crate) ty: Ty,
    pub(crate) recursive: bool,
}

/// What an IR function is made for: the function, what it refers to, the shapes of the arguments with
/// their sizes numbered, and the functions among the arguments.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    body: usize,
    frame: usize,
    shapes: String,
    statics: Vec<usize>,
    safe: bool,
    notices: Notices,
}

/// An IR function that was made, and how its results make up a value.
#[derive(Clone)]
pub(crate) struct Made {
    fun: FunId,
    params: Vec<Var>,
    results: Packed,
}

/// Results of a function or constant: the shape of the value in terms of the function's own
/// variables, and which of its results are sizes.
#[derive(Clone)]
pub(crate) struct Packed {
    shape: Shape,
    /// Sizes that are results, in order; they come before the parts.
    pub(crate) sizes: Vec<Atom>,
}

/// A call for which an IR function can be made.
pub(crate) struct Prepared {
    pub(crate) key: Key,
    /// The sizes that are arguments, each once.
    sizes: Vec<Atom>,
    /// All arguments of the IR function.
    args: Vec<Atom>,
    /// Sizes and types that no argument shows are arguments, too.
    extra_sizes: Vec<(VarId, Atom)>,
    type_shapes: Vec<Option<Shape>>,
    /// Whether nothing is used from around.
    closed: bool,
}

/// A function that is being made, and what its parameters for sizes and types are inside.
pub(crate) struct Making {
    body: *const ast::Exp,
    extra_sizes: Vec<(VarId, Atom)>,
    type_shapes: Vec<Option<Shape>>,
}

impl Made {
    /// An IR function with these parameters.
    pub(crate) fn new(fun: FunId, params: Vec<Var>, results: Packed) -> Made {
        Made { fun, params, results }
    }

    pub(crate) fn fun(&self) -> FunId {
        self.fun
    }

    pub(crate) fn params(&self) -> &[Var] {
        &self.params
    }

    pub(crate) fn results(&self) -> &Packed {
        &self.results
    }
}

impl Packed {
    /// Results that are parts only, no sizes.
    pub(crate) fn of(shape: Shape) -> Packed {
        Packed { shape, sizes: Vec::new() }
    }
}

impl Making {
    fn is(&self, target: &Target<'_>) -> bool {
        std::ptr::eq(self.body, target.body)
    }
}

/// How often a function may be under construction for itself: each time for other functions.
const MOST_DEEP: usize = 100;

impl<'a> Lower<'a> {
    /// What a call passes, and what it is remembered by.
    pub(crate) fn prepare(
        &mut self,
        closure: &Closure<'a>,
        target: &Target<'a>,
        span: Span,
    ) -> Res<Prepared> {
        let mut extra_sizes: Vec<(VarId, Atom)> = Vec::new();
        let mut type_shapes: Vec<Option<Shape>> = Vec::new();
        let mut statics = Vec::new();
        if let (Some(scheme), Some(instance)) = (&target.scheme, &closure.instance) {
            for (&size_var, size) in scheme.sizes.iter().zip(instance.sizes) {
                if !witnessed(&scheme.ty, size_var)
                    && let Some(atom) = self.size(size, &instance.frame, span)?
                {
                    extra_sizes.push((size_var, atom));
                }
            }
            for ty in instance.types {
                let shape = self.known_shape(ty, &instance.frame, span)?;
                if shape.is_none() {
                    // Then it depends on where the type has its meaning.
                    self.keep_frame(&instance.frame);
                    statics.push(Rc::as_ptr(&instance.frame) as usize);
                }
                type_shapes.push(shape);
            }
        } else if let Some(making) = self.making.iter().rev().find(|m| m.is(target)) {
            // A function uses itself as it is, for the same types and sizes.
            extra_sizes.clone_from(&making.extra_sizes);
            type_shapes.clone_from(&making.type_shapes);
        }

        // All sizes first, each once, then the parts.
        let mut sizes: Vec<Atom> = Vec::new();
        let add = |size: Atom, sizes: &mut Vec<Atom>| {
            if !sizes.contains(&size) {
                sizes.push(size);
            }
        };
        for (_, size) in &extra_sizes {
            add(*size, &mut sizes);
        }
        let mut shapes = Vec::with_capacity(closure.args.len());
        for arg in &closure.args {
            if arg.has_function() {
                statics.push(self.static_number(arg) as usize);
                shapes.push(Shape::Fun);
            } else {
                shapes.push(arg.shape());
            }
        }
        for shape in shapes.iter().chain(type_shapes.iter().flatten()) {
            shape.for_each_size(&mut |size| add(size, &mut sizes));
        }
        let mut text = String::new();
        for shape in &shapes {
            describe(shape, &sizes, &mut text);
        }
        for shape in &type_shapes {
            text.push('/');
            if let Some(shape) = shape {
                describe(shape, &sizes, &mut text);
            }
        }
        for (_, size) in &extra_sizes {
            describe_size(*size, &sizes, &mut text);
        }
        let closed = closure.frame.is_module() && statics.is_empty();
        if !closure.frame.is_module() {
            self.keep_frame(&closure.frame);
        }
        let key = Key {
            body: std::ptr::from_ref(target.body) as usize,
            frame: Rc::as_ptr(&closure.frame) as usize,
            shapes: text,
            statics,
            safe: self.safe,
            notices: self.watching.notices,
        };
        let mut args: Vec<Atom> = sizes.clone();
        for arg in closure.args.iter().filter(|arg| !arg.has_function()) {
            args.extend(arg.parts());
        }
        Ok(Prepared { key, sizes, args, extra_sizes, type_shapes, closed })
    }

    /// A call of an IR function, which is made if it is not there yet; nothing if it cannot be one.
    pub(crate) fn call(
        &mut self,
        closure: &Closure<'a>,
        target: &Target<'a>,
        prepared: &Prepared,
        span: Span,
    ) -> Res<Option<Val<'a>>> {
        let made = match self.memo.get(&prepared.key).cloned() {
            Some(made) => Some(made),
            None => self.specialise(closure, target, prepared, span)?,
        };
        Ok(made.map(|made| self.emit_call(&made, prepared.args.clone(), span)))
    }

    fn emit_call(&mut self, made: &Made, args: Vec<Atom>, span: Span) -> Val<'a> {
        self.may_stop();
        let loc = self.loc(self.user_place(span));
        let attrs = self.attrs.clone();
        let params = made.params.clone();
        let fun = made.fun;
        let known: Vec<(Var, Atom)> = params.into_iter().zip(args.iter().copied()).collect();
        let (value, _) = unpack(self, &made.results, &known, |this, types| {
            let named: Vec<(&str, Type)> = types.into_iter().map(|ty| ("r", ty)).collect();
            let with = crate::build::Attach { certs: Vec::new(), attrs, loc: Some(loc) };
            this.b().emit(Exp::Call(fun, args), named, with)
        });
        value
    }

    /// Makes an IR function for a function at these shapes.
    fn specialise(
        &mut self,
        closure: &Closure<'a>,
        target: &Target<'a>,
        prepared: &Prepared,
        span: Span,
    ) -> Res<Option<Made>> {
        if self.making.iter().filter(|making| making.is(target)).count() > MOST_DEEP {
            return self.limit(
                span,
                "this function calls itself with another function each time, without end",
            );
        }
        let levels = self.b().levels();
        let buildings = self.building.len();
        if prepared.closed {
            self.building.push(Building::new(&self.common));
        } else {
            self.b().enter();
        }
        let trace = std::mem::take(&mut self.trace);
        let attrs = std::mem::take(&mut self.attrs);
        let in_place = self.in_place;
        self.in_place = if prepared.closed { 0 } else { in_place + 1 };
        let making = self.making.len();
        let made = self.specialise_body(closure, target, prepared, span);
        self.making.truncate(making);
        self.in_place = in_place;
        self.trace = trace;
        self.attrs = attrs;
        if !matches!(made, Ok(Some(_))) {
            self.building.truncate(buildings);
            while self.b().levels() > levels {
                self.b().abandon();
            }
        }
        made
    }

    fn specialise_body(
        &mut self,
        closure: &Closure<'a>,
        target: &Target<'a>,
        prepared: &Prepared,
        span: Span,
    ) -> Res<Option<Made>> {
        let mut params: Vec<Param> = Vec::new();
        for _ in &prepared.sizes {
            params.push(Param { var: self.b().var("n", Type::I64), consumed: false });
        }
        let first = params.first().map_or(0, |param| param.var.0);
        let rename = |size: Atom| {
            let index =
                prepared.sizes.iter().position(|s| *s == size).or_bug("parameter for a size");
            Atom::Var(Var(first + index as u32))
        };
        let frame = Frame::new(target.file, Some(closure.frame.clone()));
        let mut making = Making {
            body: target.body,
            extra_sizes: Vec::with_capacity(prepared.extra_sizes.len()),
            type_shapes: Vec::with_capacity(prepared.type_shapes.len()),
        };
        let types = target.scheme.iter().flat_map(|scheme| &scheme.types);
        for (i, (param, shape)) in types.zip(&prepared.type_shapes).enumerate() {
            let shape = shape.as_ref().map(|shape| shape.map_sizes(&mut |size| rename(size)));
            making.type_shapes.push(shape.clone());
            if let Some(shape) = shape {
                frame.bind_shape(param.id, shape);
            } else if let Some(instance) = &closure.instance
                && let Some(ty) = instance.types.get(i)
            {
                let (ty, outer) = (ty.clone(), instance.frame.clone());
                frame.bind_type(param.id, TypeVal { params: Rc::new([]), ty, frame: outer });
            }
        }
        for (var, size) in &prepared.extra_sizes {
            let size = rename(*size);
            making.extra_sizes.push((*var, size));
            frame.bind(*var, Term::Val(Val::i64(size)));
        }
        self.making.push(making);
        let result_ty = self.node_type(target.body.id, &frame);
        // Where the type is not known here, the value tells.
        let result_shape = self.known_loose_shape(&result_ty, &frame, span)?;
        if result_shape.is_some_and(|shape| holds_function(&shape)) {
            return Ok(None);
        }
        let consumes = consumed_params(&target.ty);
        for (i, (pat, arg)) in target.params.iter().zip(&closure.args).enumerate() {
            if arg.has_function() {
                self.bind_param(pat, arg.clone(), &frame)?;
                continue;
            }
            let shape = arg.shape().map_sizes(&mut |size| rename(size));
            let hint = pattern_name(pat);
            let consumed = consumes.get(i).copied().unwrap_or(false);
            let mut parts = Vec::new();
            for ty in shape.parts() {
                let array = ty.is_array();
                let var = self.b().var(&hint, ty);
                params.push(Param { var, consumed: consumed && array });
                parts.push(Atom::Var(var));
            }
            self.bind_param(pat, Val::build(&shape, &mut parts.into_iter()), &frame)?;
        }
        let names: Vec<Var> = params.iter().map(|p| p.var).collect();
        let id = self.add_fun(Fun {
            name: target.name.clone(),
            vars: Default::default(),
            params: Vec::new(),
            results: Vec::new(),
            body: Default::default(),
            attrs: target.attrs.iter().map(attribute).collect(),
            foreign: None,
        });
        let mut forward = None;
        if target.recursive {
            // The type says what the results are; every size in it is a result.
            let ty = result_after(&target.ty, target.params.len());
            let packed = self.forward_results(&ty, &frame, span)?;
            let made = Made { fun: id, params: names.clone(), results: packed.0.clone() };
            self.memo.insert(prepared.key.clone(), made);
            forward = Some(packed);
        }
        let value = self.exp(target.body, &frame)?;
        if value.has_function() || value.has_acc() {
            return Ok(None);
        }
        let inner = Frame::new(target.file, Some(frame.clone()));
        let value = self.bind_sizes(&result_ty, value, &inner);
        let (packed, results, atoms) = match forward {
            None => self.pack_results(&value, &names),
            Some((packed, results)) => {
                let atoms = self.fill_results(&value, &results);
                (packed, results, atoms)
            }
        };
        let (vars, body) = if prepared.closed {
            self.building.pop().or_bug("function under construction").finish(atoms)
        } else {
            let finished = self.b().leave(atoms);
            if finished.captured.has_acc() {
                return Ok(None);
            }
            self.captured.insert(id, finished.captured);
            (finished.vars, finished.body)
        };
        let made = Made { fun: id, params: names, results: packed };
        let fun = &mut self.prog.funs[id];
        fun.vars = vars;
        fun.params = params;
        fun.results = results;
        fun.body = body;
        self.memo.insert(prepared.key.clone(), made.clone());
        Ok(Some(made))
    }

    /// The operands for the results of a function that calls itself: sizes, then parts.
    fn fill_results(&mut self, value: &Val<'a>, results: &[Var]) -> Vec<Atom> {
        let mut atoms = Vec::new();
        value.shape().for_each_size(&mut |size| atoms.push(size));
        let mut sizes: FxHashMap<Var, Atom> = FxHashMap::default();
        for (&var, &atom) in results.iter().zip(&atoms) {
            sizes.insert(var, atom);
        }
        let count = atoms.len();
        for (part, &var) in value.parts().into_iter().zip(&results[count..]) {
            let ty = self.b().type_of(var).clone();
            atoms.push(self.with_type(part, &crate::branch::substitute(&ty, &sizes), None));
        }
        atoms
    }

    /// The results of a function that calls itself, from its type: every size is a result.
    fn forward_results(
        &mut self,
        ty: &Ty,
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Res<(Packed, Vec<Var>)> {
        let mut sizes = Vec::new();
        let shape = self.loose_shape(ty, frame, span)?.map_sizes(&mut |_| {
            let size = self.b().var("k", Type::I64);
            sizes.push(size);
            Atom::Var(size)
        });
        let mut results: Vec<Var> = sizes.clone();
        for ty in shape.parts() {
            results.push(self.b().var("r", ty));
        }
        let sizes = sizes.into_iter().map(Atom::Var).collect();
        Ok((Packed { shape, sizes }, results))
    }

    /// The results for a value: the sizes that are not known from the parameters, then the parts.
    /// Returns how to unpack them, the variables for their types, and the operands.
    pub(crate) fn pack_results(
        &mut self,
        value: &Val<'a>,
        params: &[Var],
    ) -> (Packed, Vec<Var>, Vec<Atom>) {
        let shape = value.shape();
        let mut sizes: Vec<Atom> = Vec::new();
        shape.for_each_size(&mut |size| {
            if let Atom::Var(var) = size
                && !params.contains(&var)
                && !self.b().is_outer(var)
                && !sizes.contains(&size)
            {
                sizes.push(size);
            }
        });
        let mut results = Vec::new();
        let mut renamed: FxHashMap<Var, Atom> = FxHashMap::default();
        for size in &sizes {
            let result = self.b().var("k", Type::I64);
            if let Atom::Var(var) = size {
                renamed.insert(*var, Atom::Var(result));
            }
            results.push(result);
        }
        for ty in shape.parts() {
            let ty = crate::branch::substitute(&ty, &renamed);
            results.push(self.b().var("r", ty));
        }
        let mut atoms = sizes.clone();
        atoms.extend(value.parts());
        (Packed { shape, sizes }, results, atoms)
    }
}

/// Writes a shape, with the numbers of its sizes.
fn describe(shape: &Shape, sizes: &[Atom], text: &mut String) {
    match shape {
        Shape::Prim(prim) => {
            text.push_str(prim.name());
            text.push(' ');
        }
        Shape::Array(size, elem) => {
            describe_size(*size, sizes, text);
            describe(elem, sizes, text);
        }
        Shape::Record(fields) => {
            text.push('{');
            for (name, shape) in fields.iter() {
                text.push_str(name);
                text.push(':');
                describe(shape, sizes, text);
            }
            text.push('}');
        }
        Shape::Sum(ctors) => {
            for (name, shapes) in ctors.iter() {
                text.push('#');
                text.push_str(name);
                text.push(' ');
                shapes.iter().for_each(|shape| describe(shape, sizes, text));
            }
            text.push(';');
        }
        Shape::Acc(cert) => {
            text.push('@');
            text.push_str(&cert.0.to_string());
        }
        Shape::Fun => text.push('>'),
    }
}

fn describe_size(size: Atom, sizes: &[Atom], text: &mut String) {
    let index = sizes.iter().position(|s| *s == size).or_bug("number of a size");
    text.push('[');
    text.push_str(&index.to_string());
    text.push(']');
}

/// The value that packed results make up, where `known` says what the function's parameters are here.
pub(crate) fn unpack<'a>(
    lower: &mut Lower<'a>,
    packed: &Packed,
    known: &[(Var, Atom)],
    emit: impl FnOnce(&mut Lower<'a>, Vec<Type>) -> Vec<Var>,
) -> (Val<'a>, Vec<Var>) {
    // The sizes among the results get their variables first, since the other types mention them.
    let first = lower.b().next_var();
    let mut here: FxHashMap<Var, Atom> = known.iter().copied().collect();
    for (i, size) in packed.sizes.iter().enumerate() {
        if let Atom::Var(var) = size {
            here.insert(*var, Atom::Var(Var(first + i as u32)));
        }
    }
    let shape = packed.shape.map_sizes(&mut |size| match size {
        Atom::Var(var) => here.get(&var).copied().unwrap_or(size),
        Atom::Const(_) => size,
    });
    let mut types = vec![Type::I64; packed.sizes.len()];
    types.extend(shape.parts());
    let vars = emit(lower, types);
    let mut parts = vars[packed.sizes.len()..].iter().map(|&v| Atom::Var(v));
    (Val::build(&shape, &mut parts), vars)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other types are no functions")]
pub(crate) fn consumed_params(ty: &Ty) -> Vec<bool> {
    match ty {
        Ty::Fun(fun) => {
            let mut all = vec![fun.consumes];
            all.extend(consumed_params(&fun.ret));
            all
        }
        _ => Vec::new(),
    }
}

/// Whether a size can be read off an argument.
#[expect(clippy::wildcard_enum_match_arm, reason = "other types are no functions")]
fn witnessed(ty: &Ty, var: VarId) -> bool {
    match ty {
        Ty::Fun(fun) => constructive(&fun.param, var) || witnessed(&fun.ret, var),
        _ => false,
    }
}

fn constructive(ty: &Ty, var: VarId) -> bool {
    use fehu_check::ty::{Arg, Size};
    match ty {
        Ty::Array(size, elem) => *size == Size::Var(var) || constructive(elem, var),
        Ty::Record(fields) => fields.iter().any(|(_, t)| constructive(t, var)),
        Ty::Sum(ctors) => ctors.iter().any(|(_, ts)| ts.iter().any(|t| constructive(t, var))),
        Ty::Unique(inner) => constructive(inner, var),
        Ty::Con(_, args) => {
            args.iter().any(|arg| matches!(arg, Arg::Size(size) if *size == Size::Var(var)))
        }
        Ty::Prim(_) | Ty::Fun(_) | Ty::Meta(_) | Ty::Error => false,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other nodes have no such name")]
pub(crate) fn pattern_name(pat: &ast::Pat) -> ecow::EcoString {
    match &pat.kind {
        ast::PatKind::Var(ident) => ident.name.clone(),
        ast::PatKind::Paren(inner)
        | ast::PatKind::Attr(_, inner)
        | ast::PatKind::Ascribe(inner, _) => pattern_name(inner),
        _ => "arg".into(),
    }
}
