//! Foreign functions: IR functions whose interface is the one that was written.
//!
//! Other functions are made for the shapes of their arguments, where sizes that are equal, or known, are one parameter
//! or none. Here somebody else has written the function, so there is one IR function for each definition: first all
//! sizes in the order in which they are declared, then the parts of the parameters; the results have the sizes that the
//! type says. The names of its variables are those that the prototype has.

use crate::attribute::attribute;
use crate::build::{Attach, Building};
use crate::env::{Frame, Term};
use crate::special::{Made, Packed, Target, consumed_params, pattern_name, unpack};
use crate::value::{Closure, Code, Shape, Val};
use crate::{Lower, Res};
use ecow::{EcoString, eco_format};
use fehu_base::{OrBug, Span};
use fehu_check::foreign as written;
use fehu_ir::{Atom, Exp, Foreign, Fun, Param, Symbol, Type, Var};
use fehu_syntax::ast;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The IR function of a definition, and what its parameters are.
#[derive(Clone)]
pub(crate) struct MadeForeign {
    made: Made,
    /// How many of its parameters are sizes.
    sizes: usize,
    /// The shapes of the definition's parameters, in terms of the function's own variables.
    shapes: Rc<[Shape]>,
}

/// A definition of which an IR function is wanted.
struct Wanted<'w, 'a> {
    /// The definition with the environment that it is in; nobody looks at its arguments.
    closure: &'w Closure<'a>,
    target: &'w Target<'a>,
    /// What says that it is foreign.
    attr: &'w ast::Attr,
    /// Where it is wanted.
    span: Span,
}

impl Wanted<'_, '_> {
    /// What a foreign function is known by: the definition, and what it refers to.
    fn key(&self) -> (usize, usize) {
        let body = std::ptr::from_ref(self.target.body);
        (body as usize, Rc::as_ptr(&self.closure.frame) as usize)
    }
}

impl<'a> Lower<'a> {
    /// A call of a foreign function.
    pub(crate) fn call_foreign(
        &mut self,
        closure: &Closure<'a>,
        target: &Target<'a>,
        attr: &ast::Attr,
        span: Span,
    ) -> Res<Val<'a>> {
        let made = self.foreign_fun(&Wanted { closure, target, attr, span })?;
        let params = made.made.params().to_vec();
        let mut known: FxHashMap<Var, Atom> = FxHashMap::default();
        let mut next = made.sizes;
        for (arg, shape) in closure.args.iter().zip(made.shapes.iter()) {
            let (mut declared, mut found) = (Vec::new(), Vec::new());
            shape.for_each_size(&mut |size| declared.push(size));
            arg.shape().for_each_size(&mut |size| found.push(size));
            for (size, atom) in declared.into_iter().zip(found) {
                if let Atom::Var(var) = size {
                    known.entry(var).or_insert(atom);
                }
            }
            for part in arg.parts() {
                known.insert(params[next], part);
                next += 1;
            }
        }
        // Those that no argument shows.
        if let (Some(scheme), Some(instance)) = (&target.scheme, &closure.instance) {
            for ((_, size), var) in scheme.sizes.iter().zip(instance.sizes).zip(&params) {
                if !known.contains_key(var)
                    && let Some(atom) = self.size(size, &instance.frame, span)?
                {
                    known.insert(*var, atom);
                }
            }
        }
        let mut args: Vec<Atom> = Vec::with_capacity(params.len());
        for var in &params[..made.sizes] {
            args.push(*known.get(var).or_bug("size of an argument"));
        }
        for (arg, shape) in closure.args.iter().zip(made.shapes.iter()) {
            let shape = shape.map_sizes(&mut |size| match size {
                Atom::Var(var) => known.get(&var).copied().unwrap_or(size),
                Atom::Const(_) => size,
            });
            args.extend(self.with_shape(arg.clone(), &shape).parts());
        }
        let known: Vec<(Var, Atom)> = params.into_iter().zip(args.iter().copied()).collect();
        let loc = self.loc(self.user_place(span));
        let (fun, results) = (made.made.fun(), made.made.results().clone());
        let (value, _) = unpack(self, &results, &known, |this, types| {
            let named: Vec<(&str, Type)> = types.into_iter().map(|ty| ("r", ty)).collect();
            let with = Attach { certs: Vec::new(), attrs: Vec::new(), loc: Some(loc) };
            this.b().emit(Exp::Call(fun, args), named, with)
        });
        Ok(value)
    }

    /// Makes a foreign function that perhaps nobody calls.
    pub(crate) fn declared_foreign(
        &mut self,
        dec: &'a ast::Dec,
        bind: &'a ast::ValBind,
        frame: &Rc<Frame<'a>>,
    ) -> Res<()> {
        let Some(attr) = written::attribute(&dec.attrs) else { return Ok(()) };
        let target = self.defined(frame.file, dec, bind);
        let code = Code::Def(frame.file, dec, bind);
        let closure = Closure { code, frame: frame.clone(), instance: None, args: Vec::new() };
        let span = bind.name.span;
        self.foreign_fun(&Wanted { closure: &closure, target: &target, attr, span })?;
        Ok(())
    }

    /// The IR function of a definition, which is made the first time.
    fn foreign_fun(&mut self, wanted: &Wanted<'_, 'a>) -> Res<MadeForeign> {
        if let Some(made) = self.foreign.get(&wanted.key()) {
            return Ok(made.clone());
        }
        self.keep_frame(&wanted.closure.frame);
        let buildings = self.building.len();
        self.building.push(Building::new(&self.common));
        let (trace, attrs) = (std::mem::take(&mut self.trace), std::mem::take(&mut self.attrs));
        let in_place = std::mem::replace(&mut self.in_place, 0);
        let made = self.make_foreign(wanted);
        self.in_place = in_place;
        (self.trace, self.attrs) = (trace, attrs);
        self.building.truncate(buildings);
        made
    }

    fn make_foreign(&mut self, wanted: &Wanted<'_, 'a>) -> Res<MadeForeign> {
        let Wanted { closure, target, attr, span } = *wanted;
        let frame = Frame::new(target.file, Some(closure.frame.clone()));
        let mut names = Names::default();
        let mut params: Vec<Param> = Vec::new();
        for &size in target.scheme.iter().flat_map(|scheme| &scheme.sizes) {
            let hint = names.fresh(&self.program.vars[size].name, "n");
            let var = self.b().var(&hint, Type::I64);
            params.push(Param { var, consumed: false });
            frame.bind(size, Term::Val(Val::i64(Atom::Var(var))));
        }
        let sizes = params.len();
        let consumes = consumed_params(&target.ty);
        let mut shapes = Vec::with_capacity(target.params.len());
        for (i, pat) in target.params.iter().enumerate() {
            let ty = self.node_type(pat.id, &frame);
            let shape = self.shape_of(&ty, &frame, span)?;
            let consumed = consumes.get(i).copied().unwrap_or(false);
            let mut parts = Vec::new();
            for (hint, ty) in named_parts(&shape, &pattern_name(pat)) {
                let consumed = consumed && ty.is_array();
                let var = self.b().var(&names.fresh(&hint, "x"), ty);
                params.push(Param { var, consumed });
                parts.push(Atom::Var(var));
            }
            self.bind_param(pat, Val::build(&shape, &mut parts.into_iter()), &frame)?;
            shapes.push(shape);
        }
        let result_ty = self.node_type(target.body.id, &frame);
        let shape = self.shape_of(&result_ty, &frame, span)?;
        let results: Vec<Var> = named_parts(&shape, "out")
            .into_iter()
            .map(|(hint, ty)| self.b().var(&names.fresh(&hint, "out"), ty))
            .collect();
        let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
        let others = target.attrs.iter().filter(|other| !std::ptr::eq(*other, attr));
        let fun = self.add_fun(Fun {
            name: target.name.clone(),
            vars: Default::default(),
            params,
            results,
            body: Default::default(),
            attrs: others.map(attribute).collect(),
            foreign: Some(described(attr)),
        });
        let made = Made::new(fun, vars, Packed::of(shape.clone()));
        let made = MadeForeign { made, sizes, shapes: shapes.into() };
        // The body may call the function itself.
        self.foreign.insert(wanted.key(), made.clone());
        let value = self.exp(target.body, &frame)?;
        let atoms = self.with_shape(value, &shape).parts();
        let building = self.building.pop().or_bug("function under construction");
        let (vars, body) = building.finish(atoms);
        let fun = &mut self.prog.funs[fun];
        (fun.vars, fun.body) = (vars, body);
        Ok(made)
    }
}

