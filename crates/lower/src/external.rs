//! The types of entry points as the outside world sees them: their names, and what they are made of.
//!
//! Structure comes from the shape, names from the type expressions of the source. `point` in the source
//! of an entry point stays `point` outside, and the type expression that defines it names its fields:
//!
//! ```text
//! type line = {from: point, to: point}         line, a record of two fields of type point
//! entry f (ls: [3]line) (p: (i32, point))      []line and (i32, point)
//! ```
//!
//! Where no type is written, names are made from the structure, as one would write it: `{x: f32, y: f32}`.

use crate::value::{Shape, payload_slots};
use ecow::{EcoString, eco_format};
use fehu_ir::{Atom, Elem, External, Field, OpaqueArray, OpaqueKind, OpaqueType, Variant};
use fehu_syntax::ast::{self, TypeArg, TypeExp, TypeExpKind, TypeParamKind};
use std::rc::Rc;

/// The types that are declared where an entry point is.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    decs: &'a [ast::Dec],
}

/// A type expression with dimensions around it; without an expression only the structure is known.
#[derive(Clone, Copy)]
struct Written<'a> {
    dims: usize,
    exp: Option<&'a TypeExp>,
}

impl<'a> Scope<'a> {
    /// What an entry point sees: the declarations before it.
    pub(crate) fn before(decs: &'a [ast::Dec], entry: ast::NodeId) -> Scope<'a> {
        let end = decs.iter().position(|dec| declares(dec, entry)).unwrap_or(decs.len());
        Scope { decs: &decs[..end] }
    }

    /// The external type of values of this shape, for which this type was written.
    pub(crate) fn external(
        self,
        shape: &Shape,
        exp: Option<&'a TypeExp>,
        unique: bool,
    ) -> External {
        self.described(shape, Written { dims: 0, exp }, unique)
    }

    fn described(self, shape: &Shape, written: Written<'a>, unique: bool) -> External {
        let parts = shape.parts();
        let (dims, inner) = dimensions(shape);
        if let (Shape::Prim(_), [part]) = (inner, parts.as_slice())
            && matches!(part.elem(), Some(Elem::Prim(_)))
        {
            return External::Transparent(part.clone(), unique);
        }
        let name = self.name(shape, written);
        let kind = if dims.is_empty() {
            self.kind(inner, written, unique)
        } else {
            let elem_written = (0..dims.len()).fold(written, |written, _| self.row(written));
            let elem = Box::new(self.described(inner, elem_written, unique));
            let fields = match inner {
                // An array of a field without parts would have one part, which this array has not.
                Shape::Record(fields) if fields.iter().all(|(_, s)| !s.parts().is_empty()) => {
                    self.fields(fields, &dims, elem_written, unique)
                }
                Shape::Record(_)
                | Shape::Prim(_)
                | Shape::Array(..)
                | Shape::Sum(_)
                | Shape::Acc(_)
                | Shape::Fun => Vec::new(),
            };
            OpaqueKind::Array(OpaqueArray { rank: dims.len(), elem, fields })
        };
        External::Opaque(OpaqueType { name, parts, kind }, unique)
    }

    /// What something is that is no array.
    fn kind(self, shape: &Shape, written: Written<'a>, unique: bool) -> OpaqueKind {
        match shape {
            Shape::Record(fields) if !fields.is_empty() => {
                OpaqueKind::Record(self.fields(fields, &[], written, unique))
            }
            Shape::Sum(ctors) => {
                let tag = usize::from(ctors.len() > 1);
                let variant = |(name, payload): &(EcoString, Vec<Shape>)| Variant {
                    name: name.clone(),
                    payload: payload
                        .iter()
                        .enumerate()
                        .map(|(i, s)| self.described(s, self.payload(written, name, i), unique))
                        .collect(),
                    slots: payload_slots(ctors, name).into_iter().map(|slot| slot + tag).collect(),
                };
                OpaqueKind::Sum(ctors.iter().map(variant).collect())
            }
            Shape::Record(_) | Shape::Prim(_) | Shape::Array(..) | Shape::Acc(_) | Shape::Fun => {
                OpaqueKind::Plain
            }
        }
    }

    /// The fields of a record, or of an array of records.
    fn fields(
        self,
        fields: &[(EcoString, Shape)],
        dims: &[Atom],
        written: Written<'a>,
        unique: bool,
    ) -> Vec<Field> {
        let field = |(name, shape): &(EcoString, Shape)| {
            let mut shape = shape.clone();
            for dim in dims.iter().rev() {
                shape = Shape::Array(*dim, Rc::new(shape));
            }
            let mut written = self.field(written, name);
            written.dims += dims.len();
            Field { name: name.clone(), ty: self.described(&shape, written, unique) }
        };
        fields.iter().map(field).collect()
    }

    /// The name of a type.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is no array is its own element")]
    fn name(self, shape: &Shape, written: Written<'a>) -> EcoString {
        if written.dims > 0 {
            let elem = match shape {
                Shape::Array(_, elem) => elem.as_ref(),
                other => other,
            };
            return array_name(elem, &self.name(elem, self.row(written)));
        }
        if let Some((name, args)) = written.exp.and_then(named)
            && !matches!(shape, Shape::Prim(_))
            && !matches!(dimensions(shape), (_, Shape::Prim(_)))
        {
            return type_name(name, args);
        }
        match shape {
            Shape::Prim(prim) => prim.name().into(),
            Shape::Array(_, elem) => array_name(elem, &self.name(elem, self.row(written))),
            Shape::Record(fields) => {
                let names: Vec<EcoString> = fields
                    .iter()
                    .map(|(name, shape)| self.name(shape, self.field(written, name)))
                    .collect();
                if is_tuple(fields) {
                    return eco_format!("({})", names.join(", "));
                }
                let field =
                    |((name, _), ty): (&(EcoString, Shape), &EcoString)| format!("{name}: {ty}");
                let fields: Vec<String> = fields.iter().zip(&names).map(field).collect();
                eco_format!("{{{}}}", fields.join(", "))
            }
            Shape::Sum(ctors) => {
                let ctor = |(name, payload): &(EcoString, Vec<Shape>)| {
                    let mut text = format!("#{name}");
                    for (i, shape) in payload.iter().enumerate() {
                        let ty = self.name(shape, self.payload(written, name, i));
                        text.push(' ');
                        text.push_str(&in_parens_if_sum(shape, &ty));
                    }
                    text
                };
                ctors.iter().map(ctor).collect::<Vec<_>>().join(" | ").into()
            }
            Shape::Acc(_) => "acc".into(),
            Shape::Fun => "fun".into(),
        }
    }

    /// What is written for the rows of an array.
    fn row(self, written: Written<'a>) -> Written<'a> {
        if written.dims > 0 {
            return Written { dims: written.dims - 1, ..written };
        }
        let exp = match self.definition(written).map(|exp| &exp.kind) {
            Some(TypeExpKind::Array(_, elem)) => Some(elem.as_ref()),
            _ => None,
        };
        Written { dims: 0, exp }
    }

    fn field(self, written: Written<'a>, wanted: &str) -> Written<'a> {
        let exp = match self.definition(written).map(|exp| &exp.kind) {
            Some(TypeExpKind::Record(fields)) => {
                fields.iter().find(|(name, _)| name.name == wanted).map(|(_, exp)| exp)
            }
            Some(TypeExpKind::Tuple(types)) => {
                wanted.parse().ok().and_then(|index: usize| types.get(index))
            }
            _ => None,
        };
        Written { dims: 0, exp }
    }

    fn payload(self, written: Written<'a>, ctor: &str, index: usize) -> Written<'a> {
        let exp = match self.definition(written).map(|exp| &exp.kind) {
            Some(TypeExpKind::Sum(ctors)) => {
                let ctor = ctors.iter().find(|(name, _)| name.name == ctor);
                ctor.and_then(|(_, payload)| payload.get(index))
            }
            _ => None,
        };
        Written { dims: 0, exp }
    }

    /// The structure that is written, with names replaced by what they stand for. Types of modules, of
    /// other files, and with parameters other than sizes are not looked into.
    fn definition(self, written: Written<'a>) -> Option<&'a TypeExp> {
        let mut exp = written.exp.filter(|_| written.dims == 0)?;
        let mut decs = self.decs;
        while let Some((name, args)) = named(exp) {
            let plain = name.quals.is_empty() && args.iter().all(is_size);
            let found =
                |dec: &'a ast::Dec| type_bind(dec).filter(|t| t.name.name == name.name.name);
            let at = decs.iter().rposition(|dec| found(dec).is_some()).filter(|_| plain)?;
            // What is opened later may have another type of this name.
            if decs[at..].iter().any(opens) {
                return None;
            }
            let bind = found(&decs[at])?;
            if bind.params.iter().any(|param| param.kind != TypeParamKind::Size) {
                return None;
            }
            // Types see what is declared before them, so this comes to an end.
            decs = &decs[..at];
            exp = &bind.body;
        }
        Some(bare(exp))
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other declarations have none inside")]
fn declares(dec: &ast::Dec, id: ast::NodeId) -> bool {
    match &dec.kind {
        ast::DecKind::Local(inner) => dec.id == id || declares(inner, id),
        _ => dec.id == id,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other declarations open nothing")]
fn opens(dec: &ast::Dec) -> bool {
    match &dec.kind {
        ast::DecKind::Open(_) | ast::DecKind::Import(..) => true,
        ast::DecKind::Local(inner) => opens(inner),
        _ => false,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other declarations are no types")]
fn type_bind(dec: &ast::Dec) -> Option<&ast::TypeBind> {
    match &dec.kind {
        ast::DecKind::Type(bind) => Some(bind),
        ast::DecKind::Local(inner) => type_bind(inner),
        _ => None,
    }
}

/// The dimensions and what is inside of them.
fn dimensions(shape: &Shape) -> (Vec<Atom>, &Shape) {
    let (mut dims, mut inner) = (Vec::new(), shape);
    while let Shape::Array(size, elem) = inner {
        dims.push(*size);
        inner = elem;
    }
    (dims, inner)
}

/// Without parentheses, stars and quantifiers, which names do not show.
#[expect(clippy::wildcard_enum_match_arm, reason = "only these have no name of their own")]
fn bare(exp: &TypeExp) -> &TypeExp {
    match &exp.kind {
        TypeExpKind::Paren(inner) | TypeExpKind::Unique(inner) | TypeExpKind::Exists(_, inner) => {
            bare(inner)
        }
        _ => exp,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other nodes have no such name")]
fn named(exp: &TypeExp) -> Option<(&ast::QualName, &[TypeArg])> {
    match &bare(exp).kind {
        TypeExpKind::Name(name, args) => Some((name, args)),
        _ => None,
    }
}

fn is_size(arg: &TypeArg) -> bool {
    matches!(arg, TypeArg::Size(..))
}

/// `m.t` or `t a`: sizes are left out.
fn type_name(name: &ast::QualName, args: &[TypeArg]) -> EcoString {
    let mut text = String::new();
    for qual in &name.quals {
        text.push_str(&qual.name);
        text.push('.');
    }
    text.push_str(&name.name.name);
    for arg in args {
        if let TypeArg::Type(exp) = arg {
            text.push(' ');
            text.push_str(&argument_name(exp));
        }
    }
    text.into()
}

/// An argument of a type, as it is written.
fn argument_name(exp: &TypeExp) -> EcoString {
    let list = |types: &[TypeExp]| {
        types.iter().map(|ty| argument_name(ty).to_string()).collect::<Vec<_>>()
    };
    match &bare(exp).kind {
        TypeExpKind::Name(name, args) if args.iter().all(is_size) => type_name(name, args),
        TypeExpKind::Name(name, args) => eco_format!("({})", type_name(name, args)),
        TypeExpKind::Array(_, elem) => eco_format!("[]{}", argument_name(elem)),
        TypeExpKind::Tuple(types) => eco_format!("({})", list(types).join(", ")),
        TypeExpKind::Record(fields) => {
            let field = |(name, ty): &(ast::Ident, TypeExp)| {
                format!("{}: {}", name.name, argument_name(ty))
            };
            eco_format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        TypeExpKind::Sum(ctors) => {
            let ctor = |(name, payload): &(ast::Ident, Vec<TypeExp>)| {
                let words = std::iter::once(format!("#{}", name.name)).chain(list(payload));
                words.collect::<Vec<_>>().join(" ")
            };
            eco_format!("({})", ctors.iter().map(ctor).collect::<Vec<_>>().join(" | "))
        }
        TypeExpKind::Fun(..)
        | TypeExpKind::Unique(_)
        | TypeExpKind::Exists(..)
        | TypeExpKind::Paren(_)
        | TypeExpKind::Error => "_".into(),
    }
}

fn array_name(elem: &Shape, name: &str) -> EcoString {
    eco_format!("[]{}", in_parens_if_sum(elem, name))
}

/// A sum that is written out needs parentheses inside of other types.
#[expect(clippy::wildcard_enum_match_arm, reason = "only sums need parentheses")]
fn in_parens_if_sum(shape: &Shape, name: &str) -> EcoString {
    match shape {
        Shape::Sum(_) if name.starts_with('#') => eco_format!("({name})"),
        _ => name.into(),
    }
}

fn is_tuple(fields: &[(EcoString, Shape)]) -> bool {
    let numbered = |(i, (name, _)): (usize, &(EcoString, Shape))| name.parse() == Ok(i);
    fields.len() != 1 && fields.iter().enumerate().all(numbered)
}
