//! Applications: evaluated in place, or as calls of IR functions.

use crate::build::Building;
use crate::constant::is_functional;
use crate::env::{Frame, Term};
use crate::exp::attribute;
use crate::value::{Closure, Code, Shape, Val};
use crate::{Lower, Res};
use fehu_base::{FileId, Span};
use fehu_check::ty::{Scheme, Ty, VarId};
use fehu_ir::{Atom, Exp, Fun, FunId, Param, Type, Var};
use fehu_syntax::ast;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// What an IR function is made for: the definition, its module, and the shapes of the arguments with
/// their sizes numbered.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    def: usize,
    frame: usize,
    shapes: String,
    safe: bool,
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
    sizes: Vec<Atom>,
}

impl<'a> Lower<'a> {
    /// A function applied to one more argument.
    pub(crate) fn apply(&mut self, fun: Val<'a>, arg: Val<'a>, span: Span) -> Res<Val<'a>> {
        let Val::Fun(closure) = fun else {
            return self.limit(span, "something that is no function is applied");
        };
        let mut closure = (*closure).clone();
        closure.args.push(arg);
        if closure.args.len() < self.params(&closure) {
            return Ok(Val::Fun(Rc::new(closure)));
        }
        self.invoke(&closure, span)
    }

    fn params(&self, closure: &Closure<'a>) -> usize {
        match closure.code {
            Code::Def(_, _, bind) => bind.params.len(),
            Code::Local(_, bind) => match &bind.kind {
                ast::LetKind::Fun { params, .. } => params.len(),
                ast::LetKind::Pat { .. } | ast::LetKind::Update { .. } => 0,
            },
            Code::Lambda(_, lambda) => lambda.params.len(),
            Code::SectionRight => 3,
            Code::Access(..) => 1,
            Code::Hole(_, arity) | Code::Intrinsic(_, arity) => arity,
        }
    }

    fn invoke(&mut self, closure: &Closure<'a>, span: Span) -> Res<Val<'a>> {
        match closure.code {
            Code::Def(file, dec, bind) => self.invoke_def(closure, file, dec, bind, span),
            Code::Local(file, bind) => {
                let ast::LetKind::Fun { params, body, .. } = &bind.kind else {
                    return self.limit(span, "something that is no function is applied");
                };
                let var = self.tables(file).and_then(|t| t.binders.get(&bind.id).copied());
                self.inline(closure, file, params, body, var, span)
            }
            Code::Lambda(file, lambda) => {
                self.inline(closure, file, &lambda.params, &lambda.body, None, span)
            }
            Code::SectionRight => {
                let [op, rhs, lhs] = &closure.args[..] else {
                    return self.limit(span, "a section lacks its operands");
                };
                let partial = self.apply(op.clone(), lhs.clone(), span)?;
                self.apply(partial, rhs.clone(), span)
            }
            Code::Access(exp, path) => {
                let mut value = closure.args[0].clone();
                for step in path {
                    value = match step {
                        ast::Access::Field(field) => {
                            self.project(&value, &field.name, field.span)?
                        }
                        ast::Access::Index(dims, _) => {
                            let dims = self.dims(dims, &closure.frame)?;
                            self.index_value(&value, &dims, exp.span)?
                        }
                    };
                }
                Ok(value)
            }
            Code::Hole(exp, arity) => {
                let ty = result_after(&self.node_type(exp.id, &closure.frame), arity);
                self.hole(exp.span, &ty, &closure.frame)
            }
            Code::Intrinsic(name, _) => self.intrinsic(name, closure, span),
        }
    }

    /// Evaluates a function's body here.
    fn inline(
        &mut self,
        closure: &Closure<'a>,
        file: FileId,
        params: &'a [ast::Pat],
        body: &'a ast::Exp,
        var: Option<VarId>,
        span: Span,
    ) -> Res<Val<'a>> {
        let frame = Frame::new(file, Some(closure.frame.clone()));
        let scheme = var.and_then(|var| self.program.vars[var].scheme.clone());
        self.bind_args(closure, &frame, params, scheme.as_ref(), span)?;
        let value = self.exp(body, &frame)?;
        let ty = self.node_type(body.id, &frame);
        Ok(self.bind_sizes(&ty, value, &Frame::new(file, Some(frame.clone()))))
    }

    fn bind_args(
        &mut self,
        closure: &Closure<'a>,
        frame: &Rc<Frame<'a>>,
        params: &'a [ast::Pat],
        scheme: Option<&Arc<Scheme>>,
        span: Span,
    ) -> Res<()> {
        if let (Some(scheme), Some(instance)) = (scheme, &closure.instance) {
            self.bind_instance_types(scheme, instance, frame);
        }
        for (pat, arg) in params.iter().zip(&closure.args) {
            self.bind_param(pat, arg.clone(), frame)?;
        }
        if let (Some(scheme), Some(instance)) = (scheme, &closure.instance) {
            self.bind_instance(scheme, instance, frame, span)?;
        }
        Ok(())
    }

    fn invoke_def(
        &mut self,
        closure: &Closure<'a>,
        file: FileId,
        dec: &'a ast::Dec,
        bind: &'a ast::ValBind,
        span: Span,
    ) -> Res<Val<'a>> {
        let var = self.tables(file).and_then(|t| t.binders.get(&dec.id).copied());
        let Some(var) = var else { return self.limit(span, "a function has no variable") };
        let recursive = self.is_recursive(file, dec, var);
        let scheme = self.program.vars[var].scheme.clone();
        // Accumulators belong to the body that made them, so they are not passed to IR functions.
        let functional = closure.args.iter().any(|arg| arg.has_function() || arg.has_acc())
            || scheme
                .as_ref()
                .is_some_and(|s| is_functional(&result_after(&s.ty, bind.params.len())));
        let prelude = self.in_prelude(&closure.frame);
        if (functional || prelude) && !recursive {
            if !prelude {
                let place = self.loc(span);
                self.trace.push(place);
            }
            let value = self.inline(closure, file, &bind.params, &bind.body, Some(var), span);
            if !prelude {
                self.trace.pop();
            }
            return value;
        }
        if functional {
            return self.limit(span, "a recursive function with function parameters");
        }
        self.call(closure, file, dec, bind, var, recursive, span)
    }

    /// Whether a definition mentions itself: names inside it have smaller nodes than it has.
    fn is_recursive(&self, file: FileId, dec: &ast::Dec, var: VarId) -> bool {
        self.first_use.get(&(file, var)).is_some_and(|first| *first < dec.id)
    }

    #[expect(clippy::too_many_arguments, reason = "everything a definition is made of")]
    fn call(
        &mut self,
        closure: &Closure<'a>,
        file: FileId,
        dec: &'a ast::Dec,
        bind: &'a ast::ValBind,
        var: VarId,
        recursive: bool,
        span: Span,
    ) -> Res<Val<'a>> {
        let scheme = self.program.vars[var].scheme.clone();
        // Sizes and types that no argument shows are arguments, too.
        let mut extra_sizes: Vec<(VarId, Atom)> = Vec::new();
        let mut type_shapes: Vec<Option<Shape>> = Vec::new();
        if let (Some(scheme), Some(instance)) = (&scheme, &closure.instance) {
            for (&size_var, size) in scheme.sizes.iter().zip(&instance.sizes) {
                if !witnessed(&scheme.ty, size_var)
                    && let Some(atom) = self.size(size, &instance.frame, span)?
                {
                    extra_sizes.push((size_var, atom));
                }
            }
            for ty in &instance.types {
                type_shapes.push(match is_functional(ty) {
                    true => None,
                    false => self.shape_of(ty, &instance.frame, span).ok(),
                });
            }
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
        let shapes: Vec<Shape> = closure.args.iter().map(Val::shape).collect();
        for shape in shapes.iter().chain(type_shapes.iter().flatten()) {
            shape.for_each_size(&mut |size| add(size, &mut sizes));
        }
        let number = |size: Atom| {
            let index = sizes.iter().position(|s| *s == size).unwrap_or(0);
            Atom::Var(Var(index as u32))
        };
        let numbered: Vec<Shape> =
            shapes.iter().map(|s| s.map_sizes(&mut |size| number(size))).collect();
        let numbered_types: Vec<Option<Shape>> = type_shapes
            .iter()
            .map(|s| s.as_ref().map(|s| s.map_sizes(&mut |size| number(size))))
            .collect();
        let numbered_extra: Vec<Atom> = extra_sizes.iter().map(|(_, s)| number(*s)).collect();
        let key = Key {
            def: std::ptr::from_ref(bind) as usize,
            frame: Rc::as_ptr(&closure.frame) as usize,
            shapes: format!("{numbered:?}{numbered_types:?}{numbered_extra:?}"),
            safe: self.safe,
        };
        let mut args: Vec<Atom> = sizes.clone();
        for arg in &closure.args {
            args.extend(arg.parts());
        }
        if let Some(made) = self.memo.get(&key).cloned() {
            return Ok(self.emit_call(&made, args, span));
        }
        let specialised = Specialised {
            file,
            dec,
            bind,
            var,
            recursive,
            shapes,
            sizes,
            extra_sizes,
            type_shapes,
            key,
        };
        let made = self.specialise(closure, &specialised, span)?;
        Ok(self.emit_call(&made, args, span))
    }

    fn emit_call(&mut self, made: &Made, args: Vec<Atom>, span: Span) -> Val<'a> {
        let loc = self.loc(span);
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

    /// Makes an IR function for a definition at these shapes.
    fn specialise(
        &mut self,
        closure: &Closure<'a>,
        what: &Specialised<'a>,
        span: Span,
    ) -> Res<Made> {
        let mut building = Building::new();
        let mut params: Vec<Param> = Vec::new();
        let mut inside: FxHashMap<usize, Var> = FxHashMap::default();
        for (i, _) in what.sizes.iter().enumerate() {
            let var = building.var("n", Type::I64);
            inside.insert(i, var);
            params.push(Param { var, consumed: false });
        }
        let rename = |size: Atom| {
            let index = what.sizes.iter().position(|s| *s == size).unwrap_or(0);
            Atom::Var(inside[&index])
        };
        let scheme = self.program.vars[what.var].scheme.clone();
        let consumes = scheme.as_ref().map_or_else(Vec::new, |s| consumed_params(&s.ty));
        let mut args: Vec<Val<'a>> = Vec::new();
        for (i, shape) in what.shapes.iter().enumerate() {
            let shape = shape.map_sizes(&mut |size| rename(size));
            let hint = pattern_name(&what.bind.params[i]);
            let consumed = consumes.get(i).copied().unwrap_or(false);
            let mut parts = Vec::new();
            for ty in shape.parts() {
                let array = ty.is_array();
                let var = building.var(&hint, ty);
                params.push(Param { var, consumed: consumed && array });
                parts.push(Atom::Var(var));
            }
            args.push(Val::build(&shape, &mut parts.into_iter()));
        }
        self.building.push(building);
        let trace = std::mem::take(&mut self.trace);
        let attrs = std::mem::take(&mut self.attrs);
        let made = self.specialise_body(closure, what, args, params, &rename, span);
        self.trace = trace;
        self.attrs = attrs;
        if made.is_err() {
            self.building.pop();
        }
        made
    }

    fn specialise_body(
        &mut self,
        closure: &Closure<'a>,
        what: &Specialised<'a>,
        args: Vec<Val<'a>>,
        params: Vec<Param>,
        rename: &dyn Fn(Atom) -> Atom,
        span: Span,
    ) -> Res<Made> {
        let frame = Frame::new(what.file, Some(closure.frame.clone()));
        let scheme = self.program.vars[what.var].scheme.clone();
        if let Some(scheme) = &scheme {
            for (param, shape) in scheme.types.iter().zip(&what.type_shapes) {
                if let Some(shape) = shape {
                    let shape = shape.map_sizes(&mut |size| rename(size));
                    frame.bind_shape(param.id, shape);
                }
            }
        }
        for (var, size) in &what.extra_sizes {
            frame.bind(*var, Term::Val(Val::i64(rename(*size))));
        }
        let names: Vec<Var> = params.iter().map(|p| p.var).collect();
        for (pat, arg) in what.bind.params.iter().zip(args) {
            self.bind_param(pat, arg, &frame)?;
        }
        let fun = Fun {
            name: what.bind.name.name.clone(),
            vars: Default::default(),
            params,
            results: Vec::new(),
            body: Default::default(),
            attrs: what.dec.attrs.iter().map(attribute).collect(),
        };
        let id = self.add_fun(fun);
        let mut forward = None;
        if what.recursive {
            // The type says what the results are; every size in it is a result.
            let ty =
                scheme.as_ref().map_or(Ty::Error, |s| result_after(&s.ty, what.bind.params.len()));
            let packed = self.forward_results(&ty, &frame, span)?;
            let made = Made { fun: id, params: names.clone(), results: packed.0.clone() };
            self.memo.insert(what.key.clone(), made);
            forward = Some(packed);
        }
        let value = self.exp(&what.bind.body, &frame)?;
        let ty = self.node_type(what.bind.body.id, &frame);
        let value = self.bind_sizes(&ty, value, &Frame::new(what.file, Some(frame.clone())));
        let (packed, results, atoms) = match forward {
            None => self.pack_results(&value, &names),
            Some((packed, results)) => {
                let mut atoms = Vec::new();
                value.shape().for_each_size(&mut |size| atoms.push(size));
                let mut sizes: FxHashMap<Var, Atom> = FxHashMap::default();
                for (&var, &atom) in results.iter().zip(&atoms) {
                    sizes.insert(var, atom);
                }
                for (part, &var) in value.parts().into_iter().zip(&results[atoms.len()..]) {
                    let ty = self.b().type_of(var).clone();
                    atoms.push(self.with_type(part, &crate::branch::substitute(&ty, &sizes)));
                }
                (packed, results, atoms)
            }
        };
        let Some(mut building) = self.building.pop() else {
            return self.limit(span, "no function is under construction");
        };
        let body = building.close(atoms);
        let made = Made { fun: id, params: names, results: packed };
        let fun = &mut self.prog.funs[id];
        fun.vars = std::mem::take(&mut building.vars);
        fun.results = results;
        fun.body = body;
        self.memo.insert(what.key.clone(), made.clone());
        Ok(made)
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

struct Specialised<'a> {
    file: FileId,
    dec: &'a ast::Dec,
    bind: &'a ast::ValBind,
    var: VarId,
    recursive: bool,
    shapes: Vec<Shape>,
    sizes: Vec<Atom>,
    extra_sizes: Vec<(VarId, Atom)>,
    type_shapes: Vec<Option<Shape>>,
    key: Key,
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

fn result_after(ty: &Ty, count: usize) -> Ty {
    match ty {
        Ty::Fun(fun) if count > 0 => result_after(&fun.ret, count - 1),
        other => other.clone(),
    }
}

fn consumed_params(ty: &Ty) -> Vec<bool> {
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

fn pattern_name(pat: &ast::Pat) -> ecow::EcoString {
    match &pat.kind {
        ast::PatKind::Var(ident) => ident.name.clone(),
        ast::PatKind::Paren(inner)
        | ast::PatKind::Attr(_, inner)
        | ast::PatKind::Ascribe(inner, _) => pattern_name(inner),
        _ => "arg".into(),
    }
}
