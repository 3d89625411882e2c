//! Foreign functions: definitions that other languages also have, by the attribute `#[foreign(...)]`.
//!
//! ```text
//! #[foreign(c(my_fft), cuda(my_fft_gpu), vectorised(c(my_ffts)))]
//! def fft [n] (xs: [n](f32, f32)) : [n](f32, f32) = ...
//! ```
//!
//! For each language there is the name of a function; `vectorised` has those that do the work of a whole map, or one name for
//! all languages. The body is the meaning. What crosses are numbers, truth values and arrays of them, and tuples and records of
//! these, whose sizes are parameters: the caller allocates the results.

use crate::checker::Checker;
use crate::errors;
use crate::ty::{Size, Ty, VarId};
use ecow::EcoString;
use fehu_base::platform::is_identifier;
use fehu_base::{Diagnostic, Platform, Prim, Span};
use fehu_syntax::ast::{Attr, AttrKind, Dec, ValBind};

/// The name of the attribute.
pub const ATTRIBUTE: &str = "foreign";

/// What the attribute says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Symbols {
    /// The symbols, at most one for each platform.
    pub plain: Vec<Symbol>,
    /// Those that do the work of a whole map; each has a plain one beside it.
    pub vectorised: Vec<Symbol>,
}

/// A function in another language.
#[derive(Clone, PartialEq, Debug)]
pub struct Symbol {
    /// The language.
    pub platform: Platform,
    /// Its name there.
    pub name: EcoString,
    /// Where it is written.
    pub span: Span,
}

/// The attribute, if it is among these.
pub fn attribute(attrs: &[Attr]) -> Option<&Attr> {
    attrs.iter().find(|attr| is_foreign(attr))
}

/// Whether it is this attribute.
pub(crate) fn is_foreign(attr: &Attr) -> bool {
    match &attr.kind {
        AttrKind::Name(name) | AttrKind::Call(name, _) => name == ATTRIBUTE,
        AttrKind::Int(_) => false,
    }
}

/// What the attribute says, or what is wrong with it.
pub fn read(attr: &Attr) -> Result<Symbols, Box<Diagnostic>> {
    let AttrKind::Call(_, args) = &attr.kind else {
        return Err(Box::new(errors::foreign_without_symbol(attr.span)));
    };
    let mut symbols = Symbols::default();
    for arg in args {
        match &arg.kind {
            AttrKind::Call(name, inner) if name == "vectorised" => {
                vectorised(arg, inner, &mut symbols)?;
            }
            AttrKind::Name(_) | AttrKind::Int(_) | AttrKind::Call(..) => {
                add(&mut symbols.plain, symbol(arg)?)?;
            }
        }
    }
    if symbols.plain.is_empty() {
        return Err(Box::new(errors::foreign_without_symbol(attr.span)));
    }
    for symbol in &symbols.vectorised {
        let platform = symbol.platform;
        if !symbols.plain.iter().any(|plain| plain.platform == platform) {
            return Err(Box::new(errors::vectorised_alone(symbol.span, platform)));
        }
    }
    Ok(symbols)
}

/// `vectorised(name)`, for all languages that there are, or `vectorised(c(name), ...)`.
fn vectorised(arg: &Attr, inner: &[Attr], symbols: &mut Symbols) -> Result<(), Box<Diagnostic>> {
    if let [Attr { span, kind: AttrKind::Name(name) }] = inner {
        identifier(name, *span)?;
        for plain in symbols.plain.clone() {
            let symbol = Symbol { platform: plain.platform, name: name.clone(), span: *span };
            add(&mut symbols.vectorised, symbol)?;
        }
        if symbols.plain.is_empty() {
            return Err(Box::new(errors::vectorised_first(arg.span)));
        }
        return Ok(());
    }
    if inner.is_empty() {
        return Err(Box::new(errors::foreign_without_symbol(arg.span)));
    }
    inner.iter().try_for_each(|inner| add(&mut symbols.vectorised, symbol(inner)?))
}

/// `c(name)`
fn symbol(attr: &Attr) -> Result<Symbol, Box<Diagnostic>> {
    let (platform, args) = match &attr.kind {
        AttrKind::Call(name, args) => (name.clone(), args.as_slice()),
        AttrKind::Name(name) => (name.clone(), &[][..]),
        AttrKind::Int(number) => (ecow::eco_format!("{number}"), &[][..]),
    };
    let Some(platform) = Platform::from_name(&platform) else {
        return Err(Box::new(errors::no_such_platform(attr.span, &platform)));
    };
    match args {
        [Attr { span, kind: AttrKind::Name(name) }] => {
            identifier(name, *span)?;
            Ok(Symbol { platform, name: name.clone(), span: *span })
        }
        _ => Err(Box::new(errors::one_symbol(attr.span, platform))),
    }
}

fn identifier(name: &str, span: Span) -> Result<(), Box<Diagnostic>> {
    match is_identifier(name) {
        true => Ok(()),
        false => Err(Box::new(errors::symbol_name(span, name))),
    }
}

fn add(list: &mut Vec<Symbol>, symbol: Symbol) -> Result<(), Box<Diagnostic>> {
    if let Some(first) = list.iter().find(|other| other.platform == symbol.platform) {
        return Err(Box::new(errors::two_symbols(symbol.span, first.span, symbol.platform)));
    }
    list.push(symbol);
    Ok(())
}

