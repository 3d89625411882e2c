//! Entry points.

use crate::attribute::attribute;
use crate::build::{Building, text};
use crate::constant::is_functional;
use crate::construct::holds_function;
use crate::env::{Frame, Term};
use crate::external::Scope;
use crate::layout::Layout;
use crate::value::{Shape, Val};
use crate::{Lower, Res};
use ecow::{EcoString, eco_format};
use fehu_base::{OrBug, Span};
use fehu_check::Unit;
use fehu_check::ty::{Size, Ty, VarId};
use fehu_ir::streaming::Sequence;
use fehu_ir::{Atom, Attr, CheckPart, CmpOp, Entry, Fun, Param, Type, Var};
use fehu_syntax::ast;
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// Lowers the entry points of the root file.
    pub(crate) fn entries(&mut self, unit: &Unit<'a>, frame: &Rc<Frame<'a>>) -> Res<()> {
        for entry in &self.program.entries {
            let dec = unit.ast.decs.iter().find_map(|dec| find_dec(dec, entry.dec));
            let (dec, bind) = dec.or_bug("declaration of an entry point");
            let scope = Scope::before(&unit.ast.decs, entry.dec);
            self.entry(&entry.name, entry.var, dec, bind, scope, frame)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        name: &EcoString,
        var: VarId,
        dec: &'a ast::Dec,
        bind: &'a ast::ValBind,
        scope: Scope<'a>,
        frame: &Rc<Frame<'a>>,
    ) -> Res<()> {
        let scheme = self.program.vars[var].scheme.clone().or_bug("type of an entry point");
        let span = bind.name.span;
        let inner = Frame::new(frame.file, Some(frame.clone()));
        self.building.push(Building::new(&self.common));
        let mut params: Vec<Param> = Vec::new();
        for &size in &scheme.sizes {
            let hint = self.program.vars[size].name.clone();
            let var = self.b().var(&hint, Type::I64);
            params.push(Param { var, consumed: false });
            inner.bind(size, Term::Val(Val::i64(Atom::Var(var))));
        }
        // All sizes come first.
        let mut shapes = Vec::new();
        let mut computed = Vec::new();
        let mut ty = scheme.ty.clone();
        while let Ty::Fun(fun) = &ty.clone()
            && !fun.is_seq()
        {
            let data = self.seq_as_data(&fun.param, &inner, span)?;
            let shape = self.entry_shape(&data, &inner, span, &mut params, &mut computed)?;
            if holds_function(&shape) {
                return self.limit(
                    span,
                    "a parameter of an entry point is a function, for which an abstract type stands",
                );
            }
            shapes.push(shape);
            ty = fun.ret.clone();
        }
        let streamed = bind.params.iter().filter(|pat| pat.is_streamed());
        let streamed: Vec<Attr> = streamed
            .map(|pat| Attr { name: "stream".into(), args: vec![Attr::named(param_name(pat))] })
            .collect();
        let mut externals = Vec::new();
        let mut sources = Vec::new();
        let mut first = 0;
        let mut args = Vec::new();
        let mut ty = scheme.ty.clone();
        let mut written = bind.ret.as_ref();
        for (index, shape) in shapes.into_iter().enumerate() {
            let Ty::Fun(fun) = &ty.clone() else {
                self.bug(span, "an entry point has more parameters than its type");
            };
            let (hint, param_written) = match bind.params.get(index) {
                Some(pat) => (param_name(pat), param_type(pat)),
                None => {
                    let types = written.and_then(function_type);
                    written = types.map(|(_, ret)| ret);
                    (eco_format!("x{index}"), types.map(|(param, _)| param))
                }
            };
            let mut parts = Vec::new();
            for ty in shape.parts() {
                let array = ty.is_array();
                let var = self.b().var(&hint, ty);
                params.push(Param { var, consumed: fun.consumes && array });
                parts.push(Atom::Var(var));
            }
            let count = parts.len();
            if let Some(elem) = fun.param.as_seq() {
                let pieces = !elem.exts.is_empty();
                sources.push(Sequence { name: hint.clone(), first, count, pieces });
            }
            first += count;
            let value = Val::build(&shape, &mut parts.into_iter());
            let value = match fun.name {
                Some(name) => self.sized_argument(name, value, &inner, span),
                None => value,
            };
            if let Some(name) = fun.name
                && inner.own(name).is_none()
            {
                inner.bind(name, Term::Val(value.clone()));
            }
            match (fun.param.as_seq(), &shape) {
                // Elements of differing sizes are two arguments: the sizes, and the elements of all of them.
                (Some(elem), Shape::Record(fields)) if !elem.exts.is_empty() => {
                    for (name, shape) in fields.iter() {
                        let external = scope.external(shape, None, fun.consumes);
                        externals.push((eco_format!("{hint}_{name}"), external));
                    }
                }
                (Some(_), shape) => {
                    externals.push((hint, scope.external(shape, None, fun.consumes)))
                }
                (None, shape) => {
                    externals.push((hint, scope.external(shape, param_written, fun.consumes)));
                }
            }
            args.push(self.seq_argument(&fun.param, value, &inner));
            ty = fun.ret.clone();
        }
        let args = self.computed_sizes(name, args, &computed, &inner, span)?;
        let Some(Term::Def(def)) = frame.get(var) else {
            self.bug(span, "an entry point is not defined");
        };
        let mut value = self.definition(&def, None, span)?;
        for arg in args {
            value = self.apply(value, arg, span)?;
        }
        let is_seq = self.seq_fields(&value);
        let value = self.without_seqs(value, span)?;
        let sinks = sinks(&is_seq, &value);
        // An interactive session shows functions.
        if !is_functional(&ty) {
            self.no_function(&value, span, "the result of an entry point")?;
        }
        let result_shape = value.shape();
        let names: Vec<Var> = params.iter().map(|p| p.var).collect();
        // The external world gets sizes with the values: all parts are results, no sizes.
        let (packed, results, atoms) = self.pack_results(&value, &names);
        // What is computed inside has other names outside.
        let shape = result_shape.map_sizes(&mut |size| {
            let index = packed.sizes.iter().position(|inside| *inside == size);
            index.map_or(size, |index| Atom::Var(results[index]))
        });
        let result = scope.external(&shape, written, matches!(ty, Ty::Unique(_)));
        let building = self.building.pop().or_bug("function under construction");
        let (vars, mut body) = building.finish(atoms);
        // Being called from outside is no place in the program.
        let own = self.loc(span);
        for stm in body.stms.iter_mut().filter(|stm| stm.loc.as_ref() == Some(&own)) {
            stm.loc = None;
        }
        let fun = Fun {
            name: eco_format!("entry_{name}"),
            vars,
            params,
            results,
            body,
            attrs: Vec::new(),
            foreign: None,
        };
        let fun = self.add_fun(fun);
        self.results.push(Layout::of(&result_shape));
        self.prog.entries.push(Entry {
            name: name.clone(),
            fun,
            params: externals,
            result,
            sources,
            sinks,
            attrs: dec.attrs.iter().map(attribute).chain(streamed).collect(),
            doc: dec.doc.as_ref().map(|doc| doc.text.clone()),
        });
        Ok(())
    }

    /// The type of the data that a sequence is made of, if it is one: an array, or sizes and an array.
    fn seq_as_data(&mut self, ty: &Ty, frame: &Rc<Frame<'a>>, span: Span) -> Res<Ty> {
        let Some(seq) = ty.as_seq() else { return Ok(ty.clone()) };
        let own = Size::Any;
        if seq.exts.is_empty() {
            return Ok(Ty::array(own, seq.ret.clone()));
        }
        if let Ty::Array(Size::Var(size), elem) = &seq.ret
            && seq.exts.contains(size)
            && self.known_loose_shape(elem, frame, span)?.is_some()
        {
            let mut regular = true;
            elem.for_each_size(&mut |size| {
                size.for_each_var(&mut |var| regular &= !seq.exts.contains(&var));
            });
            if regular {
                let sizes = Ty::array(own.clone(), Ty::I64);
                let values = Ty::array(own, (**elem).clone());
                return Ok(Ty::record(vec![("sizes".into(), sizes), ("values".into(), values)]));
            }
        }
        self.limit(
            span,
            "a parameter of an entry point is a sequence whose elements are not arrays of one size that differs; give it as several \
             sequences, which `seq.zip` brings together",
        )
    }

    /// The sequence for a parameter, given its data.
    fn seq_argument(&mut self, ty: &Ty, value: Val<'a>, frame: &Rc<Frame<'a>>) -> Val<'a> {
        let Some(seq) = ty.as_seq() else { return value };
        match (&value, seq.exts.is_empty()) {
            (Val::Record(fields), false) if fields.len() == 2 => {
                self.seq_of_segments(fields[0].1.clone(), fields[1].1.clone(), frame)
            }
            (_, true) | (_, false) => self.seq_of_array(value, frame),
        }
    }

    /// The shape of a parameter. Its sizes are size parameters of the function, constants, or new
    /// parameters. Those that have to be what a term says are noted in `computed`.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other sizes are computed")]
    fn entry_shape(
        &mut self,
        ty: &Ty,
        frame: &Rc<Frame<'a>>,
        span: Span,
        params: &mut Vec<Param>,
        computed: &mut Vec<(Size, Atom)>,
    ) -> Res<Shape> {
        let shape = self.shape_by(ty, frame, span, &mut |this, size, inside| {
            match size {
                Size::Const(n) => return Ok(Atom::i64(*n)),
                // The length of a sequence, which nothing else mentions.
                Size::Any => return Ok(this.size_param(None, frame, params)),
                _ => {}
            }
            // Inside of a nominal type, sizes are what the type's arguments say, or not known.
            if !Rc::ptr_eq(inside, frame) {
                return Ok(match this.size(size, inside, span)? {
                    Some(Atom::Var(var)) if params.iter().any(|p| p.var == var) => Atom::Var(var),
                    Some(atom @ Atom::Const(_)) => atom,
                    Some(Atom::Var(_)) | None => this.size_param(None, frame, params),
                });
            }
            Ok(match size {
                Size::Var(var) if frame.own(*var).is_some() || frame.get(*var).is_none() => {
                    match frame.own(*var) {
                        Some(Term::Val(Val::Scalar(_, atom))) => atom,
                        _ => this.size_param(Some(*var), frame, params),
                    }
                }
                // Also the name of a constant that is defined outside.
                _ => {
                    let atom = this.size_param(None, frame, params);
                    computed.push((size.clone(), atom));
                    atom
                }
            })
        })?;
        Ok(shape.or_bug("type of a parameter"))
    }

    /// Checks sizes like `[n + 1]`, now that the arguments that they are made of are known. Everything that
    /// happens to the arguments comes after that.
    fn computed_sizes(
        &mut self,
        entry: &EcoString,
        mut args: Vec<Val<'a>>,
        computed: &[(Size, Atom)],
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Res<Vec<Val<'a>>> {
        for (size, found) in computed {
            let Some(wanted) = self.size(size, frame, span)? else {
                self.bug(span, "the size of a parameter cannot be computed");
            };
            let same = self.b().cmp(CmpOp::Eq, *found, wanted);
            let parts = vec![
                text(format!(
                    "entry point arguments have invalid sizes: an array of \"{entry}\" has size "
                )),
                CheckPart::Value(*found),
                text(" where it should have size "),
                CheckPart::Value(wanted),
                text("."),
            ];
            let places = self.places(span);
            let cert = self.b().assert(same, parts, places);
            args = args.into_iter().map(|arg| self.certify(arg, Some(cert))).collect();
        }
        Ok(args)
    }

    /// An argument that is the size of others: it must be what those have.
    fn sized_argument(
        &mut self,
        name: VarId,
        value: Val<'a>,
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Val<'a> {
        let (Some(Term::Val(Val::Scalar(_, size))), Val::Scalar(_, given)) =
            (frame.own(name), &value)
        else {
            return value;
        };
        let same = self.b().cmp(CmpOp::Eq, size, *given);
        let parts = vec![
            text(format!(
                "entry point arguments have invalid sizes: the argument for \"{}\" is ",
                self.program.vars[name].name
            )),
            CheckPart::Value(*given),
            text(", but an array that should have this size has size "),
            CheckPart::Value(size),
            text("."),
        ];
        let places = self.places(span);
        let cert = self.b().assert(same, parts, places);
        self.certify(value, Some(cert))
    }

    fn size_param(
        &mut self,
        var: Option<VarId>,
        frame: &Rc<Frame<'a>>,
        params: &mut Vec<Param>,
    ) -> Atom {
        let size = self.b().var("n", Type::I64);
        params.push(Param { var: size, consumed: false });
        let atom = Atom::Var(size);
        if let Some(var) = var {
            frame.bind(var, Term::Val(Val::i64(atom)));
        }
        atom
    }
}

