//! Types as the outside world sees them.
//!
//! A value of such a type consists of values of the IR, its parts. Nothing in the IR depends on which
//! of them form a field or a payload: that is only for those who take values apart from outside.

use crate::Type;
use ecow::EcoString;

/// A type as the outside world sees it, and how many IR values make up a value of it.
#[derive(Clone, PartialEq, Debug)]
pub enum External {
    /// A scalar or an array of a primitive type: one IR value. The flag says that it is consumed, or
    /// for a result fresh.
    Transparent(Type, bool),
    /// Anything else: a name, its parts, and what kind of thing it is.
    Opaque(OpaqueType, bool),
}

/// An opaque type.
#[derive(Clone, PartialEq, Debug)]
pub struct OpaqueType {
    /// The name, without sizes, as the source has it or would have it: `point`, `[]point`, `(i32, bool)`.
    pub name: EcoString,
    /// The types of the IR values it consists of.
    pub parts: Vec<Type>,
    /// What can be done with its values.
    pub kind: OpaqueKind,
}

/// What can be done with the values of an opaque type, besides handing them around.
#[derive(Clone, PartialEq, Debug)]
pub enum OpaqueKind {
    /// Nothing.
    Plain,
    /// It is a record, tuples included, with at least one field. The parts of the fields, one after
    /// another, are its parts.
    Record(Vec<Field>),
    /// It is a sum. If there are several variants, then the first part is the number of the variant.
    Sum(Vec<Variant>),
    /// It is an array of opaque things.
    Array(OpaqueArray),
}

/// A field of an opaque record.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// The name.
    pub name: EcoString,
    /// Its type.
    pub ty: External,
}

/// A variant of an opaque sum.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// The name of the constructor, without `#`.
    pub name: EcoString,
    /// What it carries.
    pub payload: Vec<External>,
    /// Which parts of the sum the parts of the payload are, in order. The other parts mean nothing then.
    pub slots: Vec<usize>,
}

/// An array of opaque things. Its parts are those of an element with more dimensions in front; if
/// elements have no parts, it has one part, of units, for its shape.
#[derive(Clone, PartialEq, Debug)]
pub struct OpaqueArray {
    /// The number of dimensions, at least one.
    pub rank: usize,
    /// The type of an element, which is no array of opaque things itself.
    pub elem: Box<External>,
    /// If elements are records: the arrays of the values of each field.
    pub fields: Vec<Field>,
}

impl External {
    /// The types of the IR values it consists of.
    pub fn parts(&self) -> &[Type] {
        match self {
            External::Transparent(ty, _) => std::slice::from_ref(ty),
            External::Opaque(opaque, _) => &opaque.parts,
        }
    }

    /// Whether it is consumed, or for a result fresh.
    pub fn unique(&self) -> bool {
        match self {
            External::Transparent(_, unique) | External::Opaque(_, unique) => *unique,
        }
    }

    /// The types that it mentions directly: of fields, payloads and elements.
    pub fn children(&self) -> Vec<&External> {
        let External::Opaque(opaque, _) = self else { return Vec::new() };
        match &opaque.kind {
            OpaqueKind::Plain => Vec::new(),
            OpaqueKind::Record(fields) => fields.iter().map(|field| &field.ty).collect(),
            OpaqueKind::Sum(variants) => variants.iter().flat_map(|v| &v.payload).collect(),
            OpaqueKind::Array(array) => {
                let fields = array.fields.iter().map(|field| &field.ty);
                std::iter::once(array.elem.as_ref()).chain(fields).collect()
            }
        }
    }

    /// Likewise, to be changed.
    pub fn children_mut(&mut self) -> Vec<&mut External> {
        let External::Opaque(opaque, _) = self else { return Vec::new() };
        match &mut opaque.kind {
            OpaqueKind::Plain => Vec::new(),
            OpaqueKind::Record(fields) => fields.iter_mut().map(|field| &mut field.ty).collect(),
            OpaqueKind::Sum(variants) => {
                variants.iter_mut().flat_map(|variant| &mut variant.payload).collect()
            }
            OpaqueKind::Array(array) => {
                let fields = array.fields.iter_mut().map(|field| &mut field.ty);
                std::iter::once(array.elem.as_mut()).chain(fields).collect()
            }
        }
    }

    /// Calls `f` with every type in it, those of fields and so on included.
    pub fn for_each_type_mut(&mut self, f: &mut dyn FnMut(&mut Type)) {
        match self {
            External::Transparent(ty, _) => f(ty),
            External::Opaque(opaque, _) => opaque.parts.iter_mut().for_each(&mut *f),
        }
        for child in self.children_mut() {
            child.for_each_type_mut(f);
        }
    }
}

impl OpaqueType {
    /// A type whose values can only be handed around.
    pub fn plain(name: impl Into<EcoString>, parts: Vec<Type>) -> OpaqueType {
        OpaqueType { name: name.into(), parts, kind: OpaqueKind::Plain }
    }

    /// The fields, if it is a record; else none.
    pub fn fields(&self) -> &[Field] {
        match &self.kind {
            OpaqueKind::Record(fields) => fields,
            OpaqueKind::Plain | OpaqueKind::Sum(_) | OpaqueKind::Array(_) => &[],
        }
    }

    /// The fields, if it is a record; the arrays of the fields' values, if it is an array of records; else none.
    pub fn columns(&self) -> &[Field] {
        match &self.kind {
            OpaqueKind::Record(fields) => fields,
            OpaqueKind::Array(array) => &array.fields,
            OpaqueKind::Plain | OpaqueKind::Sum(_) => &[],
        }
    }
}
