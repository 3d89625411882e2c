//! Values that stay inside: what entry points take and give, opaque ones included.
//!
//! An object is what a variable of the server protocol is. Its sizes are not kept: the arrays in it
//! show them. Two opaque types are the same if their names and the types of their parts are.

use super::{RunError, arguments, convert};
use fehu_data::Value;
use fehu_interp::Value as Inner;
use fehu_ir::{Atom, Elem, External, OpaqueKind, Scalar, Type};
use std::fmt;

/// A value of an entry point's parameter or result.
#[derive(Clone, Debug)]
pub struct Object {
    ty: External,
    parts: Vec<Inner>,
}

impl Object {
    /// The object for a value of the outside world.
    pub fn from_value(value: Value) -> Result<Object, RunError> {
        let shape = value.shape().iter().map(|&size| Atom::i64(size as i64)).collect::<Vec<_>>();
        let elem = Elem::Prim(value.elem());
        let ty = if shape.is_empty() { Type::Scalar(elem) } else { Type::array(elem, shape) };
        let parts = vec![convert::to_interp(value)?];
        Ok(Object { ty: External::Transparent(ty, false), parts })
    }

    /// The object of a type that consists of these values; units are none of them.
    pub fn from_values(ty: &External, values: Vec<Value>) -> Result<Object, RunError> {
        let mut values = values.into_iter().map(convert::to_interp);
        let mut parts = Vec::new();
        for ty in parts_of(ty) {
            match ty {
                Type::Scalar(Elem::Unit) => parts.push(Inner::Scalar(Scalar::Unit)),
                _ => parts.extend(values.next().transpose()?),
            }
        }
        let object = Object { ty: ty.clone(), parts };
        match object.has_type(ty) && values.next().is_none() {
            true => Ok(object),
            false => Err(RunError::Arguments(format!(
                "these values do not form a value of type {}",
                type_name(ty)
            ))),
        }
    }

    /// The values that it consists of: one if it is transparent. Units have no contents, and are
    /// left out.
    pub fn into_values(self) -> Result<Vec<Value>, RunError> {
        let parts = self.parts.into_iter().filter(|part| !convert::is_unit(part));
        parts.map(convert::from_interp).collect()
    }

    /// The value, if the object is transparent.
    pub fn as_value(&self) -> Option<Value> {
        match (&self.ty, self.parts.as_slice()) {
            (External::Transparent(..), [part]) => convert::from_interp(part.clone()).ok(),
            (External::Transparent(..) | External::Opaque(..), _) => None,
        }
    }

    /// The fields, with their names, if it is a record; a tuple is a record with the fields `0`, `1`
    /// and so on. Those of an array of records are arrays.
    pub fn fields(&self) -> Option<Vec<(String, Object)>> {
        let External::Opaque(opaque, _) = &self.ty else { return None };
        let fields = opaque.columns();
        if fields.is_empty() {
            return None;
        }
        let mut parts = self.parts.iter().cloned();
        let field = |field: &fehu_ir::Field| {
            let parts = parts.by_ref().take(parts_of(&field.ty).len()).collect();
            (field.name.to_string(), Object { ty: field.ty.clone(), parts })
        };
        Some(fields.iter().map(field).collect())
    }

    /// The record of this type with these fields, in order; the array of records, if they are arrays. The types of the
    /// fields must be right, and arrays must have the same sizes.
    pub fn record(ty: &External, fields: Vec<Object>) -> Option<Object> {
        let External::Opaque(opaque, _) = ty else { return None };
        let types = opaque.columns();
        let fits = types.len() == fields.len()
            && types.iter().zip(&fields).all(|(ty, field)| field.has_type(&ty.ty));
        let parts: Vec<Inner> = fields.into_iter().flat_map(|field| field.parts).collect();
        let outer = match &opaque.kind {
            OpaqueKind::Array(array) => array.rank,
            OpaqueKind::Plain | OpaqueKind::Record(_) | OpaqueKind::Sum(_) => 0,
        };
        let shape = |part: &Inner| match part {
            Inner::Array(array) => array.shape(),
            Inner::Scalar(_) | Inner::Acc(_) | Inner::Gone => Vec::new(),
        };
        let mut shapes = parts.iter().map(|part| shape(part).into_iter().take(outer).collect());
        let first: Option<Vec<i64>> = shapes.next();
        let agree = first.is_none_or(|first| shapes.all(|shape| shape == first));
        (fits && agree).then(|| Object { ty: ty.clone(), parts })
    }

    /// Whether it has this type, whatever the sizes.
    pub fn has_type(&self, ty: &External) -> bool {
        let same_kind = match (&self.ty, ty) {
            (External::Transparent(..), External::Transparent(..)) => true,
            (External::Opaque(mine, _), External::Opaque(other, _)) => mine.name == other.name,
            (External::Transparent(..), External::Opaque(..))
            | (External::Opaque(..), External::Transparent(..)) => false,
        };
        let types = parts_of(ty);
        let fits = |(part, ty)| arguments::has_type(part, ty);
        same_kind && types.len() == self.parts.len() && self.parts.iter().zip(types).all(fits)
    }

    /// The type, as messages say it.
    pub fn type_name(&self) -> String {
        type_name(&self.ty)
    }

    pub(super) fn new(ty: External, parts: Vec<Inner>) -> Object {
        Object { ty, parts }
    }

    pub(super) fn into_parts(self) -> Vec<Inner> {
        self.parts
    }
}

/// The values, separated by blanks.
impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.parts.iter().enumerate() {
            let value = convert::from_interp(part.clone());
            let value = value.map_or("()".to_owned(), |value| value.to_string());
            write!(f, "{}{value}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

/// The name of a type without sizes: `[]i32`, or that of an opaque type.
pub fn type_name(ty: &External) -> String {
    match ty {
        External::Transparent(ty, _) => arguments::type_name(ty.elem(), ty.rank()),
        External::Opaque(opaque, _) => opaque.name.to_string(),
    }
}

/// The types of the parts.
pub(super) fn parts_of(external: &External) -> &[Type] {
    match external {
        External::Transparent(ty, _) => std::slice::from_ref(ty),
        External::Opaque(opaque, _) => &opaque.parts,
    }
}