/// The sequences among the fields of a result, now that it is data.
fn sinks(is_seq: &[(EcoString, bool)], value: &Val<'_>) -> Vec<Sequence> {
    let mut first = 0;
    let mut sinks = Vec::new();
    let whole = [("0".into(), value.clone())];
    let fields = match value {
        Val::Record(fields) if is_seq.len() == fields.len() && is_seq.len() != 1 => &fields[..],
        Val::Record(_)
        | Val::Fun(_)
        | Val::Scalar(..)
        | Val::Array(..)
        | Val::Sum(..)
        | Val::Choice(..)
        | Val::Acc(..) => &whole[..],
    };
    for ((name, is_seq), (_, field)) in is_seq.iter().zip(fields) {
        let count = field.shape().parts().len();
        // Elements of differing sizes are a pair of arrays.
        let pieces = matches!(field, Val::Record(fields) if fields.len() == 2
            && fields.iter().all(|(_, part)| matches!(part, Val::Array(..))));
        let plain = matches!(field, Val::Array(..));
        if *is_seq && (pieces || plain) {
            sinks.push(Sequence { name: name.clone(), first, count, pieces });
        }
        first += count;
    }
    sinks
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other declarations are no entry points")]
fn find_dec(dec: &ast::Dec, id: ast::NodeId) -> Option<(&ast::Dec, &ast::ValBind)> {
    match &dec.kind {
        ast::DecKind::Val(bind) if dec.id == id => Some((dec, bind)),
        ast::DecKind::Local(inner) => find_dec(inner, id),
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other nodes have no such name")]
fn param_name(pat: &ast::Pat) -> EcoString {
    match &pat.kind {
        ast::PatKind::Var(ident) => ident.name.clone(),
        ast::PatKind::Paren(inner)
        | ast::PatKind::Attr(_, inner)
        | ast::PatKind::Ascribe(inner, _) => param_name(inner),
        _ => "arg".into(),
    }
}

/// The type that is written for a parameter.
#[expect(clippy::wildcard_enum_match_arm, reason = "other patterns have no type")]
fn param_type(pat: &ast::Pat) -> Option<&ast::TypeExp> {
    match &pat.kind {
        ast::PatKind::Paren(inner) | ast::PatKind::Attr(_, inner) => param_type(inner),
        ast::PatKind::Ascribe(_, ty) => Some(ty),
        _ => None,
    }
}

/// Parameter and result of a function type.
#[expect(clippy::wildcard_enum_match_arm, reason = "other types are no functions")]
fn function_type(exp: &ast::TypeExp) -> Option<(&ast::TypeExp, &ast::TypeExp)> {
    match &exp.kind {
        ast::TypeExpKind::Fun(_, param, ret) => Some((param, ret)),
        ast::TypeExpKind::Paren(inner) | ast::TypeExpKind::Exists(_, inner) => function_type(inner),
        _ => None,
    }
}