/// What the attribute says; the checker has made sure that it says something.
fn described(attr: &ast::Attr) -> Foreign {
    let symbols = written::read(attr).ok().or_bug("symbol in an attribute");
    let symbol = |symbol: written::Symbol| Symbol { platform: symbol.platform, name: symbol.name };
    Foreign {
        symbols: symbols.plain.into_iter().map(symbol).collect(),
        vectorised: symbols.vectorised.into_iter().map(symbol).collect(),
    }
}

/// The parts of a value with names for them: the fields that lead there.
fn named_parts(shape: &Shape, name: &str) -> Vec<(EcoString, Type)> {
    match shape {
        Shape::Record(fields) => {
            let parts = |(field, shape): &(EcoString, Shape)| {
                named_parts(shape, &eco_format!("{name}_{field}"))
            };
            fields.iter().flat_map(parts).collect()
        }
        Shape::Array(size, elem) => {
            let parts = named_parts(elem, name).into_iter();
            parts.map(|(name, ty)| (name, ty.array_of(*size).or_bug("array of data"))).collect()
        }
        Shape::Prim(_) | Shape::Sum(_) | Shape::Acc(_) | Shape::Fun => {
            shape.parts().into_iter().map(|ty| (name.into(), ty)).collect()
        }
    }
}

/// The names that a function's variables have.
#[derive(Default)]
struct Names(Vec<EcoString>);

impl Names {
    /// An identifier like a name that is not there yet.
    fn fresh(&mut self, name: &str, otherwise: &str) -> EcoString {
        let plain: String =
            name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let plain = match plain.starts_with(|c: char| c.is_ascii_alphabetic()) {
            true => EcoString::from(plain),
            false => otherwise.into(),
        };
        let is_free = |name: &EcoString| !self.0.contains(name);
        let numbered = (2..).map(|number| eco_format!("{plain}_{number}"));
        let name = [plain.clone()].into_iter().chain(numbered).find(is_free).or_bug("name");
        self.0.push(name.clone());
        name
    }
}