impl Checker<'_> {
    /// The attribute where it means nothing.
    pub(crate) fn foreign_elsewhere(&mut self, attrs: &[Attr]) {
        if let Some(attr) = attribute(attrs) {
            self.report(errors::foreign_elsewhere(attr.span));
        }
    }

    /// Checks that a definition with the attribute can be a foreign function.
    pub(crate) fn foreign_function(&mut self, dec: &Dec, bind: &ValBind, var: VarId) {
        let Some(attr) = attribute(&dec.attrs) else { return };
        let symbols = match read(attr) {
            Ok(symbols) => symbols,
            Err(wrong) => return self.report(*wrong),
        };
        if self.program.vars[var].poisoned {
            return;
        }
        let Some(scheme) = self.scheme(var) else { return };
        let (name, span) = (bind.name.name.clone(), bind.name.span);
        if bind.params.is_empty() {
            return self.report(errors::foreign_without_parameters(span, &name));
        }
        if !scheme.types.is_empty() {
            return self.report(errors::polymorphic_foreign(span, &name));
        }
        let mut known = scheme.sizes.clone();
        let mut ty = scheme.ty.clone();
        let mut arrays = false;
        for pat in &bind.params {
            let Ty::Fun(fun) = ty else { return };
            if let Err(why) = self.crosses(&fun.param, &known) {
                let text = self.show(&fun.param);
                return self.report(why.message(pat.span, &name, "A parameter", &text));
            }
            arrays |= has_array(&fun.param);
            known.extend(fun.name);
            // A pattern's name is another variable than that of the type.
            known.extend(self.tables.binders.get(&pat.id));
            ty = fun.ret.clone();
        }
        let place = bind.ret.as_ref().map_or(span, |ret| ret.span);
        let crosses = match parts(&ty) {
            0 => Err(Barrier::Nothing),
            _ => self.crosses(&ty, &known),
        };
        if let Err(why) = crosses {
            let text = self.show(&ty);
            return self.report(why.message(place, &name, "The result", &text));
        }
        arrays |= has_array(&ty);
        let opencl = symbols.plain.iter().find(|symbol| symbol.platform == Platform::OpenCl);
        if let Some(symbol) = opencl.filter(|_| arrays) {
            self.report(errors::opencl_arrays(symbol.span, &name));
        }
        let vectorised = &symbols.vectorised;
        if let Some(symbol) = vectorised.iter().find(|s| s.platform == Platform::OpenCl) {
            self.report(errors::opencl_arrays(symbol.span, &name));
        }
    }

    /// Whether values of a type can be given to other languages; all sizes in it must be known.
    fn crosses(&self, ty: &Ty, known: &[VarId]) -> Result<(), Barrier> {
        match ty {
            Ty::Prim(Prim::F16) => Err(Barrier::Half),
            Ty::Prim(_) | Ty::Error | Ty::Meta(_) => Ok(()),
            Ty::Array(size, elem) => {
                let is_known = match size {
                    Size::Const(_) => true,
                    Size::Var(var) => known.contains(var),
                    Size::Meta(_) | Size::Any => true,
                    Size::Add(_) | Size::Sub(_) | Size::Mul(_) | Size::Term(_) => false,
                };
                match is_known {
                    _ if parts(elem) == 0 => Err(Barrier::Nothing),
                    true => self.crosses(elem, known),
                    false => Err(Barrier::Size),
                }
            }
            Ty::Record(fields) => fields.iter().try_for_each(|(_, ty)| self.crosses(ty, known)),
            Ty::Unique(inner) => self.crosses(inner, known),
            Ty::Sum(_) => Err(Barrier::Sum),
            Ty::Fun(fun) if fun.is_seq() => Err(Barrier::Sequence),
            Ty::Fun(_) => Err(Barrier::Function),
            Ty::Con(..) => Err(Barrier::Abstract),
        }
    }
}

/// Why a value cannot be given to another language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Barrier {
    /// It is a function.
    Function,
    /// It is a sequence.
    Sequence,
    /// Its constructors have no representation elsewhere.
    Sum,
    /// Nobody knows what it is.
    Abstract,
    /// C has no such numbers.
    Half,
    /// There is nothing in it.
    Nothing,
    /// A size is no parameter.
    Size,
}

impl Barrier {
    fn message(self, span: Span, name: &str, what: &str, ty: &str) -> Diagnostic {
        errors::foreign_type(span, name, what, ty, self)
    }
}

fn has_array(ty: &Ty) -> bool {
    match ty {
        Ty::Array(..) => true,
        Ty::Record(fields) => fields.iter().any(|(_, ty)| has_array(ty)),
        Ty::Unique(inner) => has_array(inner),
        Ty::Prim(_) | Ty::Sum(_) | Ty::Fun(_) | Ty::Con(..) | Ty::Meta(_) | Ty::Error => false,
    }
}

/// How many numbers or arrays a value is made of.
fn parts(ty: &Ty) -> usize {
    match ty {
        Ty::Record(fields) => fields.iter().map(|(_, ty)| parts(ty)).sum(),
        Ty::Unique(inner) | Ty::Array(_, inner) => parts(inner),
        Ty::Prim(_) | Ty::Sum(_) | Ty::Fun(_) | Ty::Con(..) | Ty::Meta(_) | Ty::Error => 1,
    }
}
